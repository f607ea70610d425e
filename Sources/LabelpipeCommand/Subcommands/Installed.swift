import Diagnostics
import LabelpipeEngine
import LabelpipeKit
import LabelpipeWorker
import TextPlugin
import Vips

/// Whether what a document names is there: files, and font families.
enum Installed {
    /// What is missing, at its place. A run would find it as soon as it draws.
    static func findings(_ plan: Plan) -> Diagnostics {
        var found = plan.missingFiles
        for mention in plan.pictureFiles {
            guard let head = SmallInput.head(of: BytePath(mention.text)), FileKind.identify(head: head) == .unknown else {
                continue
            }
            let name = mention.text.split(separator: "/").last.map(String.init) ?? mention.text
            found.append(mention.finding("not-a-picture", message: "\(Quoted.text(name, limit: 200)) is no picture"))
        }
        var known: [[String?]: Answer] = [:]
        for node in plan.textNodes {
            let (font, file) = (node.mention("font"), node.mention("fontFile"))
            // A font file that each picture chooses, or that is not there, says nothing of the families.
            if node.writes("fontFile"), file.map({ SmallInput.exists($0.text) }) != true { continue }
            // Families that each picture chooses, with a file that is tried all the same.
            guard font != nil || file != nil else { continue }
            let list = font?.text ?? "sans-serif"
            let answer = known[[list, file?.text]] ?? Answer(list, file?.text)
            known[[list, file?.text]] = answer
            for family in answer.skipped {
                if let finding = font?.finding(
                    "font-skipped", severity: .warning,
                    message: "no font is installed for \(Quoted.text(family)), the next of the list is used",
                    help: ["labelpipe fonts names what is installed"])
                {
                    found.append(finding)
                }
            }
            guard let error = answer.error else { continue }
            let isFile = error.parameter == "fontFile"
            let help = (error.help.map { [$0] } ?? []) + (isFile ? [] : [fallback])
            if let place = isFile ? file : font { found.append(place.finding(error.code, message: error.message, help: help)) }
        }
        return found
    }

    private static let fallback = "append \", sans-serif\": of a list the first that is installed is used"

    private struct Answer {
        /// Entries that are not installed, before the one that is used.
        var skipped: [String] = []
        var error: DrawingError?

        init(_ list: String, _ file: String?) {
            do {
                skipped = try Fonts.resolve(list, fontFile: file).entries.prefix { $0.reason == .unknown }.map(\.text)
            } catch let error as DrawingError {
                self.error = error
            } catch {
                self.error = DrawingError("font-missing", "\(error)")
            }
        }
    }
}
