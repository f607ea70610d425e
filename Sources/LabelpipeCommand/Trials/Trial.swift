import CLinux
import Diagnostics
import Dispatch
import LabelpipeDrawing
import LabelpipeEngine
import LabelpipeKit
import Outline
import Synchronization
import Vips

/// What holds for every effect, whoever wrote it.
enum Trial: String, CaseIterable {
    /// Its example is valid, small, and draws within the reach that geometry declares.
    case example
    /// An input that is moved by whole px gives the same picture, moved.
    case movement
    /// A part that is drawn by itself is the part of the whole.
    case crop
    /// Many threads draw what one draws.
    case threads
    /// A transparent input gives a transparent picture.
    case transparency
    /// Both ends of a range can be drawn; what is one step beyond is refused where it stands.
    case ranges
    /// Drawing again and again keeps nothing.
    case leaks

    /// What is wrong; nil: nothing, or nothing that this effect can be asked.
    func fault(of subject: TrialSubject) throws -> String? {
        switch self {
        case .example: try example(subject)
        case .movement: try movement(subject)
        case .crop: try crop(subject)
        case .threads: try threads(subject)
        case .transparency: try transparency(subject)
        case .ranges: try ranges(subject)
        case .leaks: try leaks(subject)
        }
    }

    private func box(_ layer: Layer) -> Region { layer.frame.roundedOut.union(layer.reach) }

    private func example(_ subject: TrialSubject) throws -> String? {
        if subject.place == nil { return "the example does not use the effect in its chain" }
        let layer = try subject.layer(subject.steps)
        let box = box(layer)
        guard box.width <= 256, box.height <= 256 else {
            return "the example is \(box.width) × \(box.height) px; at most 256 × 256"
        }
        guard !box.isEmpty else { return "the example draws nothing" }
        _ = try layer.image(in: box).writeToMemory()
        return nil
    }

    private func movement(_ subject: TrialSubject) throws -> String? {
        guard let moved = subject.preceded(by: ["effect": "trial.shift", "by": [13, -7]]) else { return nil }
        let before = try subject.layer(subject.steps)
        let after = try subject.layer(moved)
        let box = box(before).grown(by: 8)
        guard !box.isEmpty else { return nil }
        // What puts its input at a place of its own (a box, a picture) may stay where it is.
        let there = Region(x: box.x + 13, y: box.y - 7, width: box.width, height: box.height)
        let expected = try before.image(in: box).writeToMemory()
        if distance(try after.image(in: there).writeToMemory(), expected) <= 1 { return nil }
        if after.frame == before.frame, distance(try after.image(in: box).writeToMemory(), expected) <= 1 { return nil }
        return "an input moved by (13, -7) gives another picture, not the same moved"
    }

    private func crop(_ subject: TrialSubject) throws -> String? {
        let layer = try subject.layer(subject.steps)
        let box = box(layer)
        guard box.width > 2, box.height > 2 else { return nil }
        let whole = try layer.image(in: box).materialised()
        for (x, y, w, h) in [(box.width / 3, box.height / 4, box.width / 2, box.height / 2), (0, box.height / 2, box.width, 1)] {
            let part = try layer.image(in: Region(x: box.x + x, y: box.y + y, width: w, height: h)).writeToMemory()
            let expected = try whole.extractArea(PixelBox(left: x, top: y, width: w, height: h)).writeToMemory()
            if distance(part, expected) > 1 {
                return "a part drawn by itself, \(w) × \(h) at \(x), \(y), is not that part of the whole"
            }
        }
        return nil
    }

    /// For two seconds, in strips drawn by all cores at once; made again each time, since what has been drawn is kept.
    private func threads(_ subject: TrialSubject) throws -> String? {
        let layer = try subject.layer(subject.steps)
        let box = box(layer)
        guard !box.isEmpty else { return nil }
        let expected = try layer.image(in: box).writeToMemory()
        let row = expected.count / box.height
        let found = Mutex<String?>(nil)
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(2) {
            let again = try subject.layer(subject.steps)
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                do {
                    let height = min(box.height, 3 + thread)
                    let top = thread * 5 % (box.height - height + 1)
                    let strip = Region(x: box.x, y: box.y + top, width: box.width, height: height)
                    let bytes = try again.image(in: strip).writeToMemory()
                    if distance(bytes, Array(expected[(top * row)..<((top + height) * row)])) > 1 {
                        found.withLock { $0 = "many threads draw another picture than one: a pixel callback is not re-entrant" }
                    }
                } catch {
                    found.withLock { $0 = "with many threads: \(error)" }
                }
            }
            if let found = found.withLock({ $0 }) { return found }
        }
        return nil
    }

    private func transparency(_ subject: TrialSubject) throws -> String? {
        guard let input = subject.declaration.inputs.first, case .one = input.form,
            let erased = subject.preceded(by: ["effect": "trial.erase"])
        else { return nil }
        let layer = try subject.layer(erased)
        let box = box(layer)
        guard !box.isEmpty else { return nil }
        let image = try layer.image(in: box)
        return try image.extractBand(image.bands - 1).writeToMemory().contains { $0 != 0 }
            ? "a transparent input gives something visible" : nil
    }

    private func ranges(_ subject: TrialSubject) throws -> String? {
        for parameter in subject.declaration.parameters.map(\.declaration) {
            guard let range = parameter.range else { continue }
            let isWhole = parameter.kind == .integer || parameter.kind == .list(.integer)
            for (end, beyond) in [
                (range.lowerBound, isWhole ? range.lowerBound - 1 : range.lowerBound.nextDown),
                (range.upperBound, isWhole ? range.upperBound + 1 : range.upperBound.nextUp),
            ] {
                guard let value = parameter.kind.written(end), let steps = subject.setting(parameter.name, value) else {
                    continue
                }
                do {
                    _ = try subject.layer(steps)
                } catch let failure as TrialSubject.Failure {
                    return "\"\(parameter.name)\": \(end), an end of its range, cannot be drawn: \(failure.text)"
                }
                guard let wrong = parameter.kind.written(beyond), let steps = subject.setting(parameter.name, wrong) else {
                    continue
                }
                if (try? subject.plan(steps)) != nil { return "\"\(parameter.name)\": \(beyond), beyond its range, is accepted" }
            }
        }
        return nil
    }

    private func leaks(_ subject: TrialSubject) throws -> String? {
        func draw() throws {
            let layer = try subject.layer(subject.steps)
            let box = box(layer)
            if !box.isEmpty { _ = try layer.image(in: box).writeToMemory() }
        }
        // What is made once, for all that come later, is no leak, and allocators take their time: what every round leaves is.
        for _ in 0..<10 { try draw() }
        var (objects, bytes) = (Int.max, Int.max)
        for _ in 0..<4 {
            let before = (VipsRuntime.liveObjectCount, Int(lp_held_bytes()))
            for _ in 0..<25 { try draw() }
            objects = min(objects, VipsRuntime.liveObjectCount - before.0)
            bytes = min(bytes, Int(lp_held_bytes()) - before.1)
        }
        if objects >= 12 { return "25 drawings leave \(objects) libvips objects behind: a reference is not given back" }
        if bytes > 25 * 128 { return "25 drawings leave \(bytes) bytes behind" }
        return nil
    }
}

/// The largest difference of two pictures of one size.
private func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard a.count == b.count else { return .max }
    var most = 0
    for (x, y) in zip(a, b) { most = max(most, abs(Int(x) - Int(y))) }
    return most
}

extension Kind {
    /// A value whose numbers are all `n`; nil for kinds without a range.
    fileprivate func written(_ n: Double) -> JSONValue? {
        switch self {
        case .number, .length, .angle: JSONValue(n)
        case .integer: JSONValue(Int(n))
        case .insets: JSONValue(n)
        case .offset, .size, .point: [JSONValue(n), JSONValue(n)]
        case .list(let kind): kind.written(n).map { [$0] }
        default: nil
        }
    }
}
