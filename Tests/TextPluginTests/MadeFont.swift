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

    /// The glyph of a character.
    ///
    /// **Source**: OpenType, "cmap", format 12.
    func glyph(of scalar: Unicode.Scalar) throws -> Int {
        guard let cmap = tables.first(where: { $0.tag == Array("cmap".utf8) })?.bytes else { throw Failure(path: "cmap") }
        func number(_ at: Int, _ count: Int) -> Int { cmap[at..<at + count].reduce(0) { $0 << 8 | Int($1) } }
        for record in 0..<number(2, 2) {
            let table = number(4 + 8 * record + 4, 4)
            guard number(table, 2) == 12 else { continue }
            for group in 0..<number(table + 12, 4) {
                let at = table + 16 + 12 * group
                if (number(at, 4)...number(at + 4, 4)).contains(Int(scalar.value)) {
                    return number(at + 8, 4) + Int(scalar.value) - number(at, 4)
                }
            }
        }
        throw Failure(path: "cmap")
    }

    /// With colours for one glyph: its layers as paints of COLR version 1, and a palette.
    mutating func addColours(for scalar: Unicode.Scalar, layers: [[UInt8]], palette: [[UInt8]]) throws {
        var list = big(layers.count)
        var paints: [UInt8] = []
        for layer in layers {
            list += big(4 + 4 * layers.count + paints.count)
            paints += layer
        }
        let base = try big(1) + big(glyph(of: scalar), 2) + big(10) + [1, UInt8(layers.count)] + big(0)
        let header =
            big(1, 2) + big(0, 2) + big(0) + big(0) + big(0, 2) + big(34) + big(34 + base.count) + big(0) + big(0) + big(0)
        add("COLR", header + base + list + paints)
        add(
            "CPAL",
            big(0, 2) + big(palette.count, 2) + big(1, 2) + big(palette.count, 2) + big(14) + big(0, 2) + palette.flatMap { $0 })
    }

    // MARK: Paints

    func solid(_ index: Int, alpha: Double = 1) -> [UInt8] { [2] + big(index, 2) + fraction(alpha) }

    func glyph(_ scalar: Unicode.Scalar, _ child: [UInt8]) throws -> [UInt8] {
        try [10] + big(6, 3) + big(glyph(of: scalar), 2) + child
    }

    func moved(_ dx: Int, _ dy: Int, _ child: [UInt8]) -> [UInt8] { [14] + big(8, 3) + big(dx, 2) + big(dy, 2) + child }

    func turned(_ degrees: Double, _ child: [UInt8]) -> [UInt8] { [24] + big(6, 3) + fraction(degrees / 180) + child }

    /// Of two colours of the palette.
    func linear(_ points: [Int], extend: UInt8 = 0, _ first: Int, _ last: Int) -> [UInt8] {
        [4] + big(16, 3) + points.flatMap { big($0, 2) } + line(extend, first, last)
    }

    func radial(_ center: [Int], _ radius: Int, _ first: Int, _ last: Int) -> [UInt8] {
        let circle = center.flatMap { big($0, 2) }
        return [6] + big(16, 3) + circle + big(0, 2) + circle + big(radius, 2) + line(0, first, last)
    }

    func composite(_ source: [UInt8], _ mode: UInt8, _ backdrop: [UInt8]) -> [UInt8] {
        [32] + big(8, 3) + [mode] + big(8 + source.count, 3) + source + backdrop
    }

    private func line(_ extend: UInt8, _ first: Int, _ last: Int) -> [UInt8] {
        [extend] + big(2, 2) + fraction(0) + big(first, 2) + fraction(1) + fraction(1) + big(last, 2) + fraction(1)
    }

    private func fraction(_ value: Double) -> [UInt8] { big(Int((value * 16384).rounded()), 2) }

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
