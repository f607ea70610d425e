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
            guard let pattern = output.path, !pattern.isOwnName, let path = try? Self.filled(pattern) else { continue }
            do throws(OutputError) {
                _ = try SafePath.path(path)
            } catch {
                // Only an output of a list has such a key.
                let pointer = JSONPointer.root.appending("outputs").appending(index).appending("path")
                let position = (try? JSONValue.parse(text, file: file))?[pointer: pointer]?.range.start
                findings.append(
                    Diagnostic("bad-path", file: file, position: position, pointer: pointer, message: error.message))
            }
        }
        if !findings.isEmpty { throw Diagnostics(findings) }
    }

    /// As for a picture whose every field is a letter or 1: what is wrong then is what stands between the fields.
    private static func filled(_ pattern: any PathPattern) throws -> String {
        let fields = PictureFields(
            path: BytePath("x.jpg"), relative: BytePath("x"), index: 1, count: 1, date: 0, row: [], contentExt: "jpg")
        return try pattern.text(missing: .empty) { field in
            let plain = field.hasPrefix("picture.") ? String(field.dropFirst("picture.".count)) : field
            if ["width", "height", "page"].contains(plain) { return .integer(1) }
            return fields.value(plain) ?? .text("x")
        }
    }
}
