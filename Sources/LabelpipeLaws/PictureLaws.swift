import Diagnostics
import Dispatch
import LabelpipeDrawing
import LabelpipeEngine
import LabelpipeKit
import Outline
import Synchronization
import Vips

/// The laws on what is seen.
extension Law {
    // MARK: Reach

    func reach(_ subject: Subject, _ registry: Registry) throws -> String? {
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

    func identity(_ subject: Subject, _ registry: Registry) throws -> String? {
        let d = subject.declaration
        guard let input = d.inputs.first, let first = subject.firstInput, let idle = d.idle, !idle.isEmpty else {
            throw NotApplicable()
        }
        if case .optional = input.form { throw NotApplicable() }
        let before = try subject.layer(of: first, registry)
        let isMask = subject.isMask(first, registry)
        for settings in idle {
            var values: [String: JSONValue?] = [:]
            for member in settings.members ?? [] {
                values[member.key] = .some(member.value.isNull ? JSONValue?.none : member.value)
            }
            if input.isList { values[input.name] = .some(JSONValue(.array([first]))) }
            let after = try subject.setting(values).layer(registry)
            // What makes a mask of a mask's edge, and nothing is its edge then.
            if isMask, after.reach.isEmpty { continue }
            let box = Law.box(before).union(Law.box(after))
            if box.isEmpty { continue }
            guard let found = Law.difference(try Law.seen(after, box), try Law.seen(before, box)) else { continue }
            // What puts its input at a place of its own changes nothing else.
            func own(_ layer: Layer) throws -> Pixels { try Law.seen(layer, layer.reach.isEmpty ? Law.box(layer) : layer.reach) }
            if Law.difference(try own(after), try own(before)) == nil { continue }
            return "\(settings.compact): \(found)"
        }
        return nil
    }

    // MARK: Movement

    func movement(_ subject: Subject, _ registry: Registry) throws -> String? {
        let d = subject.declaration
        guard d.inputs.contains(where: subject.isConnected) else { throw NotApplicable() }
        let before = try subject.layer(registry)
        let box = Law.box(before).grown(by: 8)
        let expected = try Law.seen(before, box)
        func moved(_ names: [String]?) throws -> Layer {
            try subject.preceded(by: ["effect": "law.shift", "by": [13, -7]], at: names).layer(registry)
        }
        // A picture that is moved is no longer one that is read as it is stored; what is drawn on it has a place of its own.
        if before.picture != nil, let first = subject.firstInput, try subject.layer(of: first, registry).picture != nil {
            guard let base = d.drawsOn?.input else { throw NotApplicable() }
            let others = d.inputs.map(\.name).filter { $0 != base }
            return Law.difference(try Law.seen(moved(others), box), expected, tolerance: 1)
        }
        let after = try moved(nil)
        let there = Region(x: box.x + 13, y: box.y - 7, width: box.width, height: box.height)
        // The coarse cells of a wide shadow begin elsewhere: a level.
        guard let found = Law.difference(try Law.seen(after, there), expected, tolerance: 1) else { return nil }
        // What puts its input at a place of its own, such as into a box at the origin, stays there.
        if after.frame == before.frame, Law.difference(try Law.seen(after, box), expected, tolerance: 1) == nil { return nil }
        return found
    }

    // MARK: Crop

    func crop(_ subject: Subject, _ registry: Registry) throws -> String? {
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

    func threads(_ subject: Subject, _ registry: Registry, _ patience: Duration) throws -> String? {
        let layer = try subject.layer(registry)
        let box = Law.box(layer)
        if box.isEmpty { throw NotApplicable() }
        let expected = try Pixels(layer.image().image)
        // Made again: nothing has been prepared by the drawing before.
        let image = try subject.layer(registry).image().image
        let shared = try Law.drawnInStrips(image.width, image.height) { top, height in
            try image.extractArea(PixelBox(left: 0, top: top, width: image.width, height: height))
        }
        if let found = Law.difference(shared, expected) { return found }
        guard patience > .zero else { return nil }
        // Each strip for itself, again and again: what several share is computed by one of them for all.
        let whole = try Law.seen(layer, box)
        let start = ContinuousClock.now
        while start.duration(to: .now) < patience {
            let again = try subject.layer(registry)
            let drawn = try Law.drawnInStrips(box.width, box.height) { top, height in
                try again.image(in: Region(x: box.x, y: box.y + top, width: box.width, height: height))
            }
            if let found = Law.difference(drawn, whole, tolerance: 1) { return found }
        }
        return nil
    }

    private static func drawnInStrips(
        _ width: Int, _ height: Int, _ draw: @Sendable (_ top: Int, _ height: Int) throws -> Image
    ) throws -> Pixels {
        let step = 5
        let count = (height + step - 1) / step
        let strips = Mutex<[Int: Pixels]>([:])
        let failure = Mutex<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: count) { index in
            do {
                let strip = try Pixels(draw(index * step, min(step, height - index * step)))
                strips.withLock { $0[index] = strip }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        let all = strips.withLock { $0 }
        return Pixels(
            width: width, height: height, bands: all[0]?.bands ?? 0, samples: (0..<count).flatMap { all[$0]?.samples ?? [] })
    }

    // MARK: Transparency

    func transparency(_ subject: Subject, _ registry: Registry) throws -> String? {
        let d = subject.declaration
        guard let input = d.inputs.first, subject.isConnected(input) else { throw NotApplicable() }
        // A shape round a layer takes its place from it, not its ink.
        if case .optional = input.form { throw NotApplicable() }
        for step in [["effect": "law.erase"], ["effect": "law.erase", "picture": true]] as [JSONValue] {
            let layer: Layer
            do { layer = try subject.preceded(by: step).layer(registry) } catch {
                // What takes text and shapes alone may refuse a picture.
                if step["picture"] != nil, error is Diagnostic { continue }
                throw error
            }
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
