import Splice
import Testing

@Suite struct SpliceTests {
    @Test(arguments: 0..<340) func withoutLabelTheBytesStay(seed: Int) throws {
        let sample = try Sample(seed: seed)
        let (outcome, bytes) = try splice(sample.bytes, [])
        #expect(bytes == sample.bytes, "\(sample.name)")
        #expect(outcome.mode == (sample.isStream ? "splice-stream" : "splice-coefficients"), "\(sample.name)")
        guard sample.isStream else { return }
        var options = JPEGSplicer.Options()
        options.rewriteAll = true
        let rewritten = try splice(sample.bytes, [], options)
        #expect(rewritten.bytes == sample.bytes, "rewritten, \(sample.name)")
    }

    @Test(arguments: 1000..<1340) func labelledBlocksOnly(seed: Int) throws {
        let sample = try Sample(seed: seed)
        var random = Seeded(seed + 7)
        let patches = try sample.patches(using: &random)
        var options = JPEGSplicer.Options()
        options.limit = 1
        let (outcome, bytes) = try splice(sample.bytes, patches, options)
        #expect(outcome.mode != nil, "\(outcome) \(sample.name)")
        #expect(outsideIsUntouched(sample.bytes, bytes, patches) == nil, "\(sample.name)")
        options.coefficientsOnly = true
        let other = try splice(sample.bytes, patches, options)
        #expect(coefficientsAgree(bytes, other.bytes) == nil, "\(sample.name)")
    }

    /// Optimised tables have no codes for what a label brings. They are made room for, and the stream is still edited.
    @Test(arguments: 4000..<4040) func missingCodesAreAdded(seed: Int) throws {
        var random = Seeded(seed)
        var settings = JPEGSettings.quality(40 + random.below(50), subsampling: seed % 2 == 0 ? .s420 : .s444)
        settings.huffman = .optimised
        if random.chance(50) { settings.restartInterval = 1 + random.below(30) }
        let bytes = try Scene(width: 300, height: 200, channels: 3, noise: random.below(8), random: &random).encoded(settings)
        let noise = (0..<80 * 60 * 4).map { _ in UInt16(random.below(2) * 65535) }
        let patches = [Patch(x: 111, y: 77, stamp: try Stamp(width: 80, height: 60, channels: 3, samples: .u16(noise)))]
        let (outcome, output) = try splice(bytes, patches)
        guard case .spliced("splice-stream", _, _, ["Huffman codes added for the label"]) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(outsideIsUntouched(bytes, output, patches) == nil)
        var options = JPEGSplicer.Options()
        options.coefficientsOnly = true
        #expect(coefficientsAgree(output, try splice(bytes, patches, options).bytes) == nil)
        #expect(output.count < bytes.count + 24000)
    }

    // Tiny labels have too few px for a mean; these are of the size of real ones.
    @Test(arguments: 2000..<2060) func insideAsGoodAsEncodingAll(seed: Int) throws {
        let sample = try Sample(seed: seed, smallest: 160, largest: 320)
        var random = Seeded(seed + 7)
        let stamp = try Stamp.random(width: 120, height: 60, channels: sample.scene.channels, using: &random)
        let patches = [Patch(x: random.below(sample.scene.width - 120), y: random.below(sample.scene.height - 60), stamp: stamp)]
        let (_, bytes) = try splice(sample.bytes, patches)
        #expect(try insideIsAsGood(sample, bytes, patches) == nil, "\(sample.name)")
    }
}

extension JPEGSpliceOutcome {
    var mode: String? {
        if case .spliced(let mode, _, _, _) = self { mode } else { nil }
    }
}
