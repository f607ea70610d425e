import Splice
import Testing

/// Broken files: refused with a reason, never read beyond, never passed on.
@Suite struct DamageTests {
    private func small(_ change: (inout JPEGSettings) -> Void = { _ in }) throws -> [UInt8] {
        var random = Seeded(3)
        var settings = JPEGSettings.quality(80, subsampling: .s420)
        change(&settings)
        return try Scene(width: 61, height: 43, channels: settings.colour.channels, random: &random).encoded(settings)
    }

    private func label(_ channels: Int = 3) throws -> [Patch] {
        let pixels = [UInt16](repeating: 40000, count: 24 * 16 * (channels + 1))
        return [Patch(x: 30, y: 20, stamp: try Stamp(width: 24, height: 16, channels: channels, samples: .u16(pixels)))]
    }

    private static let kinds: [@Sendable (inout JPEGSettings) -> Void] = [
        { _ in }, { $0.restartInterval = 2 }, { $0.isProgressive = true }, { $0.isArithmetic = true },
        { $0.scans = [0, 1, 2].map { .init(components: [$0], spectral: 0...63, high: 0, low: 0) } },
    ]

    @Test(arguments: 0..<5) func everyTruncationIsRefused(kind: Int) throws {
        let source = try small(Self.kinds[kind])
        let patches = try label()
        for length in 0..<source.count {
            let cut = Array(source[..<length])
            #expect(throws: SpliceError.self, "cut to \(length) of \(source.count)") { try splice(cut, patches) }
        }
    }

    @Test(arguments: 0..<5) func bytesChangedAtWillAreSurvived(kind: Int) throws {
        let source = try small(Self.kinds[kind])
        let patches = try label()
        var random = Seeded(kind + 99)
        var refused = 0
        for _ in 0..<1500 {
            var bytes = source
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            guard let (outcome, output) = try? splice(bytes, patches), outcome.mode != nil else {
                refused += 1
                continue
            }
            // What is accepted must decode as well as it did.
            let (before, after) = (Probe(coefficients: bytes), Probe(coefficients: output))
            #expect(!before.isClean || after.isClean, "\(after.message)")
        }
        #expect(refused > 100)
    }

    @Test func reasonsAreNamed() throws {
        let source = try small()
        let scan = try header(source).scans[0]
        let middle = (scan.data.lowerBound + scan.data.upperBound) / 2
        let cut = Array(source[..<middle]) + [0xFF, 0xD9]
        #expect(throws: SpliceError.self) { try splice(cut, []) }
        #expect(performing: { try splice(cut, []) }, throws: { "\($0)".contains("the scan ends before MCU") })
        #expect(performing: { try splice(Array(source.dropLast(2)), []) }, throws: { "\($0)".contains("end-of-image") })
        #expect(performing: { try splice(Array("GIF89a, not a JPEG".utf8), []) }, throws: { "\($0)".contains("signature") })
        #expect(performing: { try splice(source, try label(4)) }, throws: { "\($0)".contains("4 channels on a picture of 3") })
    }

    @Test func restartMarkersMustComeInOrder() throws {
        let source = try small { $0.restartInterval = 1 }
        let data = try header(source).scans[0].data
        let marker = data.first { source[$0] == 0xFF && (0xD0...0xD7).contains(source[$0 + 1]) }!
        var wrong = source
        wrong[marker + 1] = 0xD5
        #expect(throws: SpliceError.self) { try splice(wrong, []) }
    }

    @Test func strangersAreLeftToOthers() throws {
        let source = try small()
        let frame = try header(source).segments.first { $0.marker == 0xC0 }!.range.lowerBound
        func changed(_ edits: [(Int, UInt8)]) throws -> JPEGSpliceOutcome {
            var bytes = source
            for (at, value) in edits { bytes[frame + at] = value }
            return try splice(bytes, try label()).outcome
        }
        #expect(try changed([(4, 12)]) == .unsuitable(reason: "12 bits a sample"))
        #expect(try changed([(1, 0xC3)]) == .unsuitable(reason: "a lossless or hierarchical JPEG"))
        #expect(try changed([(5, 0), (6, 0)]) == .unsuitable(reason: "no height in the frame header"))
        #expect(try changed([(11, 0x32), (14, 0x21)]) == .unsuitable(reason: "a fractional sampling ratio"))
        let all = try Stamp(width: 61, height: 43, channels: 1, samples: .float(Array(repeating: 1, count: 61 * 43 * 2)))
        #expect(
            try splice(source, [Patch(x: 0, y: 0, stamp: all)]).outcome
                == .unsuitable(reason: "the label touches 100% of the picture"))
    }

    @Test func coefficientMemoryIsAsked() throws {
        var options = JPEGSplicer.Options()
        options.coefficientMemory = 1000
        let outcome = try splice(try small { $0.isProgressive = true }, try label(), options).outcome
        #expect(outcome == .unsuitable(reason: "its coefficients take 0 MB, 0 MB are allowed"))
    }
}
