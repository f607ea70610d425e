import Glibc

/// Font files that Debian does not have, made of one it has.
struct MadeFont {
    private let flavour: [UInt8]
    private var tables: [(tag: [UInt8], checksum: Int, bytes: [UInt8])] = []

    /// Takes a TrueType file apart.
    init(_ path: String) throws {
        guard let file = fopen(path, "r") else { throw Failure(path: path) }
        defer { fclose(file) }
        var font: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { font += chunk[0..<count] }
        func number(_ at: Int, _ count: Int) -> Int { font[at..<at + count].reduce(0) { $0 << 8 | Int($1) } }
        flavour = Array(font[0..<4])
        for entry in stride(from: 12, to: 12 + 16 * number(4, 2), by: 16) {
            let (offset, length) = (number(entry + 8, 4), number(entry + 12, 4))
            tables.append((Array(font[entry..<entry + 4]), number(entry + 4, 4), Array(font[offset..<offset + length])))
        }
    }

    /// With a table more.
    mutating func add(_ tag: String, _ bytes: [UInt8]) {
        tables.append((Array(tag.utf8), 0, bytes))
        tables.sort { $0.tag.lexicographicallyPrecedes($1.tag) }
    }

    /// As a TrueType file.
    func write(to path: String) throws {
        try write(header: flavour + big(tables.count, 2) + [0, 0, 0, 0, 0, 0], entry: 16, to: path) { table, offset in
            big(table.checksum) + big(offset) + big(table.bytes.count)
        }
    }

    /// As web pages have it, its tables not compressed.
    ///
    /// **Source**: W3C, WOFF File Format 1.0.
    func writeWOFF(to path: String) throws {
        let size = tables.reduce(0) { $0 + padded($1.bytes).count }
        let header =
            Array("wOFF".utf8) + flavour + big(44 + 20 * tables.count + size) + big(tables.count, 2) + big(0, 2)
            + big(12 + 16 * tables.count + size) + big(1, 2) + big(0, 2) + [UInt8](repeating: 0, count: 20)
        try write(header: header, entry: 20, to: path) { table, offset in
            big(offset) + big(table.bytes.count) + big(table.bytes.count) + big(table.checksum)
        }
    }

    private func write(
        header: [UInt8], entry: Int, to path: String, _ facts: ((tag: [UInt8], checksum: Int, bytes: [UInt8]), Int) -> [UInt8]
    ) throws {
        var directory: [UInt8] = []
        var content: [UInt8] = []
        for table in tables {
            directory += table.tag + facts(table, header.count + entry * tables.count + content.count)
            content += padded(table.bytes)
        }
        let all = header + directory + content
        guard let file = fopen(path, "w") else { throw Failure(path: path) }
        defer { fclose(file) }
        guard fwrite(all, 1, all.count, file) == all.count else { throw Failure(path: path) }
    }

    private func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: -bytes.count & 3) }

    private func big(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    struct Failure: Error { let path: String }
}
