import CShim

/// How a JPEG is to be coded.
package struct JPEGSettings: Sendable {
    /// Which Huffman codes are written.
    package enum Huffman: Sendable {
        /// The example tables of T.81, annex K.
        case standard
        /// Made for the picture: smaller, but all coefficients are held, two bytes a sample.
        case optimised
        /// DC 0, 1 and AC 0, 1.
        case tables(dc: [HuffmanTable], ac: [HuffmanTable])
    }

    /// Chroma sampling of YCbCr.
    package enum Subsampling: Sendable {
        case s444, s422, s420
    }

    /// A scan of a script, as `JPEGHeader.Scan` has it.
    package struct Scan: Sendable {
        package var components: [Int]
        package var spectral: ClosedRange<Int>
        package var high: Int
        package var low: Int

        package init(components: [Int], spectral: ClosedRange<Int>, high: Int, low: Int) {
            self.components = components
            self.spectral = spectral
            self.high = high
            self.low = low
        }
    }

    /// How samples are stored; decides what rows look like: grey 1, RGB 3, CMYK 4 bytes a px.
    package var colour: JPEGHeader.Colour
    /// Four channels are stored as Adobe does, 255 for no ink.
    package var isInverted = true
    /// libjpeg's quality, used where `quantisation` is empty.
    package var quality = 90
    /// A table for each component, 64 steps in zigzag order.
    package var quantisation: [[UInt16]] = []
    /// Sampling factors of each component; all 1 where there are none.
    package var sampling: [SIMD2<Int>] = []
    package var isProgressive = false
    package var isArithmetic = false
    /// In MCUs; 0 for none.
    package var restartInterval = 0
    package var huffman = Huffman.standard
    /// A script of scans; empty for the usual ones.
    package var scans: [Scan] = []
    /// Writes a JFIF segment when the colours allow one and none is given.
    package var writesJFIF = true

    /// Writes an Adobe segment where the colours want one and none is given.
    package var writesAdobe = true

    package init(colour: JPEGHeader.Colour) { self.colour = colour }

    /// A quality from 1 to 100 with libjpeg's tables.
    package static func quality(
        _ quality: Int, subsampling: Subsampling = .s444, colour: JPEGHeader.Colour = .yCbCr
    ) -> JPEGSettings {
        var settings = JPEGSettings(colour: colour)
        settings.quality = quality
        let luma = [Subsampling.s444: SIMD2(1, 1), .s422: SIMD2(2, 1), .s420: SIMD2(2, 2)][subsampling]!
        if colour == .yCbCr { settings.sampling = [luma, SIMD2(1, 1), SIMD2(1, 1)] }
        if colour == .ycck { settings.sampling = [luma, SIMD2(1, 1), SIMD2(1, 1), luma] }
        return settings
    }

    /// A source's own tables, sampling, progression, restart interval and, if they hold every symbol, Huffman codes. `nil` when
    /// libjpeg cannot write such a file: more than 8 bits, lossless, fractional sampling.
    package static func like(_ header: JPEGHeader) -> JPEGSettings? {
        guard header.precision == 8, [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(header.frame), header.colour != .unknown,
            header.components.allSatisfy({ header.maxH % $0.h == 0 && header.maxV % $0.v == 0 && $0.quantisation.count == 64 })
        else { return nil }
        var settings = JPEGSettings(colour: header.colour)
        settings.isInverted = header.isInverted
        settings.quantisation = header.components.map(\.quantisation)
        settings.sampling = header.components.map { SIMD2($0.h, $0.v) }
        if header.components.count == 1 { settings.sampling = [SIMD2(1, 1)] }
        settings.isProgressive = header.isProgressive
        settings.isArithmetic = header.isArithmetic
        settings.restartInterval = header.restartInterval
        settings.huffman = huffman(of: header).map { .tables(dc: $0.dc, ac: $0.ac) } ?? .optimised
        settings.writesJFIF = header.hasJFIF
        settings.writesAdobe = header.adobeTransform != nil
        if header.scans.count > 1 {
            settings.scans = header.scans.map {
                Scan(components: $0.components.sorted(), spectral: $0.spectral, high: $0.high, low: $0.low)
            }
        }
        return settings
    }

    /// The source's tables in libjpeg's two places, if they are complete and each place has only one.
    private static func huffman(of header: JPEGHeader) -> (dc: [HuffmanTable], ac: [HuffmanTable])? {
        guard header.scans.count == 1, !header.isProgressive, !header.isArithmetic else { return nil }
        let scan = header.scans[0]
        guard scan.components.count == header.components.count else { return nil }
        var dc: [HuffmanTable?] = [nil, nil]
        var ac: [HuffmanTable?] = [nil, nil]
        for (index, component) in scan.components.enumerated() {
            let isChroma = (header.colour == .yCbCr || header.colour == .ycck) && (component == 1 || component == 2)
            let place = isChroma ? 1 : 0
            guard let itsDC = header.huffmanTable(dc: true, scan.dcTables[index]), itsDC.isComplete(dc: true),
                let itsAC = header.huffmanTable(dc: false, scan.acTables[index]), itsAC.isComplete(dc: false),
                dc[place] == nil || dc[place] == itsDC, ac[place] == nil || ac[place] == itsAC
            else { return nil }
            dc[place] = itsDC
            ac[place] = itsAC
        }
        return (dc.compactMap { $0 }, ac.compactMap { $0 })
    }
}

/// A marker segment to be written: APPn or COM.
package struct JPEGSegment: Sendable, Equatable {
    package var marker: UInt8
    package var payload: [UInt8]

    package init(marker: UInt8, payload: [UInt8]) {
        self.marker = marker
        self.payload = payload
    }

    /// The APPn and COM segments of a source, in order.
    package static func all(of header: JPEGHeader, in source: UnsafeRawBufferPointer) -> [JPEGSegment] {
        header.segments.filter { (0xE0...0xEF).contains($0.marker) || $0.marker == 0xFE }.map {
            JPEGSegment(marker: $0.marker, payload: Array(source[$0.payload]))
        }
    }

    func begins(with text: StaticString) -> Bool {
        payload.starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

/// Encodes rows of 8-bit samples as they come, by libjpeg.
///
/// - **Shape**: rows of grey, RGB or CMYK (as ink: 0 is none), top to bottom, `height` of them.
/// - **Errors**: `SpliceError.invalid` with libjpeg's words; what the sink throws.
/// - **Cost**: a few rows, unless the picture is progressive or its Huffman codes are optimised: then two bytes a sample.
package final class JPEGEncoder {
    /// What libjpeg's callback needs: the sink, and what it threw.
    private final class Output {
        let sink: ByteSink
        var error: (any Error)?

        init(_ sink: @escaping ByteSink) { self.sink = sink }
    }

    private let output: Output
    private let encoder: OpaquePointer
    private let bytesPerRow: Int
    private let inverts: Bool
    private var inverted: [UInt8]

    /// Writes everything up to the first row.
    ///
    /// - Parameter segments: APPn and COM segments, written in this order before the tables. An Adobe segment is added where
    ///   the colours could not be told without one.
    package init(
        width: Int, height: Int, settings: JPEGSettings, segments: [JPEGSegment] = [], sink: @escaping ByteSink
    ) throws {
        guard 1...65500 ~= width, 1...65500 ~= height else {
            throw SpliceError.invalid("a JPEG of \(width)×\(height); the format ends at 65500")
        }
        guard settings.colour != .unknown else { throw SpliceError.invalid("a JPEG of unknown colours") }
        output = Output(sink)
        bytesPerRow = width * settings.colour.channels
        inverts = settings.colour.channels == 4 && settings.isInverted
        inverted = [UInt8](repeating: 0, count: inverts ? bytesPerRow : 0)
        encoder = try Self.prepared(width, height, settings, output)
        for segment in Self.completed(settings, segments) {
            guard segment.payload.count <= 65533 else { throw SpliceError.invalid("a segment of \(segment.payload.count) bytes") }
            try check(jpeg_shim_encoder_marker(encoder, Int32(segment.marker), segment.payload, segment.payload.count))
        }
    }

    deinit { jpeg_shim_encoder_free(encoder) }

    /// Encodes the next `count` rows, `stride` bytes apart.
    package func write(rows: UnsafeRawBufferPointer, stride: Int, count: Int) throws {
        guard count > 0 else { return }
        guard stride >= bytesPerRow, rows.count >= stride * (count - 1) + bytesPerRow else {
            throw SpliceError.invalid("rows of \(rows.count) bytes where \(count) of \(bytesPerRow) are due")
        }
        guard inverts else {
            return try check(
                jpeg_shim_encoder_rows(encoder, rows.baseAddress!.assumingMemoryBound(to: UInt8.self), stride, Int32(count)))
        }
        for row in 0..<count {
            for index in 0..<bytesPerRow { inverted[index] = 255 - rows[row * stride + index] }
            try check(jpeg_shim_encoder_rows(encoder, inverted, bytesPerRow, 1))
        }
    }

    /// Writes the rest. All rows must have come.
    package func finish() throws { try check(jpeg_shim_encoder_finish(encoder)) }

    private func check(_ result: Int32) throws { try Self.check(result, encoder, output) }

    private static func check(_ result: Int32, _ encoder: OpaquePointer, _ output: Output) throws {
        if result == 0 { return }
        if let error = output.error { throw error }
        throw SpliceError.invalid("libjpeg: \(String(cString: jpeg_shim_encoder_message(encoder)))")
    }

    /// The segments, and with them what readers need in order not to take the samples for other colours.
    private static func completed(_ settings: JPEGSettings, _ segments: [JPEGSegment]) -> [JPEGSegment] {
        let transform: UInt8? =
            switch settings.colour {
            case .rgb: 0
            case .cmyk: settings.isInverted ? 0 : nil
            case .ycck: 2
            default: nil
            }
        if let transform {
            if !settings.writesAdobe || segments.contains(where: { $0.marker == 0xEE && $0.begins(with: "Adobe") }) {
                return segments
            }
            return segments + [JPEGSegment(marker: 0xEE, payload: Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])]
        }
        guard settings.colour == .grey || settings.colour == .yCbCr, settings.writesJFIF,
            !segments.contains(where: { $0.marker == 0xE0 && $0.begins(with: "JFIF\0") })
        else { return segments }
        return [JPEGSegment(marker: 0xE0, payload: Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])] + segments
    }

    /// A started encoder. A script of scans that libjpeg refuses is replaced by the standard one.
    private static func prepared(_ width: Int, _ height: Int, _ settings: JPEGSettings, _ output: Output) throws -> OpaquePointer
    {
        do {
            return try started(width, height, settings, output)
        } catch {
            guard !settings.scans.isEmpty, output.error == nil else { throw error }
            var standard = settings
            standard.scans = []
            return try started(width, height, standard, output)
        }
    }

    private static func started(_ width: Int, _ height: Int, _ settings: JPEGSettings, _ output: Output) throws -> OpaquePointer {
        let sink: jpeg_shim_sink = { context, bytes, count in
            let output = Unmanaged<Output>.fromOpaque(context!).takeUnretainedValue()
            do {
                try output.sink(UnsafeRawBufferPointer(start: bytes, count: count))
                return 0
            } catch {
                output.error = error
                return 1
            }
        }
        guard let encoder = jpeg_shim_encoder_new(sink, Unmanaged.passUnretained(output).toOpaque()) else {
            throw SpliceError.invalid("libjpeg cannot be started")
        }
        do {
            try configure(encoder, width, height, settings, output)
            return encoder
        } catch {
            jpeg_shim_encoder_free(encoder)
            throw error
        }
    }

    private static func configure(
        _ encoder: OpaquePointer, _ width: Int, _ height: Int, _ settings: JPEGSettings, _ output: Output
    ) throws {
        func check(_ result: Int32) throws { try Self.check(result, encoder, output) }
        let colour: Int =
            switch settings.colour {
            case .grey: JPEG_SHIM_GREY
            case .rgb: JPEG_SHIM_RGB
            case .yCbCr: JPEG_SHIM_YCBCR
            case .cmyk: JPEG_SHIM_CMYK
            default: JPEG_SHIM_YCCK
            }
        try check(jpeg_shim_encoder_layout(encoder, Int32(width), Int32(height), Int32(colour)))
        let count = settings.colour == .grey ? 1 : settings.colour.channels
        var tables: [[UInt16]] = []
        if settings.quantisation.isEmpty {
            try check(jpeg_shim_encoder_quality(encoder, Int32(settings.quality)))
        } else if settings.quantisation.count != count || settings.quantisation.contains(where: { $0.count != 64 }) {
            throw SpliceError.invalid("\(settings.quantisation.count) quantisation tables for \(count) components")
        }
        for component in 0..<count {
            let isChroma = (settings.colour == .yCbCr || settings.colour == .ycck) && (component == 1 || component == 2)
            var table = isChroma ? 1 : 0
            if !settings.quantisation.isEmpty {
                let steps = settings.quantisation[component]
                table = tables.firstIndex(of: steps) ?? tables.count
                if table == tables.count {
                    tables.append(steps)
                    var natural = [UInt16](repeating: 1, count: 64)
                    for (index, step) in steps.enumerated() { natural[Int(naturalOrder[index])] = step }
                    try check(jpeg_shim_encoder_quantisation(encoder, Int32(table), natural))
                }
            }
            let sampling = component < settings.sampling.count ? settings.sampling[component] : SIMD2(1, 1)
            try check(
                jpeg_shim_encoder_component(
                    encoder, Int32(component), Int32(sampling.x), Int32(sampling.y), Int32(table)))
        }
        var isOptimised = false
        switch settings.huffman {
        case .standard: break
        case .optimised: isOptimised = true
        case .tables(let dc, let ac):
            for (isAC, list) in [(Int32(0), dc), (1, ac)] {
                for (index, table) in list.prefix(4).enumerated() {
                    try check(
                        jpeg_shim_encoder_huffman(
                            encoder, isAC, Int32(index), table.counts, table.symbols, Int32(table.symbols.count)))
                }
            }
        }
        try check(
            jpeg_shim_encoder_coding(encoder, settings.isArithmetic ? 1 : 0, isOptimised ? 1 : 0, Int32(settings.restartInterval))
        )
        let scans = settings.scans.map(jpeg_shim_scan.init)
        try scans.withUnsafeBufferPointer { scans in
            if !scans.isEmpty {
                try check(jpeg_shim_encoder_scans(encoder, scans.baseAddress, Int32(scans.count)))
            } else if settings.isProgressive {
                try check(jpeg_shim_encoder_scans(encoder, nil, 0))
            }
        }
        try check(jpeg_shim_encoder_start(encoder))
    }
}

extension jpeg_shim_scan {
    init(_ scan: JPEGSettings.Scan) {
        let c = (0..<4).map { Int32($0 < scan.components.count ? scan.components[$0] : 0) }
        self.init(
            count: Int32(scan.components.count), components: (c[0], c[1], c[2], c[3]), first: Int32(scan.spectral.lowerBound),
            last: Int32(scan.spectral.upperBound), high: Int32(scan.high), low: Int32(scan.low))
    }
}
