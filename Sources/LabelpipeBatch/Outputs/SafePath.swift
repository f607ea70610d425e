import LabelpipeKit
import LabelpipeWorker

/// Turns a path template into a path below the output folder that can lie nowhere else.
///
/// A field loses what could leave the folder: a slash becomes `_` (only `{relative}` has slashes of its own), `.` and `..`
/// stand for nothing, and control characters go unless a file's own name has them. An empty field takes its slash with it. A name that
/// is too long loses its middle part, never its extension.
package enum SafePath {
    /// The kernel's limit of one name, **bytes**.
    static let longestName = 255

    /// A field's text, made safe for a path.
    package static func safe(_ text: String, isFolders: Bool = false, keepsControls: Bool = false) -> String {
        var safe = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0: continue
            case 0..<0x20 where !keepsControls, 0x7F...0x9F where !keepsControls: continue
            case 0x2F where !isFolders: safe += "_"
            default: safe.unicodeScalars.append(scalar)
            }
        }
        if isFolders {
            return safe.split(separator: "/").filter { $0 != "." && $0 != ".." }.joined(separator: "/")
        }
        return safe == "." || safe == ".." ? "" : safe
    }

    /// A template's text as a path.
    ///
    /// **Errors.** `..` written or put together, an empty path, a part that is the journal's folder, a NUL.
    package static func path(_ text: String) throws(OutputError) -> BytePath {
        let bytes = BytePath(reversible: text).bytes
        guard !BytePath(bytes).hasNUL else {
            throw OutputError(
                "no-name", "the output path \"\(BytePath(bytes))\" holds a NUL, which no file's name can", stopsRun: false)
        }
        var components: [[UInt8]] = []
        for component in BytePath(bytes).components {
            if component.elementsEqual(".".utf8) { continue }
            if component.elementsEqual("..".utf8) {
                throw OutputError("outside", "the output path \(BytePath(bytes)) leaves the output folder")
            }
            if component.elementsEqual(Journal.folderName.bytes) {
                throw OutputError("blocked", "the output path \(BytePath(bytes)) lies in the journal's folder")
            }
            components.append(shortened(Array(component)))
        }
        if bytes.last == BytePath.slashByte { components = [] }
        guard !components.isEmpty else {
            throw OutputError("no-name", "the output path \"\(BytePath(bytes))\" names no file", stopsRun: false)
        }
        return BytePath(components.joined(separator: [BytePath.slashByte]))
    }

    private static func shortened(_ name: [UInt8]) -> [UInt8] {
        guard name.count > longestName else { return name }
        let ext = BytePath(name).ext.bytes
        let tail = ext.isEmpty || ext.count > 16 ? [] : [BytePath.dotByte] + ext
        var kept = name.prefix(longestName - tail.count)
        // Not in the middle of a character.
        while let last = kept.last, last & 0xC0 == 0x80, name[kept.count] & 0xC0 == 0x80 { kept = kept.dropLast() }
        if name[kept.count] & 0xC0 == 0x80 { kept = kept.dropLast() }
        return Array(kept) + tail
    }
}
