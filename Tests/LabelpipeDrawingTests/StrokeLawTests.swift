import Glibc
import LabelpipeDrawing
import LabelpipeKit
import Outline
import Testing

/// Numbers that differ from run to run, and are printed so that a failure can be had again.
struct Dice {
    let seed: UInt64
    private var state: UInt64

    init() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        seed = UInt64(bitPattern: Int64(now.tv_nsec)) &* 2_654_435_761 | 1
        state = seed
    }

    mutating func next() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state >> 11) / Double(1 << 53)
    }

    mutating func next(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + next() * (range.upperBound - range.lowerBound)
    }

    mutating func color(alpha: ClosedRange<Double>) -> Color {
        Color(red: next(), green: next(), blue: next(), alpha: next(alpha))
    }

    /// A star with a hole, somewhere.
    mutating func outline() -> Outline {
        var path = Path()
        let corners = 3 + Int(next() * 7)
        for i in 0..<corners {
            let angle = (Double(i) + next(-0.3...0.3)) / Double(corners) * 2 * .pi
            let radius = next(8...34)
            let p = Point(x: 40 + radius * cos(angle), y: 40 + radius * sin(angle))
            if i == 0 { path.move(to: p) } else { path.line(to: p) }
        }
        path.close()
        let ellipse = Path.ellipse(in: Rect(x: next(20...60), y: next(20...50), width: next(3...30), height: next(3...30)))
        return Outline(paths: [path, ellipse])
    }
}

/// Area law of a stroke, from the three coverages alone.
struct RingLaw {
    let region = Region(x: -10, y: -10, width: 110, height: 110)
    let outline: Outline
    let stroke: Stroke
    let fill: Color

    init(_ dice: inout Dice, alpha: ClosedRange<Double>) {
        outline = dice.outline()
        fill = dice.color(alpha: alpha)
        let joins = Join.allCases
        let positions = StrokePosition.allCases
        stroke = Stroke(
            width: dice.next(0.5...14), paint: .color(dice.color(alpha: alpha)), position: positions[Int(dice.next() * 3)],
            join: joins[Int(dice.next() * 3)])
    }

    func coverage(_ outline: Outline) -> [Float] {
        var values = [Float](repeating: 0, count: region.width * region.height)
        values.withUnsafeMutableBufferPointer {
            CoverageRasterizer(outline.polygons()).coverage(in: region, into: $0.baseAddress!, rowStride: region.width)
        }
        return values
    }

    func expected() -> [Pixel] {
        guard case .color(let color) = stroke.paint else { return [] }
        let p = coverage(outline)
        let a = stroke.outward > 0 ? coverage(stroke.silhouette(of: outline)) : p
        let b =
            stroke.inward > 0 ? coverage(outline.grown(by: -stroke.inward, join: stroke.join, miterLimit: stroke.miterLimit)) : p
        func premultiplied(_ c: Color) -> Pixel { c.vector * Pixel(c.vector.w, c.vector.w, c.vector.w, 1) }
        let (f, s) = (premultiplied(fill), premultiplied(color))
        return p.indices.map { i in
            let m = p[i]
            let outer = max(a[i], m)
            let inner = min(b[i], m)
            return f * inner + (s + f * (1 - s.w)) * (m - inner) + s * (outer - m)
        }
    }

    /// The largest difference of a drawing from the law.
    func difference(_ drawn: [Pixel]) -> Float {
        zip(drawn, expected()).reduce(0) { worst, pair in
            let d = pair.0 - pair.1
            return max(worst, abs(d.x), abs(d.y), abs(d.z), abs(d.w))
        }
    }
}

@Suite struct StrokeLawTests {
    @Test func fillAndStrokeShareEachPixelByArea() throws {
        var dice = Dice()
        for _ in 0..<60 {
            let law = RingLaw(&dice, alpha: 0.2...1)
            let drawn = try Drawn([.body(Sample.body(law.outline, .color(law.fill), [.stroke(law.stroke)]))], law.region)
            #expect(law.difference(drawn.pixels) < 1e-4, "seed \(dice.seed): \(law.stroke)")
        }
    }

    @Test func theLawRefusesAStrokePaintedOverTheFill() throws {
        var dice = Dice()
        var refused = 0
        for _ in 0..<20 {
            let law = RingLaw(&dice, alpha: 0.5...0.9)
            // What most programs do: the ring over the fill, each with its own soft edge.
            let grown = law.stroke.silhouette(of: law.outline)
            let ring =
                law.stroke.inward > 0
                ? grown.combined(with: law.outline.grown(by: -law.stroke.inward), .subtract)
                : grown.combined(with: law.outline, .subtract)
            let drawn = try Drawn(
                [.body(Sample.body(law.outline, .color(law.fill))), .body(Sample.body(ring, law.stroke.paint))], law.region)
            if law.difference(drawn.pixels) > 0.01 { refused += 1 }
        }
        // Where a stroke inside leaves nothing of the fill there is no seam to see.
        #expect(refused >= 12, "seed \(dice.seed)")
    }

    @Test func oneColourHasNoSeamAnywhere() throws {
        var dice = Dice()
        for _ in 0..<40 {
            let law = RingLaw(&dice, alpha: 1...1)
            guard case .color(let color) = law.stroke.paint else { continue }
            let drawn = try Drawn([.body(Sample.body(law.outline, .color(color), [.stroke(law.stroke)]))], law.region)
            let whole = law.coverage(law.stroke.silhouette(of: law.outline))
            let p = law.coverage(law.outline)
            for i in whole.indices { #expect(abs(drawn.pixels[i].w - max(whole[i], p[i])) < 1e-5, "seed \(dice.seed)") }
        }
    }

    @Test func secondStrokesGoRoundTheFirstAndSolidFillsHoles() throws {
        let outline = Sample.glyph()
        let region = Region(x: -20, y: -20, width: 150, height: 120)
        let (red, blue) = (Sample.color("red"), Sample.color("blue"))
        let both = try Drawn([.body(Sample.body(outline, .color(.white), [stroke(4, red), stroke(3, blue)]))], region)
        let first = try Drawn([.body(Sample.body(outline, .color(.white), [stroke(4, red)]))], region)
        let grown = outline.grown(by: 4)
        let law = try Drawn([.body(Sample.body(grown, .color(.black), [stroke(3, blue)]))], region)
        for i in both.pixels.indices {
            // Inside the first stroke's silhouette the second changes nothing; outside it is its ring.
            if first.pixels[i].w > 0.9999 { #expect(both.pixels[i] == first.pixels[i]) }
            #expect(abs(both.pixels[i].w - law.pixels[i].w) < 1e-4)
        }
        let solid = try Drawn([.body(Sample.body(outline, .color(.white), [stroke(2, red, solid: true)]))], region)
        #expect(solid[36, 37] == Pixel(1, 0, 0, 1))
        #expect(first[36, 37].w < 1 || first[36, 37] == Pixel(1, 0, 0, 1))
    }

    @Test func innerEdgesThatVanishLeaveNoFill() throws {
        let outline = Sample.rectangle(10, 10, 30, 6)
        let drawn = try Drawn(
            [.body(Sample.body(outline, .color(.white), [stroke(10, .black, .inside)]))],
            Region(x: 0, y: 0, width: 50, height: 30))
        #expect(drawn[20, 12] == Pixel(0, 0, 0, 1) && drawn[20, 9].w == 0)
    }

    @Test func pictureSilhouettesAreStrokedAtTheirAlphasEdge() throws {
        // A disc of half alpha as a logo: its fill stays, the ring is as wide as asked for.
        let disc = Outline(.ellipse(in: Rect(x: 10, y: 10, width: 60, height: 60)))
        let logo = try Layer(
            marks: [.body(Sample.body(disc, .color(Sample.color("#00ff0080"))))], kind: .colour,
            frame: Rect(x: 0, y: 0, width: 80, height: 80)
        ).image()
        let body = Body(
            contents: [.picture(logo, .identity)], outline: nil, finishes: [stroke(6, Sample.color("red"))],
            boxes: FillBoxes(text: .zero))
        let region = Region(x: 0, y: 0, width: 80, height: 80)
        let drawn = try Drawn([.body(body)], region)
        #expect(abs(drawn[40, 40].y - 128.0 / 255) < 1e-3 && abs(drawn[40, 40].w - 128.0 / 255) < 1e-3)
        #expect(drawn[40, 40].x < 1e-3)
        #expect(drawn[7, 40] == Pixel(1, 0, 0, 1))
        // From the vector: the same disc, stroked.
        let vector = try Drawn(
            [.body(Sample.body(disc, .color(Sample.color("#00ff0080")), [stroke(6, Sample.color("red"))]))], region)
        #expect(drawn.difference(vector) < 0.08)
    }

    @Test func partsOfUnlikeOpacityAreOneSilhouette() throws {
        // A disc of 0.7 with an opaque spot: an outside stroke does not show within it.
        let disc = Outline(.ellipse(in: Rect(x: 10, y: 10, width: 60, height: 60)))
        let logo = try Layer(
            marks: [
                .body(Sample.body(disc, .color(Sample.color("#00ff00b3")))),
                .body(Sample.body(Sample.rectangle(36, 36, 8, 8), .color(Sample.color("blue")))),
            ], kind: .colour, frame: Rect(x: 0, y: 0, width: 80, height: 80)
        ).image()
        let region = Region(x: 0, y: 0, width: 80, height: 80)
        func drawn(_ finishes: [Finish]) throws -> Drawn {
            let body = Body(
                contents: [.picture(logo, .identity)], outline: nil, finishes: finishes, boxes: FillBoxes(text: .zero))
            return try Drawn([.body(body)], region)
        }
        let (plain, stroked) = (try drawn([]), try drawn([stroke(6, Sample.color("red"))]))
        for (x, y) in [(40, 40), (30, 40), (16, 40), (40, 62)] {
            for lane in 0..<4 { #expect(abs(stroked[x, y][lane] - plain[x, y][lane]) < 1e-3, "\(x), \(y)") }
        }
        #expect(stroked[7, 40] == Pixel(1, 0, 0, 1))
    }

    /// Two lines with a picture among them: all of it, strokes and shadow included, is multiplied by each line's own ramp.
    @Test(arguments: [false, true]) func aTextThatFadesOutDoesSoWithItsStrokes(isStroked: Bool) throws {
        let lines = [Sample.rectangle(10, 10, 80, 20), Sample.rectangle(10, 40, 80, 20)]
        let ramp = Fade.Ramp(from: Point(x: 40, y: 0), to: Point(x: 80, y: 0))
        let fade = Fade(lines: [Fade.Line(bottom: 35, ramp: ramp), Fade.Line(bottom: .infinity, ramp: nil)])
        let region = Region(x: 0, y: 0, width: 100, height: 70)
        let disc = Outline(.ellipse(in: Rect(x: 60, y: 8, width: 24, height: 24)))
        let picture = try Layer(
            marks: [.body(Sample.body(disc, .color(Sample.color("red"))))], kind: .colour, frame: region.rect
        ).image()
        func text(_ fade: Fade?) -> Body {
            Body(
                contents: lines.map { .fill(.outline($0), .color(.white)) } + [.picture(picture, .identity)],
                outline: .union(lines + [disc]), finishes: isStroked ? [stroke(4, .black)] : [], boxes: FillBoxes(text: .zero),
                fade: fade)
        }
        for marks in [{ [.body(text($0))] }, { [shadow(text($0), sigma: 0, offset: .zero)] }] as [(Fade?) -> [Mark]] {
            let (drawn, whole) = (try Drawn(marks(fade), region), try Drawn(marks(nil), region))
            for x in 0..<100 {
                for y in 0..<70 {
                    let share = y < 35 ? Float(min(max((80 - Double(x) - 0.5) / 40, 0), 1)) : 1
                    #expect(abs(drawn[x, y].w - whole[x, y].w * share) < 1e-4, "\(x), \(y)")
                }
            }
        }
        // Turned, the ramps turn with it.
        let turned = try Drawn(
            [Mark.body(text(fade)).transformed(by: .rotation(degrees: 90, about: Point(x: 35, y: 35)))], region)
        let upright = try Drawn([.body(text(fade))], Region(x: 0, y: 0, width: 70, height: 70))
        for x in 0..<70 {
            for y in 0..<70 { #expect(abs(turned[69 - y, x].w - upright[x, y].w) < 1e-4, "\(x), \(y)") }
        }
    }
}
