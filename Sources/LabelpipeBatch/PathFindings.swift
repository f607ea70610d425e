import Diagnostics
import LabelpipeKit
import LabelpipeWorker

extension BatchDocument {
    /// Outputs' paths that are wrong whatever the picture: they name no file, or leave the output folder.
    ///
    /// - Parameters:
    ///   - text: the document as it was read, for the places in it.
    ///   - file: how messages call it.
    /// **Errors.** All of them.
    package func checkPaths(_ text: [UInt8], file: String) throws(Diagnostics) {
        guard !isOpen else { return }
        var findings: [Diagnostic] = []
        for (index, output) in outputs.enumerated() {
            guard let pattern = output.path, !pattern.isOwnName, let path = try? Self.filled(pattern, "x", 1) else { continue }
            do throws(OutputError) {
                _ = try SafePath.path(path)
            } catch {
                findings.append(Self.finding("bad-path", index, error.message, text, file))
            }
        }
        if !findings.isEmpty { throw Diagnostics(findings) }
    }

    /// Outputs' paths that look misspelt: an extension of no format, and nearly one (such a file is saved in its input's format), or
    /// one of another format than the output is written in.
    package func doubtfulPaths(_ text: [UInt8], file: String) -> Diagnostics {
        var findings: [Diagnostic] = []
        for (index, output) in outputs.enumerated() {
            guard let pattern = output.path, !pattern.isOwnName, let path = try? Self.filled(pattern, "x", 1),
                let other = try? Self.filled(pattern, "y", 2)
            else { continue }
            if path.hasPrefix("/"), other.hasPrefix("/") {
                var found = Self.finding(
                    "absolute-path", index, "an output's path lies below --output: its first slash counts for nothing", text, file
                )
                found.severity = .warning
                found.help = ["--output says where: leave the slash out"]
                findings.append(found)
            }
            let (name, ext) = (BytePath(path), BytePath(path).ext.description)
            // One that a field writes is known for each picture only.
            guard !ext.isEmpty, BytePath(other).ext.description == ext else { continue }
            if let format = output.format {
                guard let named = PictureNames.format(of: name), named != format else { continue }
                var found = Self.finding(
                    "doubtful-extension", index, "a file called \(Quoted.text("." + ext)) is written as \(format)", text, file)
                found.severity = .warning
                found.help = [
                    "an extension says the format by itself: leave out \"format\", or call it .\(PictureNames.ext(of: format))"
                ]
                findings.append(found)
                continue
            }
            guard PictureNames.format(of: name) == nil, let meant = Suggestions.nearest(to: ext, in: Self.extensions) else {
                continue
            }
            var found = Self.finding(
                "doubtful-extension", index, "\(Quoted.text("." + ext)) is no format's extension", text, file)
            found.severity = .warning
            found.suggestion = ".\(meant)"
            found.help = ["outputs are saved in their input's format then; \"format\" says another"]
            findings.append(found)
        }
        return Diagnostics(findings)
    }

    /// Outputs that have the same path whatever the picture.
    package func collidingPaths(_ text: [UInt8], file: String) -> Diagnostics {
        guard !isOpen else { return [] }
        var findings: [Diagnostic] = []
        var known: [String: Int] = [:]
        for (index, output) in outputs.enumerated() {
            let path: String
            if let pattern = output.path, !pattern.isOwnName {
                guard let one = try? Self.filled(pattern, "x", 1), let other = try? Self.filled(pattern, "y", 2),
                    let first = try? SafePath.path(one), let second = try? SafePath.path(other)
                else { continue }
                path = "\(first.reversibleText)\0\(second.reversibleText)"
            } else {
                path = output.format ?? ""
            }
            guard let other = known.updateValue(index, forKey: path) else { continue }
            known[path] = other
            findings.append(
                Self.finding(
                    "colliding-outputs", index, "outputs \(other) and \(index) would both be written to one file", text, file))
        }
        return Diagnostics(findings)
    }

    private static let extensions = ["jpg", "jpeg", "png", "webp", "tif", "tiff", "avif", "heic", "gif", "jxl", "ppm"]

    private static func finding(
        _ code: String, _ index: Int, _ message: String, _ text: [UInt8], _ file: String
    ) -> Diagnostic {
        // Only an output of a list has such a key.
        let pointer = JSONPointer.root.appending("outputs").appending(index).appending("path")
        let position = (try? JSONValue.parse(text, file: file))?[pointer: pointer]?.range.start
        return Diagnostic(code, file: file, position: position, pointer: pointer, message: message)
    }

    /// As for a picture whose every field is a letter or a number: what is wrong then is what stands between the fields.
    private static func filled(_ pattern: any PathPattern, _ letter: String, _ number: Int) throws -> String {
        let fields = PictureFields(
            path: BytePath("\(letter).jpg"), relative: BytePath(letter), index: number, count: number, date: 0, row: [],
            contentExt: "jpg")
        return try pattern.text(missing: .empty) { field in
            let plain = field.hasPrefix("picture.") ? String(field.dropFirst("picture.".count)) : field
            if ["width", "height", "page"].contains(plain) { return .integer(number) }
            return fields.value(plain) ?? .text(letter)
        }
    }
}
