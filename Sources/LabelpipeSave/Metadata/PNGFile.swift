import LabelpipeKit

/// The chunks of a PNG that libvips does not read, and those that it does not write.
///
/// **Source**: Portable Network Graphics 3, 5.3 and 11.3; ISO 3309 for the sums.
struct PNGFile {
    /// Chunks that say what the numbers mean, where there is no profile.
    private(set) var colour: [(name: String, data: [UInt8])] = []
    /// Chunks about the samples: how many bits of them count, and what lies behind the picture.
    private(set) var samples: [(name: String, data: [UInt8])] = []
    /// Bits and colour type, which say how those are to be read.
    private var layout: [UInt8] = []
    /// Frames of an animated PNG as it counts them, the first included; 1 for others.
    private(set) var frames = 1
    /// Pixels a metre, or a proportion alone: the data of `pHYs`.
    private(set) var density: [UInt8]?
    /// Where it is, its head included.
    private var densityAt: Int?
    /// 1, 2, 4 or 8 where its samples are numbers of a palette's colours.
    private(set) var paletteBits: Int?

    private static let meanings: Set<String> = ["gAMA", "cHRM", "sRGB", "cICP"]

    /// **Errors**: it cannot be read.
    init(_ file: FileEdit) throws {
        var at = 8
        while let head = try file.read(at, 8) {
            let count = head.bigEndian32(0)
            let name = String(decoding: head[4..<8], as: UTF8.self)
            if name == "IDAT" || name == "IEND" { break }
            if PNGFile.meanings.contains(name), count <= 64, let data = try file.read(at + 8, count) {
                colour.append((name, data))
            }
            if name == "sBIT" || name == "bKGD", count <= 6, let data = try file.read(at + 8, count) {
                samples.append((name, data))
            }
            if name == "acTL", let data = try file.read(at + 8, 4) { frames = data.bigEndian32(0) }
            if name == "pHYs", count == 9, let data = try file.read(at + 8, count) { (density, densityAt) = (data, at) }
            if name == "IHDR", let data = try file.read(at + 8, 13) {
                layout = Array(data[8...9])
                if data[9] == 3 { paletteBits = Int(data[8]) }
            }
            at += 12 + count
        }
    }

    /// The unit of its density is unknown: a proportion of width and height, no resolution.
    var hasProportionAlone: Bool { density?.last == 0 }

    /// Gives a finished file the density of another, or none where that has none.
    func putDensity(to descriptor: Int32) throws {
        let file = FileEdit(output: descriptor)
        let made = try PNGFile(file)
        guard let place = made.densityAt, made.density != density else { return }
        if let density {
            try file.write(PNGFile.chunk("pHYs", density), at: place)
        } else {
            try file.remove(place..<(place + 21))
        }
    }

    /// Whether its numbers are others than sRGB's, without a profile that would say so.
    var hasOtherGamma: Bool {
        if colour.contains(where: { $0.name == "sRGB" || $0.name == "cICP" }) { return false }
        guard let gamma = colour.first(where: { $0.name == "gAMA" }), gamma.data.count == 4 else { return false }
        return abs(gamma.data.bigEndian32(0) - 45455) > 1000
    }

    /// Of the chunks about the samples, those that fit a finished file: one that is stored as this is, and has no palette.
    func samples(fitting descriptor: Int32) throws -> [(name: String, data: [UInt8])] {
        try paletteBits == nil && PNGFile(FileEdit(output: descriptor)).layout == layout ? samples : []
    }

    /// Puts chunks behind a finished file's header: in front of the pixels every reader finds them.
    ///
    /// - Parameters:
    ///   - palette: the file holds its numbers, as shades of grey, and becomes one of colours.
    ///   - profile: written with a palette only, which libvips takes for grey.
    static func add(
        _ blocks: MetadataBlocks, colour: [(name: String, data: [UInt8])], palette: Palette?, profile: [UInt8]?,
        to descriptor: Int32
    ) throws {
        let file = FileEdit(output: descriptor)
        var chunks: [UInt8] = []
        for (name, data) in colour { chunks += chunk(name, data) }
        if let palette {
            if let profile { chunks += chunk("iCCP", Array("icc".utf8) + [0, 0] + stored(profile)) }
            chunks += chunk("PLTE", palette.colours.flatMap { [$0.x, $0.y, $0.z] })
            let alphas = palette.colours.map(\.w).prefix { $0 < 255 }
            if !alphas.isEmpty { chunks += chunk("tRNS", Array(alphas)) }
            guard var header = try file.read(16, 13) else { throw DrawingError("codec", "the PNG that was written is too short") }
            header[9] = 3
            try file.write(Array(chunk("IHDR", header).dropFirst(8)), at: 16)
        }
        if let exif = blocks.exif { chunks += chunk("eXIf", exif) }
        if let xmp = blocks.xmp { chunks += chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp) }
        if let iptc = blocks.iptc, let resources = IPTCBlock.resources(iptc, withRecordsAlone: true) {
            chunks += chunk("tEXt", Array("Raw profile type iptc".utf8) + [0] + PNGText.rawProfile(iptc: resources))
        }
        // Signature and header are 33 bytes.
        try file.insert(chunks, at: 33)
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return [UInt8](bigEndian32: data.count) + body + [UInt8](bigEndian32: Int(sum(body)))
    }

    /// As zlib would have it, not made smaller.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        for start in Swift.stride(from: 0, to: bytes.count, by: 65535) {
            let part = bytes[start..<min(bytes.count, start + 65535)]
            let size = [UInt8(part.count & 255), UInt8(part.count >> 8)]
            stream += [start + part.count == bytes.count ? 1 : 0] + size + size.map { ~$0 } + part
        }
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        return stream + [UInt8](bigEndian32: b << 16 | a)
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    private static func sum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}
