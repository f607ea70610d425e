import LabelpipeKit

/// What a picture's name and place say to a template, the same in the supervisor (paths of outputs) and in a worker (texts).
package struct PictureFields: Sendable {
    /// As named by the user; empty for a document that takes no picture.
    package var path: BytePath
    /// `{relative}`.
    package var relative: BytePath
    /// `{index}`, from 1.
    package var index: Int
    /// `{count}`.
    package var count: Int
    /// The run's start, **seconds** since 1970.
    package var date: Int64
    package var row: [(name: String, text: String)]
    /// What stands for `{ext}` where the name has none: the content's.
    package var contentExt: String?

    package init(
        path: BytePath, relative: BytePath, index: Int, count: Int, date: Int64, row: [(name: String, text: String)] = [],
        contentExt: String? = nil
    ) {
        self.path = path
        self.relative = relative
        self.index = index
        self.count = count
        self.date = date
        self.row = row
        self.contentExt = contentExt
    }

    /// Whether a field is one of those answered here, without a look into the picture.
    package static func knows(_ field: String) -> Bool {
        names.contains(field) || field.hasPrefix("row.")
    }

    private static let names: Set<String> = [
        "name", "stem", "ext", "folder", "relative", "index", "count", "date", "modified",
    ]

    /// A field's value; nil for other fields and for what is not there. Bytes that are no UTF-8 stand as `ByteString` has them.
    package func value(_ field: String) -> FieldValue? {
        switch field {
        case "name": .text(path.name.reversibleText)
        case "stem": .text(path.stem.reversibleText)
        case "ext": .text(path.ext.isEmpty ? contentExt ?? "" : path.ext.reversibleText)
        case "folder": .text(folderName)
        case "relative": .text(relative.reversibleText)
        case "index": .integer(index)
        case "count": .integer(count)
        case "date": .date(CalendarDate(secondsSince1970: Int(date)))
        case "modified": modified
        default:
            field.hasPrefix("row.")
                ? row.first { "row." + $0.name == field }.map { .text($0.text) } : nil
        }
    }

    private var folderName: String {
        if !path.folder.name.isEmpty { return path.folder.name.reversibleText }
        return relative.name.reversibleText
    }

    private var modified: FieldValue? {
        guard case .success(let facts) = FileFacts.of(path) else { return nil }
        return .date(CalendarDate(secondsSince1970: Int(facts.modified / 1_000_000_000)))
    }
}
