import Diagnostics
import LabelpipeKit
import Outline
import Synchronization
import Vips

/// One effect for each law, which it breaks.
let brokenPlugin = Plugin(
    id: "test.broken",
    effects: [
        BrokenExample.self, BrokenReach.self, BrokenIdentity.self, BrokenMovement.self, BrokenCrop.self, BrokenThreads.self,
        BrokenTransparency.self, BrokenRanges.self, BrokenLeaks.self,
    ])

private let label = #"{ "effect": "shape.rectangle", "size": [40, 24] }, { "effect": "fill.solid", "color": "red" }"#

private func broken(
    _ name: String, takes: Bool = true, _ parameters: [any AnyParameter] = [], idle: [JSONValue]? = nil
) -> EffectDeclaration {
    EffectDeclaration(
        id: "broken.\(name)", summary: "Breaks the law of \(name).",
        inputs: takes ? [Input("input", .colour, doc: "anything")] : [], output: .colour, parameters: parameters,
        idle: idle, example: takes ? "[ \(label), { \"effect\": \"broken.\(name)\" } ]" : "{ \"effect\": \"broken.\(name)\" }")
}

private func square(_ outline: Outline) -> Mark {
    .body(Body(contents: [.fill(.outline(outline), .color(.black))], outline: outline, boxes: FillBoxes(text: .zero)))
}

/// Shows nothing of itself.
struct BrokenExample: Effect {
    static let declaration = broken("example")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        var layer = inputs.layer
        layer.marks = []
        return layer
    }
}

/// Remembers all that it was ever given.
struct BrokenLeaks: Effect {
    static let declaration = broken("leaks")
    private static let all = Mutex<[Image]>([])
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let kept = try Image.filled([0], width: 4, height: 4, format: .uchar, interpretation: .bw)
        Self.all.withLock { $0.append(kept) }
        return inputs.layer
    }
}

/// Says that it is smaller than it is.
struct BrokenReach: Effect {
    static let declaration = broken("reach", takes: false)
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let real = Outline(.rectangle(Rect(x: 0, y: 0, width: 40, height: 24))).polygons()
        let outline = Outline.deferred(bounds: Rect(x: 0, y: 0, width: 30, height: 24)) { _ in real }
        return Layer(marks: [square(outline)], kind: .colour, frame: Rect(x: 0, y: 0, width: 30, height: 24))
    }
}

/// Hardly visible where it should not be visible at all.
struct BrokenIdentity: Effect {
    static let declaration = broken("identity", idle: [[:]])
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer { inputs.layer.moved(by: Vector(dx: 0.02, dy: 0)) }
}

/// Draws where it likes, wherever its input is.
struct BrokenMovement: Effect {
    static let declaration = broken("movement")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        var layer = inputs.layer
        layer.marks.append(square(Outline(.rectangle(Rect(x: 4, y: 4, width: 6, height: 6)))))
        return layer
    }
}

/// Its pixels depend on which of them are asked for together.
struct BrokenCrop: Effect {
    static let declaration = broken("crop", takes: false)
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let image = try Image.generated(
            width: 40, height: 24, bands: 3, format: .uchar, interpretation: .srgb, hint: .any
        ) { pixels in
            for row in 0..<pixels.box.height {
                let out = pixels.row(row, as: UInt8.self)
                for i in 0..<pixels.box.width * 3 { out[i] = UInt8(truncatingIfNeeded: i / 3) }
            }
        }
        return Layer(Picture(image))
    }
}

/// Remembers how often it was asked.
struct BrokenThreads: Effect {
    static let declaration = broken("threads", takes: false)
    private static let count = Mutex(0)
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let image = try Image.generated(
            width: 40, height: 24, bands: 3, format: .uchar, interpretation: .srgb, hint: .any
        ) { pixels in
            let level = Self.count.withLock { count in
                count += 1
                return UInt8(truncatingIfNeeded: count)
            }
            for row in 0..<pixels.box.height {
                let out = pixels.row(row, as: UInt8.self)
                for i in 0..<pixels.box.width * 3 { out[i] = level }
            }
        }
        return Layer(Picture(image))
    }
}

/// Paints a frame without anything in it.
struct BrokenTransparency: Effect {
    static let declaration = broken("transparency")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        var layer = inputs.layer
        layer.marks.append(square(Outline(.rectangle(layer.frame))))
        return layer
    }
}

/// Refuses what its declaration allows.
struct BrokenRanges: Effect {
    static let declaration = broken("ranges", [width])
    private static let width = Parameter<Double>.length("width", default: 1, range: 0...10, doc: "a length")
    init(_ arguments: Arguments) throws {
        if arguments[Self.width] >= 10 { throw arguments.problem(Self.width, expected: "less than 10px", got: "more") }
    }
    func apply(to inputs: Inputs, in context: Context) -> Layer { inputs.layer }
}
