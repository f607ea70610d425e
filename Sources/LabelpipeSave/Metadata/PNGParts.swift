import LabelpipeKit

/// Chunks of a PNG that nobody here knows the meaning of, or nobody can keep true.
///
/// **Source**: Portable Network Graphics 3, 5.4 (bit 5 of the fourth letter: safe to copy) and 14.2: such a chunk may be moved, but
/// not across the pixels.
struct PNGParts {
    private struct Part {
        let name: String
        let range: Range<Int>
        let isBehind: Bool
        /// It says nothing about pixels, so that it is as true of the picture with a label.
        var isSafe: Bool { name.utf8.dropFirst(3).first.map { $0 & 0x20 != 0 } ?? false }
    }

    private let file: FileEdit
    private var parts: [Part] = []

    /// Those that are made anew, kept or missed elsewhere.
    private static let known: Set<String> = [
        "tRNS", "gAMA", "cHRM", "sRGB", "cICP", "iCCP", "sBIT", "bKGD", "pHYs", "tEXt", "zTXt", "iTXt", "eXIf", "acTL", "fcTL",
        "fdAT",
    ]
    /// **Units**: bytes of all that are copied.
    private static let most = 64 << 20

    /// **Errors**: it cannot be read.
    init(_ file: FileEdit) throws {
        self.file = file
        var at = 8
        var isBehind = false
        while let head = try file.read(at, 8) {
            let name = String(decoding: head[4..<8], as: UTF8.self)
            if name == "IEND" { break }
            if name == "IDAT" { isBehind = true }
            let end = at + 12 + head.bigEndian32(0)
            // Ancillary ones: bit 5 of the first letter.
            if head[4] & 0x20 != 0, !PNGParts.known.contains(name) {
                parts.append(Part(name: name, range: at..<end, isBehind: isBehind))
            }
            at = end
        }
    }

    /// Copies what may be copied into a finished PNG, to the side of its pixels where it was.
    func copy(to descriptor: Int32) throws {
        let output = FileEdit(output: descriptor)
        for isBehind in [true, false] {
            var bytes: [UInt8] = []
            for part in kept where part.isBehind == isBehind {
                bytes += try file.read(part.range.lowerBound, part.range.count) ?? []
            }
            // In front of IEND, or behind the header.
            try output.insert(bytes, at: isBehind ? try output.size - 12 : 33)
        }
    }

    private var kept: [Part] {
        var left = PNGParts.most
        return parts.filter { part in
            guard part.isSafe, part.range.count <= left else { return false }
            left -= part.range.count
            return true
        }
    }

    /// What is left out, in a PNG or in another format.
    func lost(isPNG: Bool) -> [Note] {
        let kept = isPNG ? Set(self.kept.map(\.range)) : []
        var names: [String] = []
        for part in parts where !kept.contains(part.range) && !names.contains(part.name) { names.append(part.name) }
        var notes: [Note] = []
        if names.contains("caBX") {
            notes.append(
                Note(
                    .warning, "metadata-lost",
                    "the PNG's content credentials (C2PA) are left out: they would not match the picture"))
        }
        names.removeAll { $0 == "caBX" }
        if !names.isEmpty { notes.append(Note(.note, "png", "left out: the PNG's \(names.joined(separator: ", "))")) }
        return notes
    }
}
