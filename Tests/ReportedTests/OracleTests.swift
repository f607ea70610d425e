import Glibc
import LabelpipeKit
import Testing
import Vips

/// Numbers that differ from run to run, and are printed so that a failure can be had again.
struct Dice {
    let seed: UInt64
    private var state: UInt64

    init(_ name: String) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        seed = UInt64(bitPattern: Int64(now.tv_sec &* 1_000_000_007 &+ now.tv_nsec)) | 1
        state = seed
        print("\(name): seed \(seed)")
    }

    mutating func next() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state >> 11) / Double(1 << 53)
    }

    /// Two digits after the point: what a document would say.
    mutating func next(_ range: ClosedRange<Double>) -> Double {
        let value = range.lowerBound + next() * (range.upperBound - range.lowerBound)
        return min(max((value * 100).rounded() / 100, range.lowerBound), range.upperBound)
    }

    mutating func pick<T>(_ list: [T]) -> T { list[min(Int(next() * Double(list.count)), list.count - 1)] }
    mutating func yes(_ chance: Double = 0.5) -> Bool { next() < chance }

    mutating func letters() -> String {
        let words = [
            "Wave", "ij:;÷%8@", "&Qe", "fjord", "THLabel", "© 2026", "4AMK", "Ångström", "سلام", "tfk", "§¶†", "office", "ÄÖÜ",
            "g_y,", "B8&", "Żółć",
        ]
        return pick(words)
    }

    mutating func font() -> String {
        pick([
            "DejaVu Sans", "DejaVu Sans Bold", "DejaVu Serif", "DejaVu Serif Bold Italic", "DejaVu Sans Oblique",
            "DejaVu Sans Mono", "DejaVu Sans ExtraLight",
            "DejaVu Sans Condensed", "Liberation Sans", "Liberation Sans Bold Italic", "Liberation Serif",
            "Liberation Serif Italic", "Liberation Mono Bold", "Inter",
            "Inter Display Bold",
        ])
    }
}

/// A label of random letters with a stroke, turned and scaled.
private struct StrokeTrial {
    static let (width, height) = (260, 170)
    let mask: String
    let w: Double
    let position: String
    let scale: Double
    let map: String
    let alphas: (fill: Double, stroke: Double)

    init(_ dice: inout Dice) {
        let size = dice.next(9...80)
        mask = text(dice.letters(), dice.font(), size, dice.yes(0.2) ? ", \"letterSpacing\": \(dice.next(-4...6))" : "")
        w = dice.next(0.5...18)
        position = dice.pick(["outside", "outside", "inside", "center"])
        scale = dice.yes(0.3) ? dice.next(0.4...1.8) : 1
        let turn = dice.yes(0.5) ? dice.pick([90, 180, 270, dice.next(-180...180)]) : 0
        map =
            (scale == 1 ? "" : ", { \"effect\": \"layout.scale\", \"by\": \(scale) }")
            + (turn == 0 ? "" : ", { \"effect\": \"layout.rotate\", \"angle\": \(turn) }")
        alphas = (dice.next(0.2...1), dice.next(0.2...1))
    }

    func drawn(_ steps: String) throws -> Sheet {
        // In whole px: fill and stroked fill lie alike.
        try placed(
            "[ \(mask), \(steps)\(map) ]", Self.width, Self.height, "transparent",
            "\"anchor\": \"center\", \"keepInside\": false, \"tooLarge\": \"clip\"")
    }

    /// What is wrong with the stroke as `strokeSteps` draw it; nil if nothing is.
    func objection(_ strokeSteps: String? = nil) throws -> String? {
        let oracle = StrokeOracle(fill: try drawn(solid("#00ff00")))
        let both = try drawn(strokeSteps ?? (solid("#00ff00") + ", " + stroke(w, "red", position)))
        let alpha = both.alpha
        let red = zip(both.band(0), alpha).map { $0 * $1 / 255 }
        switch position {
        case "outside": return oracle.objection(toOutside: alpha, width: w * scale)
        case "inside": return oracle.objection(toInside: red, alpha: alpha, width: w * scale)
        default: return oracle.objection(toCentred: red, alpha: alpha, width: w * scale)
        }
    }
}

@Suite struct StrokeOracleTests {
    @Test func randomLabels() throws {
        var dice = Dice("stroke oracle on documents")
        for round in 0..<200 {
            let trial = StrokeTrial(&dice)
            let objection = try trial.objection()
            #expect(objection == nil, "seed \(dice.seed), round \(round): \(trial)")
        }
    }

    /// A translucent stroke is one alpha: where the opaque one is whole and no fill is, it is everywhere the same.
    @Test func randomAlphas() throws {
        var dice = Dice("stroke oracle, alphas")
        // A trace of the other paint, too little to show when opaque, tints a pale straight colour by a few levels.
        for round in 0..<60 {
            let trial = StrokeTrial(&dice)
            func hex(_ alpha: Double) -> String {
                String(UInt8((alpha * 255).rounded()) / 16, radix: 16) + String(UInt8((alpha * 255).rounded()) % 16, radix: 16)
            }
            let fill = try trial.drawn(solid("#00ff00"))
            let opaque = try trial.drawn(solid("#00ff00") + ", " + stroke(trial.w, "red", "outside"))
            let soft = try trial.drawn(
                solid("#00ff00" + hex(trial.alphas.fill)) + ", "
                    + stroke(trial.w, "#ff0000" + hex(trial.alphas.stroke), "outside"))
            let wanted = ((trial.alphas.stroke * 255).rounded(), (trial.alphas.fill * 255).rounded())
            var wrong = 0
            for i in opaque.alpha.indices {
                let (x, y) = (i % StrokeTrial.width, i / StrokeTrial.width)
                if opaque[x, y] == [255, 0, 0, 255], fill[x, y, 3] == 0, !soft.isNear(x, y, [255, 0, 0, wanted.0], 4) {
                    wrong += 1
                }
                if opaque[x, y] == [0, 255, 0, 255], !soft.isNear(x, y, [0, 255, 0, wanted.1], 4) { wrong += 1 }
            }
            #expect(wrong == 0, "seed \(dice.seed), round \(round): \(trial)")
        }
    }

    /// An oracle that takes everything proves nothing.
    @Test func theOracleRefusesWrongStrokes() throws {
        var dice = Dice("stroke oracle, broken")
        var refused = ["narrow": 0, "wide": 0, "none": 0, "elsewhere": 0, "each letter": 0]
        var tried = 0
        while tried < 12 {
            let trial = StrokeTrial(&dice)
            if trial.w * trial.scale < 5 || trial.position == "center" || trial.w * trial.scale > 14 { continue }
            let base = solid("#00ff00") + ", "
            let ink = try trial.drawn(solid("#00ff00")).area
            // Long labels leave the picture, thin letters have no inside to tell widths apart.
            if ink < 300 { continue }
            if trial.position == "inside" {
                if try trial.objection(base + stroke(trial.w, "red", "center")) != nil { refused["elsewhere", default: 0] += 1 }
                if try trial.objection(solid("#00ff00")) != nil { refused["none", default: 0] += 1 }
                continue
            }
            tried += 1
            if try trial.objection(base + stroke(trial.w - 2.2 / trial.scale, "red", trial.position)) != nil {
                refused["narrow", default: 0] += 1
            }
            if try trial.objection(base + stroke(trial.w + 3 / trial.scale, "red", trial.position)) != nil {
                refused["wide", default: 0] += 1
            }
            if try trial.objection(solid("#00ff00")) != nil { refused["none", default: 0] += 1 }
            if try trial.objection(base + stroke(trial.w, "red", "inside")) != nil { refused["each letter", default: 0] += 1 }
        }
        #expect(
            refused["narrow"] == tried && refused["wide"] == tried && refused["none"] ?? 0 >= tried
                && refused["each letter"] == tried, "seed \(dice.seed): \(refused)")
    }
}

/// A label whose every part has one colour, at any alpha, on a picture of that colour.
private struct SameColour {
    let channels: [Int]
    let label: String
    let keys: String
    let base: Image
    let isTiled: Bool

    init(_ dice: inout Dice, off: Int = 0) throws {
        let grey = dice.yes(0.3)
        let first = dice.pick([0, 255, Int(dice.next() * 256)])
        channels = grey ? [first, first, first] : [first, Int(dice.next() * 256), dice.pick([0, 255, Int(dice.next() * 256)])]
        let shown = channels.map { $0 + ($0 >= 128 ? -off : off) }
        func color(_ alpha: Int) -> String {
            "#" + (shown + [alpha]).map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
        }
        func alpha() -> Int { off == 0 ? dice.pick([255, 128, Int(dice.next() * 256), 1]) : 255 }
        var steps = [text(dice.letters(), dice.font(), dice.next(8...50))]
        if dice.yes(0.2) { steps = [rectangle(dice.next(5...120), dice.next(5...60), ", \"radius\": \(dice.next(0...30))")] }
        let space = dice.pick(["srgb", "srgb", "linear", "oklab"])
        steps.append(
            dice.yes(0.4)
                ? "{ \"effect\": \"fill.gradient\", \"type\": \"\(dice.pick(["linear", "radial", "conic"]))\", \"space\": \"\(space)\", \"colors\": [\"\(color(alpha()))\", \"\(color(alpha()))\"] }"
                : solid(color(alpha())))
        if dice.yes(0.3) {
            steps.append(
                "{ \"effect\": \"shadow.inner\", \"color\": \"\(color(alpha()))\", \"offset\": [\(dice.next(-4...4)), \(dice.next(-4...4))], \"blur\": \(dice.next(0...20)), \"blend\": \"\(dice.pick(["normal", "darken"]))\" }"
            )
        }
        if dice.yes(0.5) { steps.append(stroke(dice.next(0.3...9), color(alpha()), dice.pick(["outside", "inside", "center"]))) }
        if dice.yes(0.6) {
            steps.append(
                shadow(
                    color(alpha()), (dice.next(-9...9), dice.next(-9...9)), dice.pick([0, dice.next(0...6), dice.next(0...60)]),
                    ", \"spread\": \(dice.yes() ? 0 : dice.next(-3...6)), \"caster\": \"\(off == 0 ? dice.pick(["keep", "keep", "hide", "cut"]) : "keep")\""
                ))
        }
        if dice.yes(0.4) {
            steps.append(
                "{ \"effect\": \"layout.scale\", \"by\": \(dice.yes() ? "\(dice.next(0.3...2))" : "[\(dice.next(0.3...2)), \(dice.next(0.3...2))]") }"
            )
        }
        if dice.yes(0.5) { steps.append("{ \"effect\": \"layout.rotate\", \"angle\": \(dice.next(-180...180)) }") }
        label = "[ " + steps.joined(separator: ", ") + " ]"
        isTiled = dice.yes(0.2)
        keys =
            "\"opacity\": \(off == 0 ? dice.next(0...1) : 1)"
            + (isTiled
                ? ", \"angle\": \(dice.next(-90...90)), \"gap\": \(dice.next(0...9))"
                : ", \"anchor\": \"center\", \"snap\": \(dice.yes()), \"tooLarge\": \"clip\"")
        let deep = dice.yes(0.4)
        let bands = (grey && dice.yes() ? [channels[0]] : channels).map { Double($0) * (deep ? 257 : 1) }
        let full = bands + (dice.yes(0.3) ? [deep ? 65535 : 255] : [])
        let kind: Interpretation = bands.count == 1 ? (deep ? .grey16 : .bw) : (deep ? .rgb16 : .srgb)
        base = try plain(160, 90, full, format: deep ? .ushort : .uchar, kind)
    }

    /// How many samples are not what they were, and by how much.
    func trace() throws -> (count: Int, largest: Double) {
        let effect = isTiled ? "layout.tile" : "layout.place"
        let out = try Drawing(
            chain("{ \"effect\": \"image.source\" }", "{ \"effect\": \"\(effect)\", \"label\": \(label), \(keys) }"),
            source: Picture(base)
        ).sheet
        let before = try Sheet(base)
        guard out.bands == before.bands else { return (.max, .infinity) }
        return (zip(out.samples, before.samples).filter { $0 != $1 }.count, out.difference(before))
    }
}

@Suite struct SameColourTests {
    @Test func sameColourOnSameColourIsInvisible() throws {
        var dice = Dice("same colour")
        for round in 0..<300 {
            let trial = try SameColour(&dice)
            let (count, largest) = try trial.trace()
            #expect(
                count == 0,
                "seed \(dice.seed), round \(round): \(count) samples, by \(largest): \(trial.channels) \(trial.label) \(trial.keys)"
            )
        }
    }

    @Test func theOracleSeesAnotherColour() throws {
        var dice = Dice("same colour, broken")
        for round in 0..<20 {
            let trial = try SameColour(&dice, off: 60)
            #expect(try trial.trace().count > 0, "seed \(dice.seed), round \(round): \(trial.label)")
        }
        // Blurred with the colour of what is transparent, as straight alpha would: a dark rim.
        let rim = chain(text("Proof", "DejaVu Sans", 20), solid("white"), shadow("#000000", (0, 0), 8, ", \"spread\": 0"))
        let sheet = try Sheet(try marked(Picture(plain(160, 90, [255, 255, 255])), rim, "\"anchor\": \"center\""))
        #expect(sheet.count { $0 != [255, 255, 255] } > 100)
    }
}
