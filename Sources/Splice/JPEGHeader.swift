import Glibc

/// Everything a JPEG says before and between its coefficients, read without decoding any of them.
///
/// - **Source**: ITU-T T.81 annex B; colour by the rules of libjpeg (JFIF, then Adobe, then component ids).
/// - **Cost**: one search for 0xFF over the file.
package struct JPEGHeader: Sendable {
    /// One marker segment of the source: marker byte, two bytes of length and payload.
    package struct Segment: Sendable {
        /// The second byte of the marker, 0xE1 for APP1.
        package let marker: UInt8
        /// From the marker's 0xFF to the end of its payload.
        package let range: Range<Int>
        /// The payload, after the length.
        package var payload: Range<Int> { min(range.lowerBound + 4, range.upperBound)..<range.upperBound }
    }

    /// A colour component and how it is stored.
    package struct Component: Sendable {
        package let id: UInt8
        /// Sampling factors.
        package let h: Int
        package let v: Int
        package let quantTable: Int
        /// The table in force at the component's first scan, in zigzag order; empty when the source never defines it.
        package internal(set) var quantisation: [UInt16] = []
        /// Blocks that cover the picture.
        package internal(set) var blocksWide = 0
        package internal(set) var blocksHigh = 0
    }

    /// A scan's own header and where its entropy-coded bytes lie.
    package struct Scan: Sendable {
        package let segment: Range<Int>
        /// Indexes into `components`, with DC and AC table of each.
        package let components: [Int]
        package let dcTables: [Int]
        package let acTables: [Int]
        package let spectral: ClosedRange<Int>
        /// Successive approximation: bit position before and in this scan.
        package let high: Int
        package let low: Int
        package let restartInterval: Int
        /// Entropy-coded bytes, restart markers included.
        package let data: Range<Int>
    }

    /// A DHT definition in force at the first scan.
    struct Definition: Sendable {
        let table: HuffmanTable
        let segment: Int
        /// Its place in the source, from the class and id byte to the last symbol.
        let range: Range<Int>
    }

    /// How samples mean colour.
    package enum Colour: Sendable, Equatable {
        case grey, yCbCr, rgb, cmyk, ycck, unknown

        /// Colour channels of a patch for such a picture.
        package var channels: Int {
            switch self {
            case .grey: 1
            case .yCbCr, .rgb: 3
            case .cmyk, .ycck: 4
            case .unknown: 0
            }
        }
    }

    package internal(set) var width = 0
    package internal(set) var height = 0
    package internal(set) var precision = 0
    /// The frame's marker: 0xC0 baseline, 0xC1 extended, 0xC2 progressive, 0xC9 and 0xCA arithmetic.
    package internal(set) var frame: UInt8 = 0
    package internal(set) var components: [Component] = []
    package internal(set) var segments: [Segment] = []
    package internal(set) var scans: [Scan] = []
    package internal(set) var colour = Colour.unknown
    package internal(set) var hasJFIF = false
    /// The transform of an Adobe APP14 segment.
    package internal(set) var adobeTransform: Int?
    /// JFIF density: unit (0 none, 1 inch, 2 cm), x and y.
    package internal(set) var density: (unit: Int, x: Int, y: Int)?
    /// After the end-of-image marker: other pictures, gain maps, films, or nothing. Empty at the end when the marker is missing.
    package internal(set) var trailer = 0..<0
    package internal(set) var hasEnd = false
    /// What decoders put up with and a splicer does not.
    package internal(set) var oddities: [String] = []
    /// Huffman tables in force at the first scan, DC 0…3 and AC 0…3.
    var huffman: [Definition?] = Array(repeating: nil, count: 8)

    package var isProgressive: Bool { frame == 0xC2 || frame == 0xCA }
    package var isArithmetic: Bool { frame >= 0xC9 }
    package var restartInterval: Int { scans.first?.restartInterval ?? 0 }
    package var maxH: Int { components.reduce(1) { max($0, $1.h) } }
    package var maxV: Int { components.reduce(1) { max($0, $1.v) } }
    /// CMYK as Adobe stores it: 255 is no ink. Where no Adobe segment says so readers differ; this follows libvips, which takes
    /// every CMYK JPEG for one of these, so that a label has the same colours on both paths.
    package var isInverted: Bool { components.count == 4 }

    /// The Huffman tables of the first scan: DC or AC, 0…3.
    package func huffmanTable(dc: Bool, _ index: Int) -> HuffmanTable? { huffman[(dc ? 0 : 4) + index]?.table }

    /// - Errors: `SpliceError.damaged` for what no decoder could read.
    package init(_ source: UnsafeRawBufferPointer) throws {
        var parser = JPEGParser(source)
        self = try parser.parse()
    }

    init() {}
}

/// Reads marker after marker, and believes none of them.
struct JPEGParser {
    private let source: UnsafeRawBufferPointer
    private var position = 2
    private var header = JPEGHeader()
    private var quantisation: [[UInt16]] = Array(repeating: [], count: 4)
    private var huffman: [JPEGHeader.Definition?] = Array(repeating: nil, count: 8)
    private var restartInterval = 0

    init(_ source: UnsafeRawBufferPointer) { self.source = source }

    mutating func parse() throws -> JPEGHeader {
        guard source.count >= 4, source[0] == 0xFF, source[1] == 0xD8 else { throw SpliceError.damaged("no JPEG signature") }
        while let marker = try nextMarker() {
            if marker == 0xD9 {
                header.hasEnd = true
                header.trailer = position..<source.count
                break
            }
            try segment(marker)
        }
        if !header.hasEnd { header.trailer = source.count..<source.count }
        guard header.frame != 0 else { throw SpliceError.damaged("no frame header") }
        guard !header.scans.isEmpty else { throw SpliceError.damaged("no scan") }
        header.colour = colour()
        return header
    }

    /// The next marker after fill bytes; `position` is then behind it. `nil` at the end of the file.
    private mutating func nextMarker() throws -> UInt8? {
        let start = position
        while position < source.count && source[position] != 0xFF { position += 1 }
        if position > start { header.oddities.append("stray bytes at \(start)") }
        while position < source.count && source[position] == 0xFF { position += 1 }
        guard position < source.count else {
            position = source.count
            return nil
        }
        position += 1
        return source[position - 1]
    }

    private mutating func segment(_ marker: UInt8) throws {
        let start = position - 2
        if marker == 0x01 || marker == 0 || (0xD0...0xD8).contains(marker) {
            header.oddities.append("marker FF\(hex(marker)) out of place at \(start)")
            return
        }
        guard position + 2 <= source.count else { throw SpliceError.damaged("cut off in a marker at \(start)") }
        let length = word(position)
        guard length >= 2, position + length <= source.count else {
            throw SpliceError.damaged("cut off in segment FF\(hex(marker)) at \(start)")
        }
        let segment = JPEGHeader.Segment(marker: marker, range: start..<position + length)
        header.segments.append(segment)
        position += length
        let payload = segment.payload
        switch marker {
        case 0xC4: try huffmanTables(payload)
        case 0xDB: try quantTables(payload)
        case 0xDD:
            guard payload.count == 2 else { throw bad(segment) }
            restartInterval = word(payload.lowerBound)
        case 0xDA: try scan(segment)
        case 0xC0...0xCF where marker != 0xC8 && marker != 0xCC: try frame(segment)
        case 0xDC: header.oddities.append("height given after the scan (DNL)")
        case 0xE0: jfif(payload)
        case 0xEE: adobe(payload)
        default: break
        }
    }

    private func word(_ at: Int) -> Int { Int(source[at]) << 8 | Int(source[at + 1]) }

    private func hex(_ byte: UInt8) -> String { String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }

    private func bad(_ segment: JPEGHeader.Segment) -> SpliceError {
        .damaged("segment FF\(hex(segment.marker)) at \(segment.range.lowerBound) is malformed")
    }

    private func begins(_ range: Range<Int>, with text: StaticString, atLeast count: Int) -> Bool {
        range.count >= max(count, text.utf8CodeUnitCount)
            && memcmp(source.baseAddress! + range.lowerBound, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    private mutating func jfif(_ payload: Range<Int>) {
        guard begins(payload, with: "JFIF\0", atLeast: 12) else { return }
        header.hasJFIF = true
        let at = payload.lowerBound
        header.density = (Int(source[at + 7]), word(at + 8), word(at + 10))
    }

    private mutating func adobe(_ payload: Range<Int>) {
        guard begins(payload, with: "Adobe", atLeast: 12) else { return }
        header.adobeTransform = Int(source[payload.lowerBound + 11])
    }

    private mutating func frame(_ segment: JPEGHeader.Segment) throws {
        let payload = segment.payload
        guard header.frame == 0 else { throw SpliceError.damaged("two frame headers") }
        guard payload.count >= 6 else { throw bad(segment) }
        let at = payload.lowerBound
        let count = Int(source[at + 5])
        guard count > 0, payload.count == 6 + 3 * count else { throw bad(segment) }
        header.frame = segment.marker
        header.precision = Int(source[at])
        header.height = word(at + 1)
        header.width = word(at + 3)
        guard header.width > 0 else { throw SpliceError.damaged("a width of 0") }
        for index in 0..<count {
            let entry = at + 6 + 3 * index
            let component = JPEGHeader.Component(
                id: source[entry], h: Int(source[entry + 1] >> 4), v: Int(source[entry + 1] & 15),
                quantTable: Int(source[entry + 2]))
            guard 1...4 ~= component.h, 1...4 ~= component.v, component.quantTable < 4 else { throw bad(segment) }
            header.components.append(component)
        }
        if header.height == 0 { header.oddities.append("no height in the frame header") }
        let maxH = header.maxH
        let maxV = header.maxV
        for index in header.components.indices {
            let (h, v) = (header.components[index].h, header.components[index].v)
            header.components[index].blocksWide = (header.width * h + 8 * maxH - 1) / (8 * maxH)
            header.components[index].blocksHigh = (header.height * v + 8 * maxV - 1) / (8 * maxV)
        }
    }

    private mutating func quantTables(_ payload: Range<Int>) throws {
        var at = payload.lowerBound
        while at < payload.upperBound {
            let wide = source[at] >> 4 != 0
            let index = Int(source[at] & 15)
            let size = wide ? 128 : 64
            guard source[at] >> 4 < 2, index < 4, at + 1 + size <= payload.upperBound else {
                throw SpliceError.damaged("quantisation table at \(at) is malformed")
            }
            at += 1
            let values = (0..<64).map { wide ? UInt16(word(at + 2 * $0)) : UInt16(source[at + $0]) }
            if values.contains(0) { header.oddities.append("a quantisation step of 0") }
            quantisation[index] = values
            at += size
        }
    }

    private mutating func huffmanTables(_ payload: Range<Int>) throws {
        var at = payload.lowerBound
        while at < payload.upperBound {
            let start = at
            guard at + 17 <= payload.upperBound, source[at] >> 4 < 2, source[at] & 15 < 4 else {
                throw SpliceError.damaged("Huffman table at \(start) is malformed")
            }
            let index = Int(source[at] >> 4) * 4 + Int(source[at] & 15)
            let counts = (1...16).map { source[at + $0] }
            let total = counts.reduce(0) { $0 + Int($1) }
            at += 17
            guard total <= 256, at + total <= payload.upperBound else {
                throw SpliceError.damaged("Huffman table at \(start) is malformed")
            }
            let table = HuffmanTable(counts: counts, symbols: Array(source[at..<at + total]))
            at += total
            guard table.freeCodes != nil, Set(table.symbols).count == total, index >= 4 || table.symbols.allSatisfy({ $0 <= 16 })
            else {
                throw SpliceError.damaged("Huffman table at \(start) is no prefix code")
            }
            huffman[index] = JPEGHeader.Definition(table: table, segment: header.segments.count - 1, range: start..<at)
        }
    }

    private mutating func scan(_ segment: JPEGHeader.Segment) throws {
        let payload = segment.payload
        let at = payload.lowerBound
        guard header.frame != 0 else { throw SpliceError.damaged("a scan before the frame header") }
        guard payload.count >= 6, 1...4 ~= Int(source[at]), payload.count == 4 + 2 * Int(source[at]) else { throw bad(segment) }
        var indexes: [Int] = []
        var dc: [Int] = []
        var ac: [Int] = []
        for entry in 0..<Int(source[at]) {
            let id = source[at + 1 + 2 * entry]
            let tables = source[at + 2 + 2 * entry]
            guard let index = header.components.indices.first(where: { header.components[$0].id == id && !indexes.contains($0) }),
                tables >> 4 < 4, tables & 15 < 4
            else { throw bad(segment) }
            indexes.append(index)
            dc.append(Int(tables >> 4))
            ac.append(Int(tables & 15))
            if header.components[index].quantisation.isEmpty {
                header.components[index].quantisation = quantisation[header.components[index].quantTable]
            }
        }
        let last = payload.upperBound - 3
        let (start, end) = (Int(source[last]), Int(source[last + 1]))
        guard start <= end, end < 64 else { throw bad(segment) }
        if header.scans.isEmpty { header.huffman = huffman }
        let data = position..<dataEnd()
        header.scans.append(
            JPEGHeader.Scan(
                segment: segment.range, components: indexes, dcTables: dc, acTables: ac, spectral: start...end,
                high: Int(source[last + 2] >> 4), low: Int(source[last + 2] & 15), restartInterval: restartInterval, data: data))
        position = data.upperBound
    }

    /// The end of entropy-coded data from `position` on: the first marker that is no restart.
    private func dataEnd() -> Int {
        var at = position
        while at + 1 < source.count {
            guard let found = memchr(source.baseAddress! + at, 0xFF, source.count - at - 1) else { return source.count }
            at = UnsafeRawPointer(found) - source.baseAddress!
            let next = source[at + 1]
            if next != 0 && !(0xD0...0xD7).contains(next) { return at }
            at += 2
        }
        return source.count
    }

    private func colour() -> JPEGHeader.Colour {
        switch header.components.count {
        case 1: return .grey
        case 3:
            if header.hasJFIF { return .yCbCr }
            if let transform = header.adobeTransform { return transform == 0 ? .rgb : .yCbCr }
            return header.components.map(\.id) == [0x52, 0x47, 0x42] ? .rgb : .yCbCr
        case 4: return header.adobeTransform.map { $0 == 0 } ?? true ? .cmyk : .ycck
        default: return .unknown
        }
    }
}
