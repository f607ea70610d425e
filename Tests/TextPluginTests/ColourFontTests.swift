import Glibc
import LabelpipeKit
import Outline
import Testing
import TextPlugin

/// Colour fonts of COLR version 1, made of DejaVu Sans: 2048 units to the em.
@Suite struct ColourFontTests {
    private static let palette: [[UInt8]] = [[0, 0, 255, 255], [255, 0, 0, 255]]
    private static let red = Color(red: 1, green: 0, blue: 0)
    private static let blue = Color(red: 0, green: 0, blue: 1)

    /// "A" at 2048 px, painted with these layers: font units are px, y the other way.
    private func drawn(_ layers: (MadeFont) throws -> [[UInt8]], notes: Notes? = nil) throws -> Layer {
        let path = "/tmp/labelpipe-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).ttf"
        var font = try MadeFont(FontTests.dejavu)
        try font.addColours(for: "A", layers: layers(font), palette: Self.palette)
        try font.write(to: path)
        defer { unlink(path) }
        return try masked("A", ["fontFile": .string(path), "size": .number(2048)], notes: notes)
    }

    private func fills(_ layer: Layer) -> [(outline: Outline, paint: LabelpipeKit.Paint?)] {
        (layer.body?.contents ?? []).compactMap {
            if case .fill(.outline(let outline), let paint) = $0 { (outline, paint) } else { nil }
        }
    }

    @Test func layersKeepTheirColours() throws {
        let notes = Notes()
        let layer = try drawn(
            { font in
                [
                    try font.glyph("H", font.solid(0)), font.moved(100, 50, try font.glyph("I", font.solid(1, alpha: 0.5))),
                    try font.glyph("O", font.solid(0xFFFF)),
                ]
            }, notes: notes)
        let fills = fills(layer)
        #expect(fills.count == 3 && notes.all.isEmpty)
        guard case .color(Self.red)? = fills[0].paint, case .color(let pale)? = fills[1].paint, fills[2].paint == nil else {
            Issue.record("\(fills)")
            return
        }
        #expect(pale == Color(red: 0, green: 0, blue: 1, alpha: 0.5))
        let (h, i) = (try typed("H", "DejaVu Sans", 2048).ink, try typed("I", "DejaVu Sans", 2048).ink)
        #expect(fills[0].outline.bounds.isNear(h, 0.5))
        #expect(fills[1].outline.bounds.isNear(i.offset(by: Vector(dx: 100, dy: -50)), 0.5))
        // What is left to the text's colour takes its fill, and is a letter to gradients.
        #expect(layer.glyphs.count == 1)
        #expect(try layer.frame == typed("A", "DejaVu Sans", 2048).frame)
    }

    @Test func gradientsLieWhereTheFontSays() throws {
        let layer = try drawn { font in
            // The third point turns the lines: only the part of the axis across them counts.
            [
                try font.glyph("H", font.linear([100, 0, 700, 300, 100, 900], 0, 1)),
                try font.glyph("H", font.turned(90, font.linear([100, 0, 700, 0, 100, 900], 0, 1))),
                try font.glyph("H", font.radial([400, 700], 500, 0, 1)),
            ]
        }
        func gradient(_ index: Int) throws -> Gradient {
            guard case .gradient(let gradient)? = fills(layer)[index].paint else { throw MadeFont.Failure(path: "gradient") }
            return gradient
        }
        func ends(_ gradient: Gradient) -> [Point] {
            guard case .linear(let start, let end) = gradient.shape else { return [] }
            return [start, end].map { gradient.transform.apply($0) }
        }
        let (plain, turned, round) = (try gradient(0), try gradient(1), try gradient(2))
        #expect(plain.stops.map(\.color) == [Self.red, Self.blue] && plain.stops.map(\.position) == [0, 1])
        for (found, wanted) in zip(ends(plain) + ends(turned), [(100.0, 0.0), (700.0, 0.0), (0.0, -100.0), (0.0, -700.0)]) {
            #expect(abs(found.x - wanted.0) < 1e-3 && abs(found.y - wanted.1) < 1e-3, "\(found)")
        }
        guard case .radial(let center, let radius) = round.shape else {
            Issue.record("no circle")
            return
        }
        #expect(round.transform.apply(center).y == -700 && radius == 500)
    }

    @Test func alphaOfAGroupCountsOnce() throws {
        let layer = try drawn { font in
            [font.composite(try font.glyph("H", font.solid(0)), 5, font.solid(0, alpha: 0.25))]
        }
        guard case .marks(let marks)? = layer.body?.contents.first, case .group(let group)? = marks.first else {
            Issue.record("no group")
            return
        }
        #expect(group.opacity == 0.25 && layer.area > 0)
    }

    /// What cannot be drawn is drawn plainly, and said; so is a font whose paints go round in a ring.
    @Test func whatIsLostIsReported() throws {
        let plain = try typed("A", "DejaVu Sans", 2048)
        for broken in [
            { font in [try font.glyph("H", font.linear([0, 0, 9, 0, 0, 9], extend: 1, 0, 1))] },
            { font in [font.solid(0)] },
            { font in [try font.glyph("H", [99])] },
            { font in [[11, UInt8(try font.glyph(of: "A") >> 8), UInt8(try font.glyph(of: "A") & 0xFF)]] },
        ] as [(MadeFont) throws -> [[UInt8]]] {
            let notes = Notes()
            let layer = try drawn(broken, notes: notes)
            #expect(notes.codes == ["colour-font"] && notes.all.first?.weight == .warning)
            #expect(abs(layer.area - plain.area) < 1)
        }
    }
}
