import Glibc
import LabelpipeDrawing
import LabelpipeKit
import Outline
import Testing
import Vips

/// Laws of every drawing, over labels that use everything.
@Suite struct RegionLawTests {
    static func labels() throws -> [(String, [Mark])] {
        let outline = Sample.glyph(dx: 40, dy: 30)
        let rich = Sample.body(
            outline, Sample.gradient(outline, [.white, Sample.color("navy")]),
            [
                .innerShadow(InnerShadow(color: Sample.color("#000a"), offset: Vector(dx: 1, dy: 2), sigma: 2)),
                stroke(3.3, Sample.color("#f80c")), stroke(2, .black, join: .miter),
            ])
        let logo = try Layer(marks: [.body(rich)], kind: .colour, frame: outline.bounds).image()
        let picture = Body(contents: [.picture(logo, .identity)], outline: nil, boxes: FillBoxes(text: .zero))
        var stroked = picture
        stroked.finishes = [stroke(4, Sample.color("lime"))]
        let cell = Pattern(
            marks: [.body(Sample.body(Sample.rectangle(0, 0, 5, 5), .color(Sample.color("red"))))],
            cell: Rect(x: 0, y: 0, width: 8, height: 7), repeats: true)
        return [
            ("fine shadow", [shadow(rich, sigma: 3.1, offset: Vector(dx: 4, dy: 5)), .body(rich)]),
            ("coarse shadow", [shadow(rich, sigma: 21, offset: Vector(dx: 4.5, dy: 5)), .body(rich)]),
            ("turned", [shadow(rich, sigma: 9), .body(rich)].map { $0.transformed(by: .rotation(degrees: 17)) }),
            ("picture", [.body(picture)]),
            ("small picture", [Mark.body(picture).transformed(by: .scale(sx: 0.4, sy: 0.3))]),
            ("turned picture", [Mark.body(picture).transformed(by: .rotation(degrees: 29))]),
            ("stroked picture", [Mark.body(stroked).transformed(by: .scale(1.2))]),
            ("pattern", [.body(Sample.body(outline, .pattern(cell)))]),
            (
                "group",
                [
                    .body(Sample.body(Sample.rectangle(30, 30, 60, 60), .color(Sample.color("teal")))),
                    .group(
                        Group(
                            marks: [.body(rich)], opacity: 0.7, blend: .overlay,
                            clip: .outline(Sample.rectangle(45, 35, 60.5, 50.5)))),
                ]
            ),
            (
                "coverage",
                [
                    .body(Sample.body(outline, .color(.black))),
                    .body(
                        Body(
                            contents: [
                                .fill(
                                    .combined(.luminance([.body(rich)]), .outline(outline), .exclude),
                                    .color(Sample.color("red")))
                            ],
                            outline: nil, boxes: FillBoxes(text: .zero),
                            fade: Fade(
                                lines: [
                                    Fade.Line(
                                        bottom: .infinity,
                                        ramp: Fade.Ramp(from: Point(x: 40, y: 0), to: Point(x: 120, y: 0)))
                                ]))),
                ]
            ),
        ]
    }

    @Test func aCropOfADrawingIsTheDrawingOfACrop() throws {
        let whole = Region(x: -30, y: -30, width: 230, height: 190)
        for (name, marks) in try Self.labels() {
            let drawn = try Drawn(marks, whole)
            #expect(drawn.pixels.contains { $0.w > 0.2 }, "\(name)")
            for part in [
                Region(x: 41, y: 33, width: 57, height: 29), Region(x: 60, y: -30, width: 1, height: 190),
                Region(x: -30, y: 70, width: 230, height: 3),
            ] {
                let cut = try Drawn(marks, part, clip: whole)
                for y in part.y..<part.maxY {
                    for x in part.x..<part.maxX { #expect(cut[x, y] == drawn[x, y], "\(name) at \(x), \(y)") }
                }
                // What can be asked for does not matter either, but for rounding.
                let clipped = try Drawn(marks, part)
                for y in part.y..<part.maxY {
                    for x in part.x..<part.maxX {
                        let d = clipped[x, y] - drawn[x, y]
                        #expect(max(abs(d.x), abs(d.y), abs(d.z), abs(d.w)) < 1e-4, "\(name) at \(x), \(y)")
                    }
                }
            }
        }
    }

    /// Clipping a caster before it is blurred is what drawing tile by tile must not come to.
    @Test func theLawRefusesABlurOfACrop() throws {
        let body = Sample.body(Sample.glyph(dx: 40, dy: 30), .color(.black))
        let part = Region(x: 60, y: 50, width: 40, height: 30)
        let whole = try Drawn([shadow(body, sigma: 6)], Region(x: 0, y: 0, width: 200, height: 160))
        let cut = Group(marks: [.body(body)], clip: .outline(Sample.rectangle(60, 50, 40, 30)))
        let cropped = try Drawn(
            [.shadow(Shadow(casters: [.group(cut)], color: .black, offset: .zero, sigma: 6))], part)
        #expect(
            (part.y..<part.maxY).contains { y in (part.x..<part.maxX).contains { abs(cropped[$0, y].w - whole[$0, y].w) > 0.05 } }
        )
    }

    @Test func nothingLiesOutsideReach() throws {
        let whole = Region(x: -100, y: -100, width: 400, height: 360)
        for (name, marks) in try Self.labels() {
            let reach = marks.reach.roundedOut
            let drawn = try Drawn(marks, whole)
            for y in whole.y..<whole.maxY {
                for x in whole.x..<whole.maxX where !reach.contains(x: x, y: y) {
                    #expect(drawn[x, y].w == 0, "\(name) at \(x), \(y)")
                }
            }
        }
    }

    @Test func colourNeverExceedsAlpha() throws {
        for (name, marks) in try Self.labels() {
            let drawn = try Drawn(marks, Region(x: -30, y: -30, width: 230, height: 190))
            for p in drawn.pixels {
                #expect(min(p.x, p.y, p.z, p.w) >= 0 && max(p.x, p.y, p.z) <= p.w + 1e-5 && p.w <= 1.00001, "\(name): \(p)")
            }
        }
    }

    @Test func manyThreadsDrawWhatOneDraws() throws {
        for (name, marks) in try Self.labels().prefix(3) {
            let whole = Region(x: -30, y: -30, width: 230, height: 190)
            let expected = try Drawn(marks, whole)
            let rendering = Rendering(marks: marks, clip: whole)
            let strips = Strips(rendering, whole)
            var threads: [pthread_t] = []
            for _ in 0..<4 {
                var thread = pthread_t()
                pthread_create(
                    &thread, nil,
                    { argument in
                        Unmanaged<Strips>.fromOpaque(argument!).takeUnretainedValue().work()
                        return nil
                    }, Unmanaged.passUnretained(strips).toOpaque())
                threads.append(thread)
            }
            for thread in threads { pthread_join(thread, nil) }
            for (i, p) in expected.pixels.enumerated() { #expect(strips.pixels[i] == p, "\(name)") }
        }
    }

    @Test func turnsByQuartersAreExact() throws {
        for (name, marks) in try Self.labels() where name != "stroked picture" {
            let region = Region(x: -200, y: -200, width: 400, height: 400)
            let plain = try Drawn(marks, region)
            let turned = try Drawn(marks.map { $0.transformed(by: .rotation(degrees: 90)) }, region)
            var worst: Float = 0
            for y in -200..<200 {
                for x in -200..<200 {
                    let d = plain[x, y] - turned[-1 - y, x]
                    worst = max(worst, abs(d.x), abs(d.y), abs(d.z), abs(d.w))
                }
            }
            // Cells of a shadow begin elsewhere.
            #expect(worst < (name == "coarse shadow" || name == "turned" ? 1.5 / 255 : 2e-5), "\(name): \(worst)")
        }
    }
}

/// Strips that threads take one after another.
private final class Strips: @unchecked Sendable {
    let rendering: Rendering
    let region: Region
    let pixels: UnsafeMutablePointer<Pixel>
    private var next = 0
    private var mutex = pthread_mutex_t()

    init(_ rendering: Rendering, _ region: Region) {
        (self.rendering, self.region) = (rendering, region)
        pixels = .allocate(capacity: region.width * region.height)
        pthread_mutex_init(&mutex, nil)
    }

    deinit { pixels.deallocate() }

    func work() {
        while true {
            pthread_mutex_lock(&mutex)
            let y = next
            next += 7
            pthread_mutex_unlock(&mutex)
            if y >= region.height { return }
            let strip = Region(x: region.x, y: region.y + y, width: region.width, height: min(7, region.height - y))
            try? rendering.draw(strip, into: pixels + y * region.width, rowStride: region.width)
        }
    }
}
