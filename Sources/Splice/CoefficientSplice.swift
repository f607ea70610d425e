import CShim

// The second path: libjpeg reads all coefficients and writes them again, the blocks under the label changed in between. The
// source's own header stays in front; only what describes the coding (DHT, DAC, DRI) is libjpeg's.

extension JPEGSplicer {
    /// The segments before the first scan that libjpeg writes anew.
    var withoutCoding: [Edit] {
        header.segments.filter {
            [0xC4, 0xCC, 0xDD].contains($0.marker) && $0.range.lowerBound < header.scans[0].segment.lowerBound
        }
        .map { Edit(range: $0.range, bytes: []) }
    }

    /// Reads all coefficients, only to know that the source is whole.
    func verifyCoefficients(_ options: Options) throws {
        let picture = try opened(options)
        defer { jpeg_shim_coefficients_free(picture) }
        try checkRange(picture)
    }

    /// Damaged arithmetic coding gives any number, without a warning; libjpeg would write what it cannot read again.
    private func checkRange(_ picture: OpaquePointer) throws {
        guard header.isArithmetic else { return }
        for (number, component) in header.components.enumerated() {
            for row in 0..<component.blocksHigh {
                let blocks = try rows(number, 1, row, picture)[0]
                for index in 0..<component.blocksWide * 64 where blocks[index].magnitude > 4095 {
                    throw SpliceError.damaged("a coefficient of \(blocks[index])")
                }
            }
        }
    }

    /// Everything behind the frame header, from the first table to the end-of-image marker.
    func coefficients(_ patches: [Patch], _ cells: TouchedCells, _ mcus: TouchedCells, _ options: Options) throws -> [UInt8] {
        let picture = try opened(options)
        defer { jpeg_shim_coefficients_free(picture) }
        try checkRange(picture)
        try draw(patches, cells, mcus, picture)
        let output = try written(picture)
        return try output.withUnsafeBytes { bytes in
            let written = try JPEGHeader(bytes)
            guard let frame = written.segments.first(where: { $0.marker == written.frame }) else { return [] }
            return segmentsBetweenScans + bytes[frame.range.upperBound...]
        }
    }

    /// Comments and the like that stand between the source's scans; they go before the first.
    private var segmentsBetweenScans: [UInt8] {
        header.segments.filter {
            ((0xE0...0xEF).contains($0.marker) || $0.marker == 0xFE) && $0.range.lowerBound > header.scans[0].segment.lowerBound
        }.flatMap { source[$0.range] }
    }

    private func opened(_ options: Options) throws -> OpaquePointer {
        let bytes = header.components.reduce(0) { sum, component in
            let wide = (component.blocksWide + component.h - 1) / component.h * component.h
            let high = (component.blocksHigh + component.v - 1) / component.v * component.v
            return sum + wide * high * 128
        }
        if options.coefficientMemory > 0 && bytes > options.coefficientMemory {
            throw Unsuitable("its coefficients take \(bytes >> 20) MB, \(options.coefficientMemory >> 20) MB are allowed")
        }
        guard header.scans.count <= 200 else { throw Unsuitable("\(header.scans.count) scans") }
        guard let picture = jpeg_shim_coefficients_new() else { throw Unsuitable("libjpeg cannot be started") }
        let address = source.baseAddress!.assumingMemoryBound(to: UInt8.self)
        // Behind the end-of-image marker is nothing of libjpeg's business.
        if jpeg_shim_coefficients_read(picture, address, header.trailer.lowerBound, 0) != 0 {
            let message = String(cString: jpeg_shim_coefficients_message(picture))
            jpeg_shim_coefficients_free(picture)
            throw SpliceError.damaged("libjpeg: \(message)")
        }
        return picture
    }

    private func draw(_ patches: [Patch], _ cells: TouchedCells, _ mcus: TouchedCells, _ picture: OpaquePointer) throws {
        let single = header.components.count == 1
        let (maxH, maxV) = single ? (1, 1) : (header.maxH, header.maxV)
        let tile = try LabelTile(patches, header, width: 8 * maxH, height: 8 * maxV)
        let blend = BlockBlend(tile, header)
        var index = mcus.next(from: 0)
        var row = -1
        var blocks: [[UnsafeMutablePointer<Int16>]] = []
        while index < mcus.columns * mcus.rows {
            let column = index % mcus.columns
            if index / mcus.columns != row {
                row = index / mcus.columns
                blocks = try (0..<header.components.count).map {
                    try rows($0, single ? 1 : header.components[$0].v, row, picture)
                }
            }
            tile.compose(x: column * 8 * maxH, y: row * 8 * maxV)
            for (number, component) in header.components.enumerated() {
                let (h, v) = single ? (1, 1) : (component.h, component.v)
                let (wide, high) = (maxH / h, maxV / v)
                for y in 0..<v {
                    for x in 0..<h
                    where cells.touches(column: column * maxH + x * wide, row: row * maxV + y * high, width: wide, height: high) {
                        _ = blend.blend(blocks[number][y] + (column * h + x) * 64, component: number, column: x, row: y)
                    }
                }
            }
            index = mcus.next(from: index + 1)
        }
    }

    /// The rows of blocks of one component in a row of MCUs. libjpeg pads its arrays to whole MCUs.
    private func rows(_ component: Int, _ count: Int, _ row: Int, _ picture: OpaquePointer) throws -> [UnsafeMutablePointer<
        Int16
    >] {
        try (0..<count).map { y in
            guard let blocks = jpeg_shim_coefficients_row(picture, Int32(component), Int32(row * count + y)) else {
                throw SpliceError.damaged("libjpeg: \(String(cString: jpeg_shim_coefficients_message(picture)))")
            }
            return blocks
        }
    }

    private func written(_ picture: OpaquePointer) throws -> [UInt8] {
        final class Bytes { var all: [UInt8] = [] }
        let output = Bytes()
        output.all.reserveCapacity(source.count + source.count / 8)
        let sink: jpeg_shim_sink = { context, bytes, count in
            Unmanaged<Bytes>.fromOpaque(context!).takeUnretainedValue().all
                .append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            return 0
        }
        let context = Unmanaged.passUnretained(output).toOpaque()
        let script = (JPEGSettings.like(header)?.scans ?? []).map(jpeg_shim_scan.init)
        let interval = Int32(header.restartInterval)
        if !script.isEmpty {
            if jpeg_shim_coefficients_write(picture, script, Int32(script.count), interval, sink, context) == 0 {
                return output.all
            }
            output.all.removeAll(keepingCapacity: true)
        }
        // No script, or one that libjpeg reads but does not write.
        if jpeg_shim_coefficients_write(picture, nil, 0, interval, sink, context) != 0 {
            throw Unsuitable("libjpeg: \(String(cString: jpeg_shim_coefficients_message(picture)))")
        }
        return output.all
    }
}
