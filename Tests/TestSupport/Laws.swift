import Diagnostics
import Dispatch
public import LabelpipeEngine
import LabelpipeKit
import Outline
import Synchronization
import Vips

/// What holds for every effect, whoever wrote it.
public enum Law: String, CaseIterable, Sendable {
    /// Nothing is visible outside `reach`.
    case reach
    /// With settings that mean "nothing", an effect gives its input, bit for bit.
    case identity
    /// Inputs that are moved by whole px give the same picture, moved.
    case movement
    /// A part that is drawn by itself is the part of the whole.
    case crop
    /// Many threads draw what one draws.
    case threads
    /// Transparent inputs give a transparent picture.
    case transparency
    /// Defaults are accepted, and both ends of a range; what is one step beyond is refused where it stands.
    case ranges

    /// What the nodes of one effect say to the law.
    public struct Verdict: Sendable {
        /// Nodes that the law says something about.
        public var checked = 0
        public var violations: [String] = []
    }

    /// - Parameter subjects: nodes of one effect.
    public func verdict(on subjects: [Subject], _ registry: Registry) -> Verdict {
        if case .ranges = self { return ranges(subjects, registry) }
        var verdict = Verdict()
        for subject in subjects {
            do {
                let found = try violation(by: subject, registry)
                verdict.checked += 1
                if let found { verdict.violations.append("\(subject): \(found)") }
            } catch is NotApplicable {
            } catch let findings as Diagnostics {
                verdict.violations.append("\(subject): \(findings.render())")
            } catch {
                verdict.violations.append("\(subject): \(error)")
            }
        }
        return verdict
    }

    /// The finding of a law that was broken; nil: it holds. Throws `NotApplicable` where it says nothing.
    private func violation(by subject: Subject, _ registry: Registry) throws -> String? {
        switch self {
        case .reach: try reach(subject, registry)
        case .identity: try identity(subject, registry)
        case .movement: try movement(subject, registry)
        case .crop: try crop(subject, registry)
        case .threads: try threads(subject, registry)
        case .transparency: try transparency(subject, registry)
        case .ranges: nil
        }
    }

    private struct NotApplicable: Error {}

    /// What is seen of a layer on its plane.
    static func seen(_ layer: Layer, _ box: Region) throws -> Pixels { try Pixels(layer.image(in: box)) }

    static func box(_ layer: Layer) -> Region { layer.frame.roundedOut.union(layer.reach) }

    /// The first pixel that differs by more than `tolerance` levels.
    static func difference(_ a: Pixels, _ b: Pixels, tolerance: Int = 0) -> String? {
        if (a.width, a.height) != (b.width, b.height) { return "\(a.width) × \(a.height) px, not \(b.width) × \(b.height)" }
        let (a, b) = (a.rgba, b.rgba)
        for i in 0..<a.width * a.height {
            let alphas = (Int(a.samples[i * 4 + 3]), Int(b.samples[i * 4 + 3]))
            for band in 0..<4 {
                var d = abs(Int(a.samples[i * 4 + band]) - Int(b.samples[i * 4 + band]))
                // With a tolerance, what is seen counts: a faint pixel's colour is a quotient of two small numbers.
                if tolerance > 0, band < 3 { d = d * max(alphas.0, alphas.1) / 255 }
                if d > tolerance {
                    let (x, y) = (i % a.width, i / a.width)
                    return "(\(x), \(y)) is \(a[x, y]), not \(b[x, y])"
                }
            }
        }
        return nil
    }

    // MARK: Reach

    private func reach(_ subject: Subject, _ registry: Registry) throws -> String? {
        let layer = try subject.layer(registry)
        let reach = layer.reach
        let around = Law.box(layer).grown(by: 48)
        // Two specks far apart: what is drawn is not cut at the layer's own reach then.
        func speck(_ x: Int, _ y: Int) -> Mark {
            let outline = Outline(.rectangle(Rect(x: Double(x), y: Double(y), width: 1, height: 1)))
            return .body(
                Body(contents: [.fill(.outline(outline), .color(.black))], outline: outline, boxes: FillBoxes(text: .zero)))
        }
        var free = layer
        free.marks += [speck(around.x - 1, around.y - 1), speck(around.maxX, around.maxY)]
        let drawn = try Law.seen(free, around)
        for y in 0..<drawn.height {
            for x in 0..<drawn.width where !reach.contains(x: around.x + x, y: around.y + y) {
                if drawn[x, y][3] != 0 { return "(\(around.x + x), \(around.y + y)) is \(drawn[x, y]), outside \(reach)" }
            }
        }
        return nil
    }

    // MARK: Identity

    /// What makes each effect do nothing; an effect that takes a layer and is not here is one that nobody has thought of.
    private static let identities: [String: [[String: JSONValue?]]] = [
        "image.resize": [["width": 100_000, "height": nil, "fit": nil, "enlarge": nil]],
        "mask.grow": [["by": 0]],
        "stroke.outline": [["width": 0]],
        "shadow.drop": [["color": "#FF000000"], ["offset": 0, "blur": 0, "spread": 0, "caster": "keep"]],
        "shadow.inner": [["color": "#FF000000"], ["offset": 0, "blur": 0]],
        "layout.inset": [["insets": 0]],
        "layout.box": [["size": nil, "insets": nil, "by": nil, "snap": nil]],
        "layout.clip": [
            [
                "to": [
                    ["effect": "shape.rectangle", "size": [4000, 4000]], ["effect": "test.shift", "by": [-2000, -2000]],
                ]
            ]
        ],
        "layout.rotate": [["angle": 0], ["angle": 360]],
        "layout.scale": [["by": 1, "width": nil, "height": nil]],
        "layout.place": [["opacity": 0]],
        "layout.tile": [["opacity": 0]],
        // Of the tests that show what the law rejects.
        "broken.identity": [[:]],
    ]
    /// One layer alone in its list.
    private static let ofOne: Set<String> = ["layout.stack", "layout.row", "mask.combine"]
    /// What makes something else of its input in any case.
    private static let changing: Set<String> = ["fill.solid", "fill.gradient", "fill.image", "mask.alpha", "mask.luminance"]

    private func identity(_ subject: Subject, _ registry: Registry) throws -> String? {
        let d = subject.declaration
        guard let input = d.inputs.first, let first = subject.firstInput, !Law.changing.contains(d.id) else {
            throw NotApplicable()
        }
        if case .optional = input.form { throw NotApplicable() }
        let settings: [[String: JSONValue?]]
        if Law.ofOne.contains(d.id) {
            settings = [[input.name: [first]]]
        } else if let known = Law.identities[d.id] {
            settings = known
        } else {
            return "no settings are known with which it does nothing"
        }
        let before = try subject.layer(of: first, registry)
        // The ring of a mask is empty, not the mask.
        if d.id == "stroke.outline", subject.isMask(first, registry) { throw NotApplicable() }
        let expected = try Pixels(before.image(in: before.reach.isEmpty ? Law.box(before) : before.reach))
        for values in settings {
            let after = try subject.setting(values).layer(registry)
            let actual = try Pixels(after.image(in: after.reach.isEmpty ? Law.box(after) : after.reach))
            if let found = Law.difference(actual, expected) { return "\(values): \(found)" }
        }
        return nil
    }

    // MARK: Movement

    /// Inputs that only lend what is put to a place of its own.
    private static let staying: [String: [String]] = [
        "layout.box": ["input"], "layout.place": ["label"], "layout.tile": ["label"], "image.resize": ["input"],
    ]

    private func movement(_ subject: Subject, _ registry: Registry) throws -> String? {
        let d = subject.declaration
        guard d.inputs.contains(where: subject.isConnected) else { throw NotApplicable() }
        let stays = Law.staying[d.id]
        let before = try subject.layer(registry)
        // A picture that is moved is no longer one to be resized as it is stored.
        if d.id == "image.resize", before.picture != nil { throw NotApplicable() }
        let after = try subject.preceded(by: ["effect": "test.shift", "by": [13, -7]], at: stays).layer(registry)
        let box = Law.box(before).grown(by: 8)
        let moved = stays == nil ? Region(x: box.x + 13, y: box.y - 7, width: box.width, height: box.height) : box
        // The coarse cells of a wide shadow begin elsewhere: a level.
        return Law.difference(try Law.seen(after, moved), try Law.seen(before, box), tolerance: 1)
    }

    // MARK: Crop

    private func crop(_ subject: Subject, _ registry: Registry) throws -> String? {
        let layer = try subject.layer(registry)
        let box = Law.box(layer)
        if box.isEmpty { throw NotApplicable() }
        let image = try layer.image().image
        let whole = try Pixels(image)
        let (w, h) = (image.width, image.height)
        for (x, y, width, height) in [(w / 3, h / 4, w / 2, h / 2), (0, h / 2, w, 1), (w / 2, 0, 1, h)]
        where width > 0 && height > 0 {
            let part = try Pixels(image.extractArea(PixelBox(left: x, top: y, width: width, height: height)))
            let expected = whole.part(x, y, width, height)
            if let found = Law.difference(part, expected) { return "as part: \(found)" }
            if layer.picture != nil { continue }
            // Drawn as if nothing else were there: its sums begin elsewhere.
            let alone = try Law.seen(layer, Region(x: box.x + x, y: box.y + y, width: width, height: height))
            if let found = Law.difference(alone, expected, tolerance: 1) { return "alone: \(found)" }
        }
        return nil
    }

    // MARK: Threads

    private func threads(_ subject: Subject, _ registry: Registry) throws -> String? {
        let layer = try subject.layer(registry)
        if Law.box(layer).isEmpty { throw NotApplicable() }
        let expected = try Pixels(layer.image().image)
        // Made again: nothing has been prepared by the first drawing.
        let image = try subject.layer(registry).image().image
        let height = 5
        let count = (image.height + height - 1) / height
        let strips = Mutex<[Int: Pixels]>([:])
        let failure = Mutex<String?>(nil)
        DispatchQueue.concurrentPerform(iterations: count) { index in
            do {
                let box = PixelBox(
                    left: 0, top: index * height, width: image.width, height: min(height, image.height - index * height))
                let strip = try Pixels(image.extractArea(box))
                strips.withLock { $0[index] = strip }
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
        }
        if let failure = failure.withLock({ $0 }) { return failure }
        let samples = strips.withLock { all in (0..<count).flatMap { all[$0]?.samples ?? [] } }
        let drawn = Pixels(width: image.width, height: image.height, bands: expected.bands, samples: samples)
        return Law.difference(drawn, expected)
    }

    // MARK: Transparency

    private func transparency(_ subject: Subject, _ registry: Registry) throws -> String? {
        let d = subject.declaration
        guard let input = d.inputs.first, subject.isConnected(input) else { throw NotApplicable() }
        // A shape round a layer takes its place from it, not its ink.
        if case .optional = input.form { throw NotApplicable() }
        for step in [["effect": "test.erase"], ["effect": "test.erase", "picture": true]] as [JSONValue] {
            let layer = try subject.preceded(by: step).layer(registry)
            let box = Law.box(layer)
            if box.isEmpty { continue }
            let pixels = try Pixels(layer.image(in: box))
            for i in 0..<pixels.width * pixels.height where pixels.samples[i * 4 + 3] != 0 {
                return "\(step.compact): (\(box.x + i % pixels.width), \(box.y + i / pixels.width)) is visible"
            }
        }
        return nil
    }
}

extension Pixels {
    func part(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Pixels {
        var rows: [UInt8] = []
        for row in y..<y + height {
            let start = (row * self.width + x) * bands
            rows += samples[start..<start + width * bands]
        }
        return Pixels(width: width, height: height, bands: bands, samples: rows)
    }
}
