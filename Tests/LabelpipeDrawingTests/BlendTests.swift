import LabelpipeDrawing
import LabelpipeKit
import Outline
import Testing

@Suite struct BlendTests {
    /// The specification's formulas again, written as it writes them, one channel at a time.
    static func channel(_ mode: BlendMode, _ cb: Float, _ cs: Float) -> Float? {
        func hardLight(_ cb: Float, _ cs: Float) -> Float {
            cs <= 0.5 ? cb * (2 * cs) : cb + (2 * cs - 1) - cb * (2 * cs - 1)
        }
        switch mode {
        case .normal: return cs
        case .multiply: return cb * cs
        case .screen: return 1 - (1 - cb) * (1 - cs)
        case .overlay: return hardLight(cs, cb)
        case .darken: return min(cb, cs)
        case .lighten: return max(cb, cs)
        case .colorDodge: return cb == 0 ? 0 : cs == 1 ? 1 : min(1, cb / (1 - cs))
        case .colorBurn: return cb == 1 ? 1 : cs == 0 ? 0 : 1 - min(1, (1 - cb) / cs)
        case .hardLight: return hardLight(cb, cs)
        case .softLight:
            let d = cb <= 0.25 ? ((16 * cb - 12) * cb + 4) * cb : cb.squareRoot()
            return cs <= 0.5 ? cb - (1 - 2 * cs) * cb * (1 - cb) : cb + (2 * cs - 1) * (d - cb)
        case .difference: return abs(cb - cs)
        case .exclusion: return cb + cs - 2 * cb * cs
        case .hue, .saturation, .color, .luminosity, .plusLighter: return nil
        }
    }

    static let levels: [Float] = [0, 0.1, 0.25, 0.3, 0.5, 0.51, 0.75, 0.9, 1]

    @Test(arguments: BlendMode.allCases) func separableModesFollowTheirFormula(mode: BlendMode) {
        for b in Self.levels {
            for s in Self.levels {
                guard let expected = Self.channel(mode, b, s) else { return }
                let got = BlendFormula.mix(mode, below: Pixel(b, 0.2, 1, 0), above: Pixel(s, 0.7, 0, 0))
                #expect(abs(got.x - expected) < 1e-6, "\(mode) \(b) \(s)")
            }
        }
    }

    static func luminosity(_ c: Pixel) -> Float { 0.3 * c.x + 0.59 * c.y + 0.11 * c.z }

    @Test func theOtherModesTakeLuminosityFromTheRightLayer() {
        let (below, above) = (Pixel(0.7, 0.4, 0.2, 0), Pixel(0.3, 0.6, 0.5, 0))
        for mode in [BlendMode.hue, .saturation, .color] {
            #expect(abs(Self.luminosity(BlendFormula.mix(mode, below: below, above: above)) - Self.luminosity(below)) < 1e-5)
        }
        #expect(abs(Self.luminosity(BlendFormula.mix(.luminosity, below: below, above: above)) - Self.luminosity(above)) < 1e-5)
        // A grey above has no hue and no saturation to give.
        let grey = Pixel(0.4, 0.4, 0.4, 0)
        for mode in [BlendMode.hue, .saturation, .color] {
            let got = BlendFormula.mix(mode, below: below, above: grey)
            #expect(abs(got.x - got.y) < 1e-5 && abs(got.y - got.z) < 1e-5)
        }
        // Beyond the cube colours are pulled back, not cut: luminosity stays.
        let got = BlendFormula.mix(.color, below: Pixel(0.98, 0.98, 0.98, 0), above: Pixel(1, 0, 0, 0))
        #expect(abs(Self.luminosity(got) - 0.98) < 1e-5)
        #expect(max(got.x, got.y, got.z) <= 1.00001)
    }

    @Test(arguments: BlendMode.allCases) func aTransparentUpperLayerChangesNothing(mode: BlendMode) {
        for space in BlendSpace.allCases {
            let below = [Pixel(0.1, 0.2, 0.05, 0.3), .zero, Pixel(1, 1, 1, 1), Pixel(0.3, 0.77, 0.9, 1)]
            var row = below
            let above = [Pixel](repeating: .zero, count: row.count)
            Compositing.blend(above, onto: &row, count: row.count, mode: mode, space: space)
            #expect(row == below)
        }
    }

    @Test(arguments: BlendMode.allCases) func anUpperLayerOverNothingIsItself(mode: BlendMode) {
        let above = [Pixel(0.2, 0.1, 0.4, 0.5), Pixel(1, 0.5, 0, 1)]
        for space in BlendSpace.allCases {
            var row = [Pixel](repeating: .zero, count: 2)
            Compositing.blend(above, onto: &row, count: 2, mode: mode, space: space)
            for (a, b) in zip(row, above) {
                let d = a - b
                #expect(max(abs(d.x), abs(d.y), abs(d.z), abs(d.w)) < 1e-5, "\(mode) \(space)")
            }
        }
    }

    @Test func aGroupIsFadedAndClippedOnce() throws {
        // Two opaque squares that overlap, at half opacity: no darker where they do.
        let squares = [
            Mark.body(Sample.body(Sample.rectangle(0, 0, 10, 10), .color(.black))),
            Mark.body(Sample.body(Sample.rectangle(5, 0, 10, 10), .color(.black))),
        ]
        let clip = Coverage.outline(Sample.rectangle(0, 0, 12.5, 10))
        let drawn = try Drawn(
            [.group(Group(marks: squares, opacity: 0.5, clip: clip))], Region(x: 0, y: 0, width: 20, height: 10))
        #expect(drawn[2, 5].w == 0.5 && drawn[7, 5].w == 0.5 && drawn[11, 5].w == 0.5)
        #expect(drawn[12, 5].w == 0.25 && drawn[13, 5].w == 0)
    }

    @Test func groupsBlendWithWhatIsBelow() throws {
        let below = Mark.body(Sample.body(Sample.rectangle(0, 0, 10, 10), .color(Sample.color("#336699"))))
        let above = Mark.body(Sample.body(Sample.rectangle(5, 0, 10, 10), .color(Sample.color("#ff8000"))))
        let drawn = try Drawn(
            [below, .group(Group(marks: [above], blend: .multiply))], Region(x: 0, y: 0, width: 20, height: 10))
        #expect(abs(drawn[7, 5].y - Float(0x66) / 255 * Float(0x80) / 255) < 1e-6)
        #expect(abs(drawn[12, 5].y - Float(0x80) / 255) < 1e-6)
    }
}
