import Diagnostics
import LabelpipeWorker

/// A table of pictures: `--rows`. CSV with a header, a JSON array of objects, or JSON lines; told by the content.
package struct Rows: Sendable {
    package struct Row: Sendable {
        /// Where it stands in its file, for messages.
        package var line: Int
        /// Column and text, in the file's order; cells that are `null` are not there.
        package var cells: [(name: String, text: String)]

        package init(line: Int, cells: [(name: String, text: String)]) {
            self.line = line
            self.cells = cells
        }

        package func text(_ column: String) -> String? {
            cells.first { $0.name == column }?.text
        }
    }

    /// The column with the picture.
    package static let input = "input"

    package var rows: [Row] = []
    /// The columns' names, in the order in which they first come.
    package private(set) var columns: [String] = []
    private var places: [String: SourcePosition] = [:]
    /// The file, as named.
    package let file: BytePath

    /// **Errors.** What cannot be read, with line and column.
    package init(_ bytes: [UInt8], file: BytePath) throws(Diagnostics) {
        self.file = file
        // Spreadsheets write a mark of byte order, which means nothing in UTF-8.
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let first = bytes.first { !$0.isBlank }
        switch first {
        case UInt8(ascii: "["): try readArray(bytes)
        case UInt8(ascii: "{"): try readLines(bytes)
        default: try readCSV(bytes)
        }
    }

    /// Where a column is named first.
    package func position(of column: String) -> SourcePosition {
        places[column] ?? SourcePosition(line: rows.first?.line ?? 1, column: 1, offset: 0)
    }

    private mutating func addColumn(_ name: String, _ line: Int, _ column: Int) {
        guard places[name] == nil else { return }
        places[name] = SourcePosition(line: line, column: column, offset: 0)
        columns.append(name)
    }

    // MARK: JSON

    private static let limits = JSONLimits(maximumBytes: 1 << 30, maximumDepth: 64)

    private mutating func readArray(_ bytes: [UInt8]) throws(Diagnostics) {
        let value = try JSONValue.parse(bytes, file: file.description, limits: Self.limits)
        var wrong: [Diagnostic] = []
        for element in value.elements ?? [] { add(element, line: element.range.start.line, &wrong) }
        if !wrong.isEmpty { throw Diagnostics(wrong.prefix(Self.mostFindings)) }
    }

    /// What is wrong with more rows is wrong with the table.
    package static let mostFindings = 20

    private mutating func readLines(_ bytes: [UInt8]) throws(Diagnostics) {
        var wrong: [Diagnostic] = []
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            guard line.contains(where: { !$0.isBlank }) else { continue }
            do throws(Diagnostics) {
                add(try JSONValue.parse(Array(line), file: file.description, limits: Self.limits), line: index + 1, &wrong)
            } catch {
                wrong += error.all.map {
                    var finding = $0
                    if let position = finding.position {
                        finding.position = SourcePosition(line: index + position.line, column: position.column, offset: 0)
                    }
                    return finding
                }
            }
            if wrong.count >= Self.mostFindings { break }
        }
        if !wrong.isEmpty { throw Diagnostics(wrong) }
    }

    private mutating func add(_ value: JSONValue, line: Int, _ wrong: inout [Diagnostic]) {
        guard let members = value.members else {
            wrong.append(finding(line, 1, "expected a row (an object of columns), got \(value.got)"))
            return
        }
        for member in members { addColumn(member.key, line, 1) }
        let cells = members.compactMap { member in
            Self.text(of: member.value).map { (name: member.key, text: $0) }
        }
        rows.append(Row(line: line, cells: cells))
    }

    private static func text(of value: JSONValue) -> String? {
        switch value.content {
        case .null: nil
        case .string(let text): text
        case .number(_, let text): text
        default: value.compact
        }
    }

    // MARK: CSV

    /// RFC 4180: fields in double quotes may hold commas, newlines and doubled quotes. Semicolons and tabs, as spreadsheets of
    /// other countries write, are taken where the header has them and no comma.
    private mutating func readCSV(_ bytes: [UInt8]) throws(Diagnostics) {
        if let place = Self.firstIllFormed(bytes) { throw [notUTF8(bytes, place)] }
        var reader = CSVReader(bytes)
        guard let header = try reader.record(file) else { throw [finding(1, 1, "the table is empty: expected a header line")] }
        for (index, name) in header.fields.enumerated() where name.isEmpty || header.fields[..<index].contains(name) {
            throw [finding(1, 1, name.isEmpty ? "column \(index + 1) has no name" : "two columns are called \"\(name)\"")]
        }
        for (name, place) in zip(header.fields, header.starts) { addColumn(name, header.line, place) }
        var wrong: [Diagnostic] = []
        while wrong.count < Self.mostFindings, let record = try reader.record(file) {
            if record.fields == [""] { continue }
            guard record.fields.count == header.fields.count else {
                wrong.append(
                    finding(
                        record.line, 1, "expected \(header.fields.count) fields, as the header has, got \(record.fields.count)"))
                continue
            }
            rows.append(Row(line: record.line, cells: Array(zip(header.fields, record.fields)).map { (name: $0.0, text: $0.1) }))
        }
        if !wrong.isEmpty { throw Diagnostics(wrong) }
    }

    /// Where the first byte stands that is part of no character; nil: there is none.
    private static func firstIllFormed(_ bytes: [UInt8]) -> Int? {
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        // What is well-formed up to a newline stays so: only the first line that is not has to be looked into.
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            if String(validating: bytes[start..<end], as: UTF8.self) == nil {
                var at = start
                while at < end {
                    let length = (1...4).first { at + $0 <= end && String(validating: bytes[at..<at + $0], as: UTF8.self) != nil }
                    guard let length else { return at }
                    at += length
                }
            }
            start = end + 1
        }
        return nil
    }

    private func notUTF8(_ bytes: [UInt8], _ place: Int) -> Diagnostic {
        if bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
            var found = finding(1, 1, "this is a spreadsheet's own file, no text")
            found.help = ["save it as CSV in UTF-8"]
            return found
        }
        let lineStart = bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = bytes[..<place].count { $0 == 0x0A } + 1
        let column = String(decoding: bytes[lineStart..<place], as: UTF8.self).unicodeScalars.count + 1
        let hex = String(bytes[place], radix: 16, uppercase: true)
        var found = finding(line, column, "the table is not UTF-8: the byte 0x\(hex) is no character there")
        found.help = ["iconv -f latin1 -t utf-8 \(file) makes it so, where it was saved as Latin-1"]
        return found
    }

    private func finding(_ line: Int, _ column: Int, _ message: String) -> Diagnostic {
        Diagnostic(
            "bad-rows", file: file.description, position: SourcePosition(line: line, column: column, offset: 0), message: message)
    }
}

extension Rows {
    /// The table names no pictures.
    var withoutInput: Stop {
        let words = ["photo", "file", "image", "path", "filename", "picture", "img", "src", "source"]
        let meant =
            Suggestions.nearest(to: Self.input, in: columns)
            ?? columns.first { column in words.contains { Suggestions.nearest(to: column, in: [$0]) != nil } }
        let position = position(of: meant ?? columns.first ?? "")
        let names = columns.map { Quoted.text($0) }.joined(separator: ", ")
        return Stop(
            .invalid,
            "\(file):\(position.line):\(position.column): no column is called \(Quoted.text(Self.input)), the one with the picture",
            help: (meant.map { ["call \(Quoted.text($0)) \(Quoted.text(Self.input))"] } ?? []) + ["the table's columns: \(names)"]
        )
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

/// Takes CSV apart, record by record.
private struct CSVReader {
    private let bytes: [UInt8]
    private var at = 0
    private var line = 1
    private let separator: UInt8

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let header = bytes.prefix { $0 != 0x0A }
        let comma = UInt8(ascii: ",")
        separator =
            header.contains(comma)
            ? comma : [UInt8(ascii: ";"), 0x09].first { header.contains($0) } ?? comma
    }

    /// The next record and the line it begins on; nil at the end.
    ///
    /// `starts`: in which column of the line its fields begin, as far as none holds a newline.
    mutating func record(_ file: BytePath) throws(Diagnostics) -> (fields: [String], starts: [Int], line: Int)? {
        guard at < bytes.count else { return nil }
        let (start, first) = (line, at)
        var fields: [String] = []
        var starts: [Int] = []
        while true {
            starts.append(at - first + 1)
            fields.append(try field(file))
            guard at < bytes.count else { return (fields, starts, start) }
            let end = bytes[at]
            at += 1
            if end == separator {
                // A separator at the very end is followed by one more field, an empty one.
                if at == bytes.count { return (fields + [""], starts + [at - first + 1], start) }
                continue
            }
            if end == 0x0D, at < bytes.count, bytes[at] == 0x0A { at += 1 }
            line += 1
            return (fields, starts, start)
        }
    }

    private mutating func field(_ file: BytePath) throws(Diagnostics) -> String {
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
            let start = at
            while at < bytes.count, bytes[at] != separator, bytes[at] != 0x0A, bytes[at] != 0x0D { at += 1 }
            return String(decoding: bytes[start..<at], as: UTF8.self)
        }
        let open = line
        at += 1
        var content: [UInt8] = []
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: "\"") {
                guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
                    guard at == bytes.count || [separator, 0x0A, 0x0D].contains(bytes[at]) else { break }
                    return String(decoding: content, as: UTF8.self)
                }
                at += 1
            } else if byte == 0x0A {
                line += 1
            }
            content.append(byte)
        }
        let message = at >= bytes.count ? "a quote is never closed" : "expected a separator behind a closing quote"
        throw [
            Diagnostic(
                "bad-rows", file: file.description, position: SourcePosition(line: open, column: 1, offset: 0), message: message)
        ]
    }
}
