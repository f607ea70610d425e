import Splice
import Testing

/// Every law is handed a splice that is wrong in the way it is there to find. A law that lets it pass proves nothing.
@Suite struct BrokenSubjectTests {
    private struct Subject {
        let sample: Sample
        let patches: [Patch]
        let output: [UInt8]
    }

    private func subject() throws -> Subject {
        let samples = (2000...).lazy.compactMap { try? Sample(seed: $0, smallest: 160, largest: 320) }
        let fine = samples.first { $0.settings.quality > 92 && $0.settings.sampling.allSatisfy { $0 == SIMD2(1, 1) } }
        let sample = try #require(fine)
        var random = Seeded(1)
        let stamp = try Stamp.random(width: 60, height: 40, channels: sample.scene.channels, using: &random)
        let patches = [Patch(x: 40, y: 30, stamp: stamp)]
        return Subject(sample: sample, patches: patches, output: try splice(sample.bytes, patches).bytes)
    }

    @Test func theLawsHoldForTheRealOne() throws {
        let subject = try subject()
        #expect(outsideIsUntouched(subject.sample.bytes, subject.output, subject.patches) == nil)
        #expect(try insideIsAsGood(subject.sample, subject.output, subject.patches) == nil)
        #expect(coefficientsAgree(subject.output, subject.output) == nil)
    }

    @Test func encodingAllChangesTheOutside() throws {
        let subject = try subject()
        let header = try header(subject.sample.bytes)
        var scene = subject.sample.scene
        scene.pixels = Probe(pixels: subject.sample.bytes).pixels
        let again = try scene.encoded(JPEGSettings.like(header)!)
        #expect(outsideIsUntouched(subject.sample.bytes, again, subject.patches) != nil)
    }

    @Test func aLabelEightPxAsideIsOutside() throws {
        let subject = try subject()
        var aside = subject.patches
        aside[0].x += 8
        let output = try splice(subject.sample.bytes, aside).bytes
        #expect(outsideIsUntouched(subject.sample.bytes, output, subject.patches) != nil)
        #expect(coefficientsAgree(subject.output, output) != nil)
    }

    @Test func noLabelAtAllIsNotAsGood() throws {
        let subject = try subject()
        #expect(try insideIsAsGood(subject.sample, subject.sample.bytes, subject.patches) != nil)
    }

    @Test func aLabelOfTenPercentLessIsNotAsGood() throws {
        let subject = try subject()
        let stamp = subject.patches[0].stamp
        guard case .u16(var values) = stamp.samples else { return }
        for index in stride(from: stamp.channels, to: values.count, by: stamp.channels + 1) {
            values[index] = UInt16(Double(values[index]) * 0.9)
        }
        let fainter = try Stamp(width: stamp.width, height: stamp.height, channels: stamp.channels, samples: .u16(values))
        let output = try splice(subject.sample.bytes, [Patch(x: 40, y: 30, stamp: fainter)]).bytes
        #expect(try insideIsAsGood(subject.sample, output, subject.patches) != nil)
    }

    @Test func oneBitInTheScanIsFound() throws {
        let subject = try subject()
        let data = try header(subject.output).scans[0].data
        var random = Seeded(4)
        var found = 0
        for _ in 0..<20 {
            var bytes = subject.output
            bytes[data.upperBound - 3 - random.below(data.count / 3)] ^= 0x10
            if outsideIsUntouched(subject.sample.bytes, bytes, subject.patches) != nil { found += 1 }
        }
        #expect(found == 20)
    }
}
