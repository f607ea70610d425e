/// The modules that Swift source imports, with their lines; what stands in comments and texts does not count.
func imports(in source: String) -> [(line: Int, module: String)] {
    var found: [(Int, String)] = []
    for (index, line) in codeOnly(source).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        // Nearly all lines have none: look before matching.
        guard line.utf8.count > 7, line.contains("import") else { continue }
        for statement in line.split(separator: ";") {
            // Attributes and access levels before, the kind of a single declaration after: `@testable public import struct A.B`.
            let pattern = /^\s*(?:@\w+(?:\([^)]*\))?\s+|(?:public|package|internal|fileprivate|private)\s+)*import\s+/
            guard let head = statement.prefixMatch(of: pattern) else { continue }
            let words = statement[head.range.upperBound...].split(whereSeparator: \.isWhitespace)
            let kinds = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor", "macro"]
            let path = words.first { !kinds.contains(String($0)) }
            if let module = path?.split(separator: ".").first { found.append((index + 1, String(module))) }
        }
    }
    return found
}

/// Swift source with comments and texts blanked out; lines stay where they are.
private func codeOnly(_ source: String) -> String {
    var blanker = Blanker(bytes: Array(source.utf8))
    return blanker.code()
}

/// Bytes, since characters are slow: this reads every file of the package.
private struct Blanker {
    var bytes: [UInt8]
    private var at = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func code() -> String {
        while at < bytes.count {
            let start = at
            switch bytes[at] {
            case UInt8(ascii: "/") where isNext("//"):
                at = bytes[at...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            case UInt8(ascii: "/") where isNext("/*"):
                passComment()
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                let hashes = bytes[at...].prefix { $0 == UInt8(ascii: "#") }.count
                at += hashes
                guard isNext("\"") else { continue }
                passText(hashes: hashes)
            default:
                at += 1
                continue
            }
            for i in start..<at where bytes[i] != UInt8(ascii: "\n") { bytes[i] = UInt8(ascii: " ") }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func isNext(_ text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

    /// To behind a comment, in which others may lie.
    private mutating func passComment() {
        var depth = 0
        repeat {
            let isStart = isNext("/*")
            if isStart || isNext("*/") {
                depth += isStart ? 1 : -1
                at += 2
            } else {
                at += 1
            }
        } while depth > 0 && at < bytes.count
    }

    /// To behind the closing quotes of a text; one of one line ends with its line in any case.
    private mutating func passText(hashes: Int) {
        let quotes = isNext("\"\"\"") ? "\"\"\"" : "\""
        let end = quotes + String(repeating: "#", count: hashes)
        let escape = "\\" + String(repeating: "#", count: hashes)
        at += quotes.utf8.count
        while at < bytes.count, !isNext(end) {
            if quotes == "\"", bytes[at] == UInt8(ascii: "\n") { return }
            at += isNext(escape) ? escape.utf8.count + 1 : 1
        }
        at = min(at + end.utf8.count, bytes.count)
    }
}
