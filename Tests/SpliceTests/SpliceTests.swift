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
