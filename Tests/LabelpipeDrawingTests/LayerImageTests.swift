import LabelpipeDrawing
import LabelpipeKit
import Outline
import Testing
import Vips

@Suite struct LayerImageTests {
    @Test func theFrameIsGrownToWholePixelsByTheReach() throws {
        try VipsRuntime.start()
        let body = Sample.body(Sample.rectangle(2.5, 3, 10, 10), .color(Sample.color("#ff000080")), [stroke(2, .black)])
        let layer = Layer(marks: [.body(body)], kind: .colour, frame: Rect(x: 0, y: 0, width: 30.2, height: 12))
        let out = try layer.image()
        #expect(out.image.width == 31 && out.image.height == 15 && out.image.bands == 4 && out.image.format == .uchar)
        #expect(try Pixels.pixel(out.image, 6, 6) == [255, 0, 0, 128])
        #expect(try Pixels.pixel(out.image, 25, 6) == [0, 0, 0, 0])
    }

    @Test func emptyFramesAreRefusedAndFramesAloneAreTransparent() throws {
        try VipsRuntime.start()
        #expect(throws: DrawingError.self) { try Layer(marks: [], kind: .colour, frame: .zero).image() }
        let blank = try Layer(marks: [], kind: .colour, frame: Rect(x: 0, y: 0, width: 4, height: 3)).image()
        #expect(try Pixels.samples(blank.image).allSatisfy { $0 == 0 } && blank.image.width == 4)
    }

    @Test func deepPicturesGiveDeepOnes() throws {
        let deep = Picture(try PictureTests.noise(9, 9, bands: 3, format: .ushort, .rgb16))
        let layer = Layer(marks: [PictureTests.mark(deep), PlacingTests.block("red", 0, 0, 2, 2)], kind: .colour, frame: .zero)
        #expect(try layer.image().image.format == .ushort)
    }

    @Test func tallOnesAreRenderedInBands() throws {
        try VipsRuntime.start()
        let outline = Outline(.ellipse(in: Rect(x: 0, y: 0, width: 40, height: 90_000)))
        let layer = Layer(marks: [.body(Sample.body(outline, .color(.black)))], kind: .colour, frame: outline.bounds)
        let out = try layer.image()
        #expect(out.image.height == 90_000)
        #expect(try Pixels.pixel(out.image, 20, 45_000) == [0, 0, 0, 255])
        #expect(try Pixels.pixel(out.image, 20, 89_999)[3] > 0)
    }
}

@Suite struct CoverageTests {
    static let region = Region(x: 0, y: 0, width: 100, height: 80)

    static func alpha(_ coverage: Coverage, transform: Affine = .identity) throws -> Drawn {
        try Drawn(
            [.body(Body(contents: [.fill(coverage, .color(.black))], outline: nil, boxes: FillBoxes(text: .zero)))], region,
            transform: transform)
    }

    @Test func outlinesAreCombinedExactly() throws {
        let (a, b) = (Sample.rectangle(10, 10, 30.5, 30), Sample.rectangle(40.5, 10, 20, 30))
        let drawn = try Self.alpha(.combined(.outline(a), .outline(b), .union))
        // Two halves of a pixel are a whole one.
        #expect(abs(drawn[40, 20].w - 1) < 1e-5)
    }

    @Test func pixelsAreCombinedByTheirShares() throws {
        let half = Coverage.alpha([.body(Sample.body(Sample.rectangle(0, 0, 50, 80), .color(Sample.color("#00000080"))))])
        let block = Coverage.outline(Sample.rectangle(20, 0, 80, 80))
        let h = Float(128) / 255
        for (mode, left, both, right) in [
            (Combination.union, h, Float(1), Float(1)), (.subtract, h, 0, 0), (.intersect, 0, h, 0), (.exclude, h, 1 - h, 1),
        ] {
            let drawn = try Self.alpha(.combined(half, block, mode))
            #expect(
                abs(drawn[10, 10].w - left) < 1e-5 && abs(drawn[30, 10].w - both) < 1e-5 && abs(drawn[80, 10].w - right) < 1e-5,
                "\(mode)")
        }
    }

    @Test func luminanceIsAlphaTimesBrightness() throws {
        let green = Mark.body(Sample.body(Sample.rectangle(0, 0, 50, 80), .color(Sample.color("#00ff0080"))))
        let drawn = try Self.alpha(.luminance([green]))
        #expect(abs(drawn[10, 10].w - 0.7152 * 128 / 255) < 1e-4 && drawn[70, 10].w == 0)
    }

    @Test func grownAlphaIsRoundUnlessItsCornersAreMitred() throws {
        let dot = Mark.body(
            Sample.body(Outline(.ellipse(in: Rect(x: 40, y: 30, width: 20, height: 20))), .color(Sample.color("#00000080"))))
        let grown = try Self.alpha(.grown(.alpha([dot]), Growth(by: 6)))
        let h = Float(128) / 255
        #expect(abs(grown[50, 40].w - h) < 1e-3 && abs(grown[50, 25].w - h) < 1e-3 && grown[50, 22].w < 0.01)
        let shrunk = try Self.alpha(.grown(.alpha([dot]), Growth(by: -6)))
        #expect(abs(shrunk[50, 40].w - h) < 1e-3 && shrunk[50, 33].w < 0.01)
        let square = Mark.body(Sample.body(Sample.rectangle(30, 30, 20, 20), .color(.black)))
        for (join, corner) in [(Join.round, Float(0)), (.bevel, 0), (.miter, 1)] {
            let grown = try Self.alpha(.grown(.alpha([square]), Growth(by: 6, join: join)))
            #expect(abs(grown[24, 24].w - corner) < 0.01 && grown[40, 25].w > 0.99, "\(join)")
        }
        let ring = Coverage.combined(
            .outline(Sample.rectangle(20, 20, 40, 40)), .outline(Sample.rectangle(30, 30, 20, 20)), .subtract)
        let ringMark = Mark.body(
            Body(contents: [.fill(ring, .color(.black))], outline: nil, boxes: FillBoxes(text: .zero)))
        #expect(try Self.alpha(.grown(.alpha([ringMark]), Growth(by: 2)))[40, 40].w == 0)
        #expect(try Self.alpha(.grown(.alpha([ringMark]), Growth(by: 2, solid: true)))[40, 40].w == 1)
    }

    @Test func transformedCoverageIsTheCoverageTransformed() throws {
        let outline = Sample.glyph()
        let map = Affine.scale(0.5).then(.rotation(degrees: 20)).then(.translation(dx: 30, dy: 10))
        let a = try Self.alpha(.transformed(.alpha([.body(Sample.body(outline, .color(.black)))]), map))
        let b = try Self.alpha(.outline(outline), transform: map)
        #expect(a.difference(b) < 1e-4)
    }
}
