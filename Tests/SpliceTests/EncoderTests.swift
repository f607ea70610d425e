import Splice
import Testing

@Suite struct EncoderTests {
    /// A source's own settings give a file with the same tables, sampling, coding and intervals.
    @Test(arguments: 3000..<3100) func likeItsSource(seed: Int) throws {
        let sample = try Sample(seed: seed)
        let before = try header(sample.bytes)
        let settings = try #require(JPEGSettings.like(before))
        let kept = try segments(sample.bytes)
        let bytes = try sample.scene.encoded(settings, segments: kept)
        let after = try header(bytes)
        #expect(Probe(pixels: bytes).isClean)
        #expect(after.width == before.width && after.height == before.height && after.colour == before.colour)
        #expect(after.components.map(\.quantisation) == before.components.map(\.quantisation))
        #expect(after.components.map { [$0.h, $0.v] } == before.components.map { [$0.h, $0.v] })
        #expect(after.frame == before.frame && after.restartInterval == before.restartInterval)
        #expect(after.scans.map(\.components) == before.scans.map(\.components))
        #expect(after.scans.map(\.spectral) == before.scans.map(\.spectral))
        #expect(try segments(bytes) == kept)
        if before.scans.count == 1 && !before.isProgressive {
            #expect(bytes == Array(sample.bytes[..<before.trailer.lowerBound]))
        }
    }

    @Test func tablesOfTheSourceAreKeptWhenComplete() throws {
        var random = Seeded(8)
        let scene = Scene(width: 64, height: 64, channels: 3, random: &random)
        let standard = try header(try scene.encoded(.quality(90)))
        guard case .tables = JPEGSettings.like(standard)!.huffman else {
            Issue.record("standard tables are complete")
            return
        }
        var settings = JPEGSettings.quality(90)
        settings.huffman = .optimised
        guard case .optimised = JPEGSettings.like(try header(try scene.encoded(settings)))!.huffman else {
            Issue.record("optimised tables are not")
            return
        }
    }

    @Test func inkStaysInk() throws {
        var random = Seeded(2)
        let ink = Scene(width: 40, height: 40, channels: 4, noise: 0, random: &random)
        for colour in [JPEGHeader.Colour.cmyk, .ycck] {
            var settings = JPEGSettings(colour: colour)
            settings.quality = 100
            let stored = Probe(pixels: try ink.encoded(settings)).pixels
            let worst = zip(stored, ink.pixels).map { abs(255 - Int($0) - Int($1)) }.max()!
            #expect(worst <= 6, "\(colour)")
        }
    }

    @Test func wrongUseIsRefused() throws {
        let sink = Collected().sink
        #expect(throws: SpliceError.self) { try JPEGEncoder(width: 0, height: 1, settings: .quality(90), sink: sink) }
        #expect(throws: SpliceError.self) { try JPEGEncoder(width: 70000, height: 1, settings: .quality(90), sink: sink) }
        #expect(throws: SpliceError.self) { try JPEGEncoder(width: 1, height: 1, settings: .init(colour: .unknown), sink: sink) }
        let long = JPEGSegment(marker: 0xE1, payload: Array(repeating: 0, count: 65534))
        #expect(throws: SpliceError.self) {
            try JPEGEncoder(width: 1, height: 1, settings: .quality(90), segments: [long], sink: sink)
        }
    }

    @Test func rowsTooFewAreRefused() throws {
        let collected = Collected()
        let encoder = try JPEGEncoder(width: 8, height: 8, settings: .quality(90), sink: collected.sink)
        let rows = [UInt8](repeating: 9, count: 24 * 7)
        try rows.withUnsafeBytes { try encoder.write(rows: $0, stride: 24, count: 7) }
        #expect(throws: SpliceError.self) { try encoder.finish() }
        #expect(throws: SpliceError.self) { try rows.withUnsafeBytes { try encoder.write(rows: $0, stride: 24, count: 8) } }
    }

    @Test func aSinkThatFailsIsHeard() throws {
        var random = Seeded(8)
        let scene = Scene(width: 600, height: 600, channels: 3, noise: 60, random: &random)
        var room = 100_000
        let encoder = try JPEGEncoder(width: 600, height: 600, settings: .quality(95)) { bytes in
            room -= bytes.count
            if room < 0 { throw SpliceError.output(28) }
        }
        #expect(throws: SpliceError.output(28)) {
            try scene.pixels.withUnsafeBytes { try encoder.write(rows: $0, stride: 1800, count: 600) }
            try encoder.finish()
        }
    }
}
