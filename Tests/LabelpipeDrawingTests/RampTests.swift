import Glibc
import LabelpipeDrawing
import LabelpipeKit
import Outline
import Testing

@Suite struct RampTests {
    static func levels(_ paint: Paint, width: Int, height: Int = 1) throws -> [[Int]] {
        let body = Sample.body(Sample.rectangle(0, 0, Double(width), Double(height)), paint)
        let drawn = try Drawn([.body(body)], Region(x: 0, y: 0, width: width, height: height))
        return drawn.pixels.map { p in [p.x, p.y, p.z].map { Int(($0 / p.w * 255).rounded()) } }
    }

    static func linear(_ colors: [String], from: Point, to: Point, space: Gradient.Space = .srgb) -> Paint {
        .gradient(
            Gradient(
                shape: .linear(start: from, end: to),
                stops: colors.enumerated().map {
                    Gradient.Stop(position: Double($0.offset) / Double(max(colors.count - 1, 1)), color: Sample.color($0.element))
                }, space: space))
    }

    @Test(arguments: Gradient.Space.allCases) func bothEndsAreReachedAndTheRampIsMonotone(space: Gradient.Space) throws {
        let paint = Self.linear(["black", "white"], from: Point(x: 0, y: 0), to: Point(x: 1000, y: 0), space: space)
        let levels = try Self.levels(paint, width: 1000).map { $0[0] }
        #expect(levels.first == 0 || space != .srgb)
        #expect(levels.last == 255)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0.0 <= $0.1 })
        if space == .srgb { #expect(zip(levels, levels.dropFirst()).allSatisfy { $0.1 - $0.0 <= 1 }) }
    }

    @Test func inBetweenIsStraightAndComponentWise() throws {
        // From transparent red to opaque blue: halfway it is purple at half alpha, not premultiplied's bluish one.
        let body = Sample.body(
            Sample.rectangle(0, 0, 3, 1), Self.linear(["#ff000000", "#0000ffff"], from: Point(x: 0, y: 0), to: Point(x: 3, y: 0)))
        let p = try Drawn([.body(body)], Region(x: 0, y: 0, width: 3, height: 1))[1, 0]
        #expect(abs(p.w - 0.5) < 1e-6 && abs(p.x - 0.25) < 1e-6 && abs(p.z - 0.25) < 1e-6)
    }

    @Test func linearLightAndOklab() throws {
        let ends = (Point(x: 0, y: 0), Point(x: 3, y: 0))
        let linear = try Self.levels(Self.linear(["black", "white"], from: ends.0, to: ends.1, space: .linear), width: 3)
        #expect(linear[1] == [188, 188, 188])
        // CSS: color-mix(in oklab, red, lime) is rgb(210, 167, 0) within a level or two (green is out of gamut by a hair).
        let oklab = try Self.levels(Self.linear(["red", "lime"], from: ends.0, to: ends.1, space: .oklab), width: 3)
        #expect(abs(oklab[1][0] - 210) <= 2 && abs(oklab[1][1] - 167) <= 2 && oklab[1][2] <= 2, "\(oklab[1])")
        #expect(
            try Self.levels(Self.linear(["#123456", "#123456"], from: ends.0, to: ends.1, space: .oklab), width: 3)[1] == [
                0x12, 0x34, 0x56,
            ])
    }

    @Test func endsGoOnAndEqualPointsPaintTheLastColour() throws {
        let paint = Self.linear(["red", "blue"], from: Point(x: 4, y: 0), to: Point(x: 6, y: 0))
        let levels = try Self.levels(paint, width: 10)
        #expect(levels[0] == [255, 0, 0] && levels[9] == [0, 0, 255])
        let equal = Self.linear(["red", "blue"], from: Point(x: 4, y: 0), to: Point(x: 4, y: 0))
        #expect(try Self.levels(equal, width: 10).allSatisfy { $0 == [0, 0, 255] })
    }

    @Test func hardStopsAndUnevenOnes() throws {
        let gradient = Gradient(
            shape: .linear(start: .zero, end: Point(x: 100, y: 0)),
            stops: [
                .init(position: 0.2, color: .black), .init(position: 0.5, color: .white),
                .init(position: 0.5, color: Sample.color("red")), .init(position: 1, color: Sample.color("red")),
            ])
        let levels = try Self.levels(.gradient(gradient), width: 100)
        #expect(levels[10] == [0, 0, 0] && levels[49][1] >= 250 && levels[50] == [255, 0, 0] && levels[99] == [255, 0, 0])
    }

    @Test func radialAndConic() throws {
        func paint(_ shape: Gradient.Shape) -> Paint {
            .gradient(Gradient(shape: shape, stops: [.init(position: 0, color: .black), .init(position: 1, color: .white)]))
        }
        let radial = try Self.levels(paint(.radial(center: Point(x: 10.5, y: 10.5), radius: 10)), width: 21, height: 21)
        #expect(radial[10 * 21 + 10][0] == 0 && radial[10 * 21 + 15][0] == 128 && radial[0][0] == 255)
        let conic = try Self.levels(paint(.conic(center: Point(x: 10.5, y: 10.5), angle: 0)), width: 21, height: 21)
        // Up, right, down, left: clockwise from 12 o'clock.
        #expect(conic[10 * 21 + 18][0] == 64 && conic[18 * 21 + 10][0] == 128 && conic[10 * 21 + 2][0] == 191)
    }

    @Test func gradientsTurnAndScaleWithTheirLayer() throws {
        let outline = Sample.rectangle(0, 0, 40, 20)
        let body = Sample.body(outline, Self.linear(["black", "white"], from: .zero, to: Point(x: 40, y: 0)))
        let plain = try Drawn([.body(body)], Region(x: 0, y: 0, width: 40, height: 20))
        let turn = Affine(a: 0, b: 1, c: -1, d: 0, tx: 20, ty: 0)
        let turned = try Drawn([.body(body)], Region(x: 0, y: 0, width: 20, height: 40), transform: turn)
        for x in 0..<40 { #expect(abs(plain[x, 3].x - turned[16, x].x) < 1e-6) }
        let scaled = try Drawn([.body(body)], Region(x: 0, y: 0, width: 80, height: 40), transform: .scale(2))
        for x in 0..<40 { #expect(abs(plain[x, 3].x - (scaled[2 * x, 7].x + scaled[2 * x + 1, 7].x) / 2) < 1e-6) }
    }

    @Test func eachPartHasItsOwnPaint() throws {
        let (left, right) = (Sample.rectangle(0, 0, 10.25, 10), Sample.rectangle(10.25, 0, 9.75, 10))
        let paint = Paint.parts([(left, .color(Sample.color("red"))), (right, .color(Sample.color("blue")))])
        let body = Sample.body(Outline.union([left, right]), paint, [.stroke(Stroke(width: 4, paint: paint))])
        let drawn = try Drawn([.body(body)], Region(x: -5, y: -5, width: 30, height: 20))
        #expect(drawn[5, 5] == Pixel(1, 0, 0, 1) && drawn[15, 5] == Pixel(0, 0, 1, 1))
        #expect(abs(drawn[10, 5].x - 0.25) < 1e-4 && abs(drawn[10, 5].z - 0.75) < 1e-4)
        // Beyond both, the nearest one's.
        #expect(drawn[3, -3].x > 0.99 && drawn[16, -3].z > 0.99 && drawn[22, 5].z > 0.99)
    }

    @Test func patternsRepeatWithoutASeamAndAreCopiedWhole() throws {
        let cell = [
            Mark.body(Sample.body(Sample.rectangle(0, 0, 4, 4), .color(Sample.color("red")))),
            Mark.body(Sample.body(Sample.rectangle(1, 1, 2, 2), .color(Sample.color("blue")))),
        ]
        let pattern = Pattern(marks: cell, cell: Rect(x: 0, y: 0, width: 4, height: 4), repeats: true)
        let body = Sample.body(Sample.rectangle(-8, -8, 40, 40), .pattern(pattern))
        let drawn = try Drawn([.body(body)], Region(x: -8, y: -8, width: 40, height: 40))
        for y in -8..<28 {
            for x in -8..<28 {
                #expect(drawn[x, y] == drawn[x + 4, y + 4])
                #expect(
                    drawn[x, y]
                        == (((x + 8) % 4 == 1 || (x + 8) % 4 == 2) && ((y + 8) % 4 == 1 || (y + 8) % 4 == 2)
                            ? Pixel(0, 0, 1, 1) : Pixel(1, 0, 0, 1)))
            }
        }
        // Turned, nothing becomes transparent between cells.
        let turned = try Drawn([.body(body)], Region(x: -4, y: 0, width: 16, height: 16), transform: .rotation(degrees: 30))
        #expect(turned.pixels.allSatisfy { $0.w > 0.9999 })
    }
}
