/// What became of a picture that was to be spliced.
package enum JPEGSpliceOutcome: Sendable, Equatable {
    /// Done. `mode` is `splice-stream` or `splice-coefficients`; notes are for the report.
    case spliced(mode: String, touchedMCUs: Int, totalMCUs: Int, notes: [String])
    /// Nothing was written: decode, draw and encode the picture instead, and say why.
    case unsuitable(reason: String)
}

/// Draws labels into a JPEG without decoding what they do not touch.
///
/// Blocks under a label are decoded, blended and coded again with the source's own tables; all other blocks stay the same bits.
/// So do the bytes around the picture, but for previews that would stay without the label.
///
/// - **Errors**: `SpliceError.damaged` for a source that is broken, `SpliceError.invalid` for labels that do not fit its colours.
/// - **Cost**: for a sequential picture one walk over its Huffman codes and memory of the changed blocks; for others libjpeg's
///   arrays of coefficients, two bytes a sample.
/// - **Source**: `splice.md` in the design.
package struct JPEGSplicer {
    package struct Options: Sendable {
        /// The largest share of the MCUs that may be touched; above it the full path is cheaper.
        package var limit = 0.6
        /// Bytes that libjpeg may take for coefficients; 0 is no limit.
        package var coefficientMemory = 0
        /// A JPEG that takes the place of the EXIF thumbnail. Without one the thumbnail is dropped.
        package var thumbnail: [UInt8]?
        /// Goes through libjpeg's coefficients even where the stream could be edited.
        package var coefficientsOnly = false
        /// Codes every MCU again, touched or not. The result is the same picture; for tests.
        package var rewriteAll = false

        package init() {}
    }

    package let header: JPEGHeader
    private let source: UnsafeRawBufferPointer

    /// - Parameter source: a whole file; must outlive the splicer.
    package init(_ source: UnsafeRawBufferPointer) throws {
        self.source = source
        header = try JPEGHeader(source)
    }

    /// Writes the picture with the patches drawn, in their order, to a sink.
    package func splice(_ patches: [Patch], options: Options = Options(), to sink: ByteSink) throws -> JPEGSpliceOutcome {
        if let reason = unsuitable { return .unsuitable(reason: reason) }
        guard header.hasEnd else { throw SpliceError.damaged("the end-of-image marker is missing") }
        guard patches.allSatisfy({ abs($0.x) < 1 << 30 && abs($0.y) < 1 << 30 }) else {
            throw SpliceError.invalid("a patch far outside every picture")
        }
        let cells = TouchedCells(patches, width: header.width, height: header.height)
        let mcus = header.components.count == 1 ? cells : cells.grouped(width: header.maxH, height: header.maxV)
        let total = mcus.columns * mcus.rows
        let share = Double(mcus.count) / Double(total)
        if share > options.limit {
            return .unsuitable(reason: "the label touches \(Int((share * 100).rounded()))% of the picture")
        }
        if let reason = streamObstacle ?? (options.coefficientsOnly ? "asked for" : nil) {
            return .unsuitable(reason: reason)
        }
        guard let walked = try walk(patches, cells, options) else { return .unsuitable(reason: "missing Huffman codes") }
        for piece in walked.head { try piece.write(source, to: sink) }
        try walked.script.write(source, header.scans[0].data, to: sink)
        try sink(source.part(header.scans[0].data.upperBound..<source.count))
        return .spliced(mode: "splice-stream", touchedMCUs: mcus.count, totalMCUs: total, notes: walked.notes)
    }

    /// Why neither path can do it.
    private var unsuitable: String? {
        if header.frame != 0xC0 && header.frame != 0xC1 && header.frame != 0xC2 && header.frame != 0xC9 && header.frame != 0xCA {
            return "a lossless or hierarchical JPEG"
        }
        if header.precision != 8 { return "\(header.precision) bits a sample" }
        if header.colour == .unknown { return "\(header.components.count) components" }
        if let oddity = header.oddities.first { return oddity }
        if header.components.contains(where: { header.maxH % $0.h != 0 || header.maxV % $0.v != 0 }) {
            return "a fractional sampling ratio"
        }
        if header.components.contains(where: { $0.quantisation.count != 64 }) { return "a missing quantisation table" }
        if header.components.count > 1 && header.components.reduce(0, { $0 + $1.h * $1.v }) > 10 {
            return "more than 10 blocks an MCU"
        }
        return nil
    }

    /// Why the stream cannot be edited directly.
    private var streamObstacle: String? {
        if header.isArithmetic { return "arithmetic coding" }
        if header.isProgressive { return "progressive" }
        let scan = header.scans[0]
        if header.scans.count > 1 || scan.components.count != header.components.count { return "several scans" }
        if scan.spectral != 0...63 || scan.high != 0 || scan.low != 0 { return "an odd scan header" }
        return nil
    }

    /// A stretch of the output: bytes of the source or new ones.
    enum Piece {
        case source(Range<Int>)
        case bytes([UInt8])

        var count: Int {
            switch self {
            case .source(let range): range.count
            case .bytes(let bytes): bytes.count
            }
        }

        func write(_ source: UnsafeRawBufferPointer, to sink: ByteSink) throws {
            if count == 0 { return }
            switch self {
            case .source(let range): try sink(source.part(range))
            case .bytes(let bytes): try bytes.write(to: sink)
            }
        }
    }

    /// Walks the scan; once more, with codes added to the tables, if some are missing. `nil` if there is no room for them.
    private func walk(
        _ patches: [Patch], _ cells: TouchedCells, _ options: Options
    ) throws -> (script: EditScript, head: [Piece], notes: [String])? {
        var tables = header.huffman.map { $0?.table }
        let head = 0..<header.scans[0].data.lowerBound
        func walker() throws -> ScanWalker {
            let walker = try ScanWalker(
                source, header, patches: patches, cells: cells, tables: tables, rewriteAll: options.rewriteAll)
            try walker.walk()
            return walker
        }
        let first = try walker()
        if first.missing.allSatisfy(\.isEmpty) { return (first.script, [.source(head)], []) }
        var changed: [(range: Range<Int>, bytes: [UInt8], segment: Int)] = []
        for index in 0..<8 where !first.missing[index].isEmpty {
            guard let definition = header.huffman[index], let longer = definition.table.adding(first.missing[index].sorted())
            else {
                return nil
            }
            tables[index] = longer
            let bytes = [source[definition.range.lowerBound]] + longer.counts + longer.symbols
            changed.append((definition.range, bytes, definition.segment))
        }
        let second = try walker()
        guard second.missing.allSatisfy(\.isEmpty) else { return nil }
        return (second.script, rewritten(head, changed), ["Huffman codes added for the label"])
    }

    /// The bytes of `head` with some table definitions replaced and their segments' lengths corrected.
    private func rewritten(_ head: Range<Int>, _ changed: [(range: Range<Int>, bytes: [UInt8], segment: Int)]) -> [Piece] {
        var edits = changed.map { (range: $0.range, bytes: $0.bytes) }
        for segment in Set(changed.map(\.segment)) {
            let range = header.segments[segment].range
            let growth = changed.filter { $0.segment == segment }.reduce(0) { $0 + $1.bytes.count - $1.range.count }
            let length = range.count - 2 + growth
            edits.append((range.lowerBound + 2..<range.lowerBound + 4, [UInt8(length >> 8), UInt8(length & 255)]))
        }
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        var pieces: [Piece] = []
        var done = head.lowerBound
        for edit in edits {
            pieces += [.source(done..<edit.range.lowerBound), .bytes(edit.bytes)]
            done = edit.range.upperBound
        }
        return pieces + [.source(done..<head.upperBound)]
    }
}
