import Glibc
import Labelpipe
import LabelpipeEngine
import TestSupport
import Testing

/// Every effect's example, every written case and every document of `Pipelines/` comes to its picture.
///
/// `LABELPIPE_RECORD=1` writes the pictures that are new or different, and fails: somebody has to look at them.
@Suite struct GoldenTests {
    static let registry = Result { try Registry.bundled() }
    static let cases = Result { try GoldenCase.all(registry.get()) }
    /// Larger pictures are kept smaller.
    static let side = 256
    static let isRecording = getenv("LABELPIPE_RECORD") != nil

    @Test(arguments: (try? cases.get()) ?? [])
    func comesToItsPicture(_ one: GoldenCase) throws {
        let drawn = one.drawn(try Self.registry.get())
        let actual = try #require(drawn.pixels, "\(one.name): \(drawn.said)").reduced(to: Self.side)
        let expected = try? Pixels(file: one.golden)
        let difference = expected.map { Difference(actual, $0) }
        if let difference, difference.isNone { return }
        if Self.isRecording {
            try actual.write(to: one.golden)
            Issue.record("\(one.name).png was recorded")
            return
        }
        guard let expected, let difference else {
            Issue.record("\(one.name).png is missing: LABELPIPE_RECORD=1 draws it")
            return
        }
        let folder = beside(#filePath, "../../.build/golden/\(one.name)")
        try actual.write(to: folder + "/actual.png")
        try expected.write(to: folder + "/expected.png")
        try difference.picture?.write(to: folder + "/difference.png")
        Issue.record("\(one.name): \(difference); see .build/golden/\(one.name)")
    }

    @Test func casesAreFound() throws {
        let names = try Self.cases.get().map(\.name)
        #expect(Set(names).count == names.count)
        for id in try Self.registry.get().ids { #expect(names.contains("\(id)/example")) }
        #expect(names.contains("Pipelines/watermark") && names.contains("Pipelines/components/token"))
    }

    @Test func nothingIsLeftOver() throws {
        let known = Set(try Self.cases.get().map { "\($0.name).png" })
        let ids = try Self.registry.get().ids
        for file in files(below: GoldenCase.folder, "") where !["settings.json", "README.md"].contains(file) {
            let isCase = file.hasSuffix(".json") && ids.contains(String(file.prefix { $0 != "/" }))
            #expect(isCase || known.contains(file), "Tests/Golden/\(file) belongs to no document")
        }
    }

    private func files(below folder: String, _ path: String) -> [String] {
        names(in: folder).flatMap { name -> [String] in
            let inner = files(below: "\(folder)/\(name)", "\(path)\(name)/")
            return inner.isEmpty ? [path + name] : inner
        }
    }
}

/// A comparer that lets a wrong picture pass proves nothing.
@Suite struct DifferenceTests {
    private static func golden() throws -> Pixels { try Pixels(file: "\(GoldenCase.folder)/stroke.outline/example.png") }

    private func changed(_ change: (inout Pixels, _ x: Int, _ y: Int) -> Void) throws -> Difference {
        let expected = try Self.golden()
        var actual = expected
        for y in 0..<expected.height { for x in 0..<expected.width { change(&actual, x, y) } }
        return Difference(actual, expected)
    }

    @Test func thePictureItself() throws { #expect(Difference(try Self.golden(), try Self.golden()).isNone) }

    @Test func roundingPasses() throws {
        let difference = try changed { pixels, x, y in
            let i = (y * pixels.width + x) * 4 + (x + y) % 4
            pixels.samples[i] = pixels.samples[i] > 128 ? pixels.samples[i] - 1 : pixels.samples[i] + 1
        }
        #expect(difference.isNone && difference.largest == 1)
    }

    @Test func shiftedByOnePixel() throws {
        let source = try Self.golden()
        for (dx, dy) in [(1, 0), (0, 1)] {
            let difference = try changed { pixels, x, y in
                guard x >= dx, y >= dy else { return }
                for band in 0..<4 { pixels.samples[(y * pixels.width + x) * 4 + band] = source[x - dx, y - dy][band] }
            }
            #expect(!difference.isNone)
        }
    }

    @Test func fivePercentPaler() throws {
        let difference = try changed { pixels, x, y in
            let i = (y * pixels.width + x) * 4 + 3
            pixels.samples[i] = UInt8(Double(pixels.samples[i]) * 0.95)
        }
        #expect(!difference.isNone && difference.largest >= 12)
    }

    @Test func swappedChannels() throws {
        let difference = try changed { pixels, x, y in
            let i = (y * pixels.width + x) * 4
            pixels.samples.swapAt(i, i + 2)
        }
        #expect(!difference.isNone)
    }

    @Test func missingCorner() throws {
        let difference = try changed { pixels, x, y in
            guard x >= pixels.width * 3 / 4, y >= pixels.height / 2 else { return }
            pixels.samples[(y * pixels.width + x) * 4 + 3] = 0
        }
        #expect(!difference.isNone)
    }

    /// Red that nobody sees is no difference, and the worst pixel is named.
    @Test func onlyWhatIsSeenCounts() throws {
        let clear = Pixels(width: 2, height: 1, bands: 4, samples: [255, 0, 0, 0, 9, 9, 9, 255])
        #expect(Difference(clear, Pixels(width: 2, height: 1, bands: 4, samples: [0, 0, 0, 0, 9, 9, 9, 255])).isNone)
        let other = Difference(clear, Pixels(width: 2, height: 1, bands: 4, samples: [0, 0, 0, 0, 9, 9, 90, 255]))
        #expect(other.description == "1 pixels differ, most at (1, 0): [9, 9, 9, 255] instead of [9, 9, 90, 255]")
        #expect(other.picture?[1, 0] == [0, 0, 255, 255])
    }

    @Test func anotherSize() throws {
        let small = Pixels(width: 1, height: 1, bands: 4, samples: [0, 0, 0, 255])
        #expect(!Difference(small, try Self.golden()).isNone)
    }
}
