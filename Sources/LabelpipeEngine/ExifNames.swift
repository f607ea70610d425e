import CMetadata
import Diagnostics

/// The names that EXIF tags have: libexif's.
enum ExifNames {
    static let all: [String] = (0..<exif_tag_table_count()).compactMap { index in
        exif_tag_table_get_name(index).map { String(cString: $0) }
    }

    static let family = "exif."

    /// Whether no picture can ever have such a field.
    static func isUnknown(_ field: String) -> Bool {
        field.hasPrefix(family) && field != family && !known.contains(String(field.dropFirst(family.count)))
    }

    /// What is said of such a field.
    static func finding(
        _ field: String, _ document: Document, _ position: SourcePosition, _ pointer: JSONPointer
    ) -> Diagnostic {
        Diagnostic(
            "unknown-exif", severity: .warning, file: document.file, position: position, pointer: pointer,
            message: "EXIF has no tag \(Quoted.text(String(field.dropFirst(family.count))))",
            help: ["the names are libexif's, such as exif.Artist, exif.DateTimeOriginal, exif.FNumber"],
            suggestion: Suggestions.nearest(to: field, in: all.map { family + $0 }))
    }

    private static let known = Set(all)
}
