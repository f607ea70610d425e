/// The block that a JPEG carries IPTC records in: Photoshop's image resources.
///
/// **Source**: Adobe Photoshop File Formats Specification, Image Resource Blocks.
enum PhotoshopBlock {
    private static let thumbnails: Set<Int> = [0x0409, 0x040C]

    /// Whether two blocks differ in nothing but a thumbnail, which has to be another, or in how they are packed.
    static func saysTheSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard let a = resources(one), let b = resources(other) else { return false }
        return a.filter { !thumbnails.contains($0.key) } == b.filter { !thumbnails.contains($0.key) }
    }

    /// By number; a block that is IPTC records alone is resource 0x0404. Nil where it cannot be taken apart.
    private static func resources(_ bytes: [UInt8]) -> [Int: [UInt8]]? {
        if bytes.first == 0x1C { return [0x0404: bytes] }
        var rest = bytes[...]
        if rest.starts(with: "Photoshop 3.0\0".utf8) { rest = rest.dropFirst(14) }
        var found: [Int: [UInt8]] = [:]
        while rest.count >= 12 {
            guard rest.starts(with: "8BIM".utf8) else { return nil }
            rest = rest.dropFirst(4)
            let number = integer(rest.prefix(2))
            // A Pascal string, padded to an even length.
            let name = Int(rest.dropFirst(2).first ?? 0) + 1
            rest = rest.dropFirst(2 + name + name % 2)
            guard rest.count >= 4 else { return nil }
            let size = integer(rest.prefix(4))
            rest = rest.dropFirst(4)
            guard rest.count >= size else { return nil }
            found[number] = Array(rest.prefix(size))
            rest = rest.dropFirst(size + size % 2)
        }
        return found
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
