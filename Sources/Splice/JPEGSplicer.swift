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
        /// A JPEG that takes the place of the EXIF thumbnail. Without one it gets the label too, or is dropped.
        package var thumbnail: [UInt8]?
        /// Goes through libjpeg's coefficients even where the stream could be edited.
        package var coefficientsOnly = false
        /// Codes every MCU again, touched or not. The result is the same picture; for tests.
        package var rewriteAll = false

        package init() {}
    }

    package internal(set) var header: JPEGHeader
    let source: UnsafeRawBufferPointer

    /// - Parameter source: a whole file; must outlive the splicer.
    package init(_ source: UnsafeRawBufferPointer) throws {
        self.source = source
        header = try JPEGHeader(source)
    }

    /// Writes the picture with the patches drawn, in their order, to a sink.
    package func splice(_ patches: [Patch], options: Options = Options(), to sink: ByteSink) throws -> JPEGSpliceOutcome {
        guard header.hasEnd else { throw SpliceError.damaged("the end-of-image marker is missing") }
        if let reason = unsuitable { return .unsuitable(reason: reason) }
        guard patches.allSatisfy({ abs($0.x) < 1 << 30 && abs($0.y) < 1 << 30 }) else {
            throw SpliceError.invalid("a patch far outside every picture")
        }
        do {
            return try spliceOrNot(patches, options, sink)
        } catch let obstacle as Unsuitable {
            return .unsuitable(reason: obstacle.reason)
        }
    }

    /// Splices a tile of a TIFF behind the tables that it shares with others: the stream or nothing, and no previews.
    func spliceTile(_ patches: [Patch], fixed: Int, to sink: ByteSink) throws {
        guard header.hasEnd else { throw SpliceError.damaged("the end-of-image marker is missing") }
        if let reason = unsuitable ?? streamObstacle { throw Unsuitable(reason) }
        let cells = TouchedCells(patches, width: header.width, height: header.height)
        guard let walked = try walk(patches, cells, Options(), fixed: fixed) else {
            throw Unsuitable("its Huffman tables have no room for the label's codes")
        }
        let data = header.scans[0].data
        for piece in rewritten(0..<data.lowerBound, walked.edits) { try piece.write(source, to: sink) }
        try walked.script.write(source, data, to: sink)
        try sink(source.part(data.upperBound..<source.count))
    }

    private func spliceOrNot(_ patches: [Patch], _ options: Options, _ sink: ByteSink) throws -> JPEGSpliceOutcome {
        let cells = TouchedCells(patches, width: header.width, height: header.height)
        let mcus = header.components.count == 1 ? cells : cells.grouped(width: header.maxH, height: header.maxV)
        let touched = mcus.count
        let total = mcus.columns * mcus.rows
        let share = Double(touched) / Double(total)
        if share > options.limit { throw Unsuitable("the label touches \(Int((share * 100).rounded()))% of the picture") }
        let previews =
            touched == 0 ? nil : JPEGPreviews(source, header, thumbnail: options.thumbnail ?? labelledThumbnail(patches))
        let notes = previews?.notes ?? []
        var reason = streamObstacle ?? (options.coefficientsOnly ? "as asked" : nil)
        if reason == nil {
            if let walked = try walk(patches, cells, options) {
                let data = header.scans[0].data
                let body = Body(
                    start: data.lowerBound, edits: walked.edits, rest: data.upperBound,
                    write: { try walked.script.write(source, data, to: $0) })
                try write(body, previews, to: sink)
                return .spliced(mode: "splice-stream", touchedMCUs: touched, totalMCUs: total, notes: walked.notes + notes)
            }
            reason = "the source's Huffman tables have no room for the label's codes"
        }
        if touched == 0 {
            try verifyCoefficients(options)
            try sink(source)
        } else {
            let bytes = try coefficients(patches, cells, mcus, options)
            let body = Body(
                start: header.scans[0].segment.lowerBound, edits: withoutCoding, rest: header.trailer.lowerBound,
                write: { try bytes.write(to: $0) })
            try write(body, previews, to: sink)
        }
        return .spliced(
            mode: "splice-coefficients", touchedMCUs: touched, totalMCUs: total,
            notes: ["by coefficients: \(reason ?? "")"] + notes)
    }

    /// What takes the place of the source's coded data.
    private struct Body {
        /// Up to here the source's bytes stay, but for the edits.
        let start: Int
        let edits: [Edit]
        /// From here on they stay again.
        let rest: Int
        let write: (ByteSink) throws -> Void
    }

    private func write(_ body: Body, _ previews: JPEGPreviews?, to sink: ByteSink) throws {
        var edits = body.edits + (previews?.edits ?? [])
        let dropped = previews?.dropped ?? []
        if let index = previews?.index {
            // The index stands before the picture and has its size: the body is written once to be counted.
            var size = body.start + edits.reduce(0) { $0 + $1.bytes.count - $1.range.count }
            try body.write { size += $0.count }
            size += header.trailer.lowerBound - body.rest
            let payloadAt = edits.filter { $0.range.upperBound <= index.payload.lowerBound }
                .reduce(index.payload.lowerBound) { $0 + $1.bytes.count - $1.range.count }
            let payload = index.patched(size: size, payloadAt: payloadAt) { position in
                let gone = dropped.filter { $0.upperBound <= position }.reduce(0) { $0 + $1.count }
                return size + position - header.trailer.lowerBound - gone
            }
            edits.append(Edit(range: index.payload, bytes: payload))
        }
        for piece in rewritten(0..<body.start, edits) { try piece.write(source, to: sink) }
        try body.write(sink)
        try Piece.source(body.rest..<header.trailer.lowerBound).write(source, to: sink)
        for range in JPEGPreviews.rest(of: header.trailer, without: dropped) { try sink(source.part(range)) }
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

    /// Walks the scan; once more, with codes added to the tables, if some are missing. `nil` if no room can be made for them.
    ///
    /// - Parameter fixed: so many bytes of the source stay as they are, and others share them: a table defined there may only get
    ///   more codes, in a segment of its own behind.
    private func walk(
        _ patches: [Patch], _ cells: TouchedCells, _ options: Options, fixed: Int = 0
    ) throws -> (script: EditScript, edits: [Edit], notes: [String])? {
        var tables = header.huffman.map { $0?.table }
        func walker() throws -> ScanWalker {
            let walker = try ScanWalker(
                source, header, patches: patches, cells: cells, tables: tables, rewriteAll: options.rewriteAll)
            try walker.walk()
            return walker
        }
        let first = try walker()
        if first.missing.allSatisfy(\.isEmpty) { return (first.script, [], []) }
        var edits: [Edit] = []
        var growth: [Int: Int] = [:]
        for index in 0..<8 where !first.missing[index].isEmpty {
            let missing = first.missing[index].sorted()
            guard let definition = header.huffman[index] else { return nil }
            let isFixed = definition.range.lowerBound < fixed
            guard let longer = definition.table.adding(missing) ?? (isFixed ? nil : definition.table.makingRoom(for: missing))
            else {
                return nil
            }
            tables[index] = longer
            let bytes = [source[definition.range.lowerBound]] + longer.counts + longer.symbols
            if isFixed {
                edits.append(Edit(range: fixed..<fixed, bytes: [0xFF, 0xC4] + bigEndian(bytes.count + 2) + bytes))
            } else {
                edits.append(Edit(range: definition.range, bytes: bytes))
                growth[definition.segment, default: 0] += missing.count
            }
        }
        for (segment, more) in growth {
            let range = header.segments[segment].range
            edits.append(Edit(range: range.lowerBound + 2..<range.lowerBound + 4, bytes: bigEndian(range.count - 2 + more)))
        }
        let second = try walker()
        guard second.missing.allSatisfy(\.isEmpty) else { return nil }
        return (second.script, edits, ["Huffman codes added for the label"])
    }

    /// A range of the source with some edits.
    func rewritten(_ range: Range<Int>, _ edits: [Edit]) -> [Piece] {
        var pieces: [Piece] = []
        var done = range.lowerBound
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) where edit.range.lowerBound >= done {
            pieces += [.source(done..<edit.range.lowerBound), .bytes(edit.bytes)]
            done = edit.range.upperBound
        }
        return pieces + [.source(done..<range.upperBound)]
    }
}

/// New bytes in the place of some of the source's.
struct Edit {
    var range: Range<Int>
    var bytes: [UInt8]
}

/// Why a picture is left to the full path, thrown from wherever it turns out.
struct Unsuitable: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

func bigEndian(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)] }
