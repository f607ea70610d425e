import Diagnostics
import LabelpipeBatch
import LabelpipeWorker

extension Setup {
    /// What the flags of everything that draws say to workers.
    ///
    /// **Errors.** Wrong values.
    init(_ parsed: Parsed, _ source: DocumentSource, _ settings: Settings, of subcommand: Subcommand) throws(Stop) {
        self.init()
        document = source.bytes
        file = source.name
        folder = source.folder
        self.settings = settings.pairs
        scale = settings.scale
        emptyMissingFields = parsed.path(.missingField)?.description == "empty"
        isTolerant = parsed.has(.tolerant)
        isStrict = parsed.has(.strict)
        do throws(UsageError) {
            limitPixels = try parsed.integer(.limitPixels)
            limitFrames = try parsed.integer(.limitFrames)
            let known = ["jxl", "ppm", "openslide", "svg", "pdf"]
            for text in try parsed.texts(.allow) {
                for word in text.split(separator: ",").map(String.init) {
                    guard known.contains(word) else {
                        let meant = Suggestions.nearest(to: word, in: known).map { "did you mean \"\($0)\"?" }
                        throw UsageError(
                            "--allow: unknown kind \"\(word)\"", help: [meant ?? "one of: \(known.joined(separator: " "))"])
                    }
                    allowed.append(word)
                }
            }
        } catch {
            throw Stop(error, of: subcommand)
        }
        date = try RunStart.now()
        version = Version.text
    }
}
