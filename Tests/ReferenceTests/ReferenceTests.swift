import TestSupport
import Testing

/// Pictures drawn by an independent renderer (HarfBuzz, Skia's path operations, numpy) from the formulas of the effects.
@Suite(.serialized) struct ReferenceTests {
    static let folder = beside(#filePath, "Cases")
    static let cases = names(in: folder)

    @Test func casesAreThere() { #expect(ReferenceTests.cases.count >= 57) }

    @Test(arguments: cases) func agrees(name: String) throws {
        let document = try readFile("\(ReferenceTests.folder)/\(name)/pipeline.json")
        var set: [String: String] = [:]
        if String(decoding: document, as: UTF8.self).contains("$fontFile") {
            let inter = try #require(Fonts.file(named: "Inter.var.ttf") as String?)
            set["fontFile"] = inter
        }
        let actual = try Draw.document(document, name: name, set: set)
        let expected = try Pixels(file: "\(ReferenceTests.folder)/\(name)/expected.png")
        let comparison = Comparison(actual, expected)
        #expect(comparison.isClose, "\(name): \(comparison)")
    }
}

/// A comparer that accepts a wrong picture proves nothing.
@Suite struct ComparisonTests {
    private func expected() throws -> Pixels {
        try Pixels(file: "\(ReferenceTests.folder)/outside-stroke-gradient/expected.png")
    }

    private func changed(_ change: (inout Pixels, _ x: Int, _ y: Int) -> Void) throws -> Comparison {
        let expected = try expected()
        var actual = expected
        for y in 0..<expected.height { for x in 0..<expected.width { change(&actual, x, y) } }
        return Comparison(actual, expected)
    }

    @Test func itself() throws { #expect(Comparison(try expected(), try expected()).isClose) }

    @Test func shiftedByOnePixel() throws {
        let source = try expected()
        let comparison = try changed { pixels, x, y in
            guard x > 0 else { return }
            for c in 0..<4 { pixels.samples[(y * pixels.width + x) * 4 + c] = source.samples[(y * source.width + x - 1) * 4 + c] }
        }
        #expect(!comparison.isClose)
    }

    @Test(arguments: [(1, 0), (0, 1), (1, 1)]) func shiftedByHalfAPixel(dx: Int, dy: Int) throws {
        let source = try expected()
        let comparison = try changed { pixels, x, y in
            guard x >= dx, y >= dy else { return }
            for c in 0..<4 {
                let (here, there) = ((y * pixels.width + x) * 4 + c, ((y - dy) * pixels.width + x - dx) * 4 + c)
                pixels.samples[here] = UInt8((Int(source.samples[here]) + Int(source.samples[there]) + 1) / 2)
            }
        }
        #expect(!comparison.isClose)
    }

    @Test func fivePercentPaler() throws {
        let comparison = try changed { pixels, x, y in
            for c in 0..<3 {
                let i = (y * pixels.width + x) * 4 + c
                pixels.samples[i] = UInt8(Double(pixels.samples[i]) * 0.95 + 255 * 0.05)
            }
        }
        #expect(!comparison.isClose)
    }

    @Test func swappedChannels() throws {
        let comparison = try changed { pixels, x, y in
            let i = (y * pixels.width + x) * 4
            pixels.samples.swapAt(i, i + 2)
        }
        #expect(!comparison.isClose)
    }

    @Test func missingCorner() throws {
        let comparison = try changed { pixels, x, y in
            guard x < pixels.width / 3, y > pixels.height / 2 else { return }
            for c in 0..<3 { pixels.samples[(y * pixels.width + x) * 4 + c] = 255 }
        }
        #expect(!comparison.isClose)
    }

    @Test func somethingFarOutside() throws {
        let comparison = try changed { pixels, x, y in
            if x == 1, y == 1 { pixels.samples[(y * pixels.width + x) * 4] = 200 }
        }
        #expect(!comparison.isClose)
    }

    @Test func anotherSize() throws {
        let small = Pixels(width: 1, height: 1, bands: 4, samples: [0, 0, 0, 255])
        #expect(!Comparison(small, try expected()).isClose)
    }
}
