import Diagnostics
import LabelpipeEngine
import LabelpipeKit
import Outline
import Synchronization
import Vips

// Effects of the tests' own: they say what reached them, and draw next to nothing.

extension Registry {
    static func madeUp() throws -> Registry { try Registry([madeUpPlugin]) }
}

let madeUpPlugin = Plugin(
    id: "test.made-up",
    effects: [
        Source.self, Canvas.self, Text.self, Shape.self, Fill.self, Stroke.self, Shadow.self, Inset.self, Place.self, Stack.self,
        Row.self, Clip.self, Scale.self, All.self, Relation.self, Noisy.self, Based.self,
    ])

/// What the case files print.
func shown(_ value: Value) -> String {
    func number(_ n: Double) -> String {
        let n = (n * 1000).rounded() / 1000
        return n == n.rounded() ? String(Int(n)) : String(n)
    }
    switch value {
    case .string(let text): return "\"\(text)\""
    case .number(let n): return number(n)
    case .length(let own): return "\(number(own.px(em: 10))) at 10, \(number(own.px(em: 100))) at 100"
    case .boolean(let flag): return "\(flag)"
    case .color(let color): return color.hex
    case .paint(.color(let color)): return color.hex
    case .paint(.gradient(let g)):
        return "\(g.type.rawValue) \(g.colors.map(\.hex).joined(separator: " ")) \(g.box.rawValue)"
    case .insets(let i): return "\(number(i.top)) \(number(i.left)) \(number(i.bottom)) \(number(i.right))"
    case .point(let x, let y): return "\(number(x)) \(number(y))"
    case .offset(let v): return "\(number(v.dx)) \(number(v.dy))"
    case .size(let s): return "\(s.width.map(number) ?? "null") \(s.height.map(number) ?? "null")"
    case .list(let all): return "[\(all.map(shown).joined(separator: ", "))]"
    case .object(let all):
        return "{\(all.sorted { $0.key < $1.key }.map { "\($0.key): \(shown($0.value))" }.joined(separator: ", "))}"
    }
}

extension Context {
    func say(_ text: String) { report(Note(.note, "said", text)) }
}

extension Layer {
    /// A layer of a size, with a mark that tells layers apart.
    init(_ kind: LayerKind, width: Double, height: Double) {
        let frame = Rect(x: 0, y: 0, width: width, height: height)
        self.init(marks: [], kind: kind, frame: frame)
    }
}

struct Source: Effect {
    static let declaration = EffectDeclaration(
        id: "image.source", summary: "The picture.", output: .colour, parameters: [page],
        example: "{ \"effect\": \"image.source\" }")
    static let page = Parameter<Value>.value(
        "page", .either([.integer, .choice(["all"])]), default: "all", range: 0...1_000_000, doc: "the page")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) throws -> Layer { Layer(try context.source(nil)) }
}

struct Canvas: Effect {
    static let declaration = EffectDeclaration(
        id: "image.canvas", summary: "A picture of one colour.", output: .colour, parameters: [size],
        example: "{ \"effect\": \"image.canvas\", \"size\": [4, 4] }")
    static let size = Parameter<PartialSize>.size("size", range: 1...10_000_000, doc: "width and height")
    let size: PartialSize
    init(_ arguments: Arguments) { size = arguments[Self.size] }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        Layer(.colour, width: size.width ?? 0, height: size.height ?? 0)
    }
}

struct Text: Effect {
    static let declaration = EffectDeclaration(
        id: "t.text", summary: "A text, as a mask.", output: .coverage, givesText: true,
        parameters: [text, size, spacing, font, fontFile],
        example: "[ { \"effect\": \"t.text\", \"text\": \"A\" }, { \"effect\": \"t.fill\" } ]")
    static let text = Parameter<String>.string("text", doc: "what it says")
    static let size = Parameter<Double>.length("size", default: "4vmin", otherwise: 16, range: 0.5...16384, doc: "the text size")
    static let spacing = Parameter<OwnLength>.ownLength("spacing", default: 0, doc: "between letters")
    static let font = Parameter<String>.string("font", default: "sans-serif", doc: "families")
    static let fontFile = Parameter<String>.path("fontFile", doc: "a font's file").optional
    let text: String
    let size: Double
    let spacing: Double
    let file: String?
    init(_ arguments: Arguments) {
        text = arguments[Self.text]
        size = arguments[Self.size]
        spacing = arguments[Self.spacing].px(em: size)
        file = arguments[Self.fontFile]
    }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        context.say(
            "text \"\(text)\" \(shown(.number(size)))" + (spacing == 0 ? "" : " spaced \(shown(.number(spacing)))")
                + (file.map { " from \($0)" } ?? ""))
        var layer = Layer(.coverage, width: size * Double(text.count) / 2, height: size)
        layer.text = TextFacts(
            size: size, baseline: .zero, lastBaseline: .zero, capHeight: size, xHeight: size / 2, direction: .leftToRight)
        return layer
    }
}

struct Shape: Effect {
    static let declaration = EffectDeclaration(
        id: "t.shape", summary: "A box, as a mask.", inputs: [Input("around", .either, .optional, doc: "what it lies round")],
        output: .coverage, parameters: [size],
        example: "[ { \"effect\": \"t.shape\", \"size\": [4, 4] }, { \"effect\": \"t.fill\" } ]")
    static let size = Parameter<PartialSize>.size("size", doc: "width and height").optional
    let size: PartialSize?
    init(_ arguments: Arguments) throws {
        size = arguments[Self.size]
        if size == nil, arguments.kind(ofInput: "around") == nil {
            throw arguments.problem(Self.size, expected: "a size, or something around which it lies", got: "neither")
        }
    }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let frame = inputs.optional("around")?.frame
        let layer = Layer(.coverage, width: size?.width ?? frame?.width ?? 0, height: size?.height ?? frame?.height ?? 0)
        context.say("shape \(shown(.number(layer.frame.width))) \(shown(.number(layer.frame.height)))")
        return layer
    }
}

struct Fill: Effect {
    static let declaration = EffectDeclaration(
        id: "t.fill", summary: "Gives a mask its colour.", inputs: [Input("input", .coverage, doc: "the mask")], output: .colour,
        parameters: [color], example: "[ { \"effect\": \"t.shape\", \"size\": [4, 4] }, { \"effect\": \"t.fill\" } ]")
    static let color = Parameter<Color>.color("color", default: "black", doc: "the colour")
    let color: Color
    init(_ arguments: Arguments) { color = arguments[Self.color] }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        context.say("fill \(color.hex)")
        var layer = inputs.layer
        layer.kind = .colour
        return layer
    }
}

struct Stroke: Effect {
    enum Position: String, CaseIterable { case outside, center, inside }
    static let declaration = EffectDeclaration(
        id: "t.stroke", summary: "A line round it.", inputs: [Input("input", .either, doc: "what it goes round")],
        output: .sameAsInput, parameters: [width, color, position],
        example: "[ { \"effect\": \"t.shape\", \"size\": [4, 4] }, { \"effect\": \"t.fill\" }, { \"effect\": \"t.stroke\" } ]"
    )
    static let width = Parameter<Double>.length(
        "width", default: "1px", range: 0...4096, doc: "visible width of the stroke")
    static let color = Parameter<PaintValue>.paint("color", default: "black", doc: "its paint")
    static let position = Parameter<Position>.choice("position", default: "outside", doc: "where it lies")
    let width: Double
    let color: PaintValue
    let position: Position
    init(_ arguments: Arguments) {
        width = arguments[Self.width]
        color = arguments[Self.color]
        position = arguments[Self.position]
    }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        context.say("stroke \(shown(.number(width))) \(shown(.paint(color))) \(position.rawValue)")
        return inputs.layer
    }
}

struct Shadow: Effect {
    static let declaration = EffectDeclaration(
        id: "t.shadow", summary: "A shadow.", inputs: [Input("input", .colour, doc: "what casts it")], output: .colour,
        parameters: [offset, blur],
        example: "[ { \"effect\": \"t.shape\", \"size\": [4, 4] }, { \"effect\": \"t.fill\" }, { \"effect\": \"t.shadow\" } ]")
    static let offset = Parameter<Vector>.offset("offset", default: [0, "0.04em"], doc: "where it falls")
    static let blur = Parameter<Double>.length("blur", default: "0.1em", otherwise: 4, range: 0...4096, doc: "how soft it is")
    let offset: Vector
    let blur: Double
    init(_ arguments: Arguments) {
        offset = arguments[Self.offset]
        blur = arguments[Self.blur]
    }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        context.say("shadow \(shown(.offset(offset))) blur \(shown(.number(blur)))")
        return inputs.layer
    }
}

struct Inset: Effect {
    static let declaration = EffectDeclaration(
        id: "t.inset", summary: "Room round it.", inputs: [Input("input", .either, doc: "what gets room")], output: .sameAsInput,
        parameters: [insets], example: "{ \"effect\": \"t.inset\", \"input\": { \"effect\": \"image.source\" } }")
    static let insets = Parameter<Insets>.insets("insets", default: 0, doc: "how much")
    let insets: Insets
    init(_ arguments: Arguments) { insets = arguments[Self.insets] }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        context.say("inset \(shown(.insets(insets)))")
        var layer = inputs.layer
        layer.frame = layer.frame.inset(by: -insets)
        return layer
    }
}

struct Place: Effect {
    static let declaration = EffectDeclaration(
        id: "t.place", summary: "A label on a picture.",
        inputs: [
            Input("base", .colour, doc: "the picture"),
            Input("label", .colour, measuredBy: "base", doc: "what is put on it"),
        ],
        output: .colour, parameters: [anchor, insets, opacity],
        example:
            "[ { \"effect\": \"image.source\" }, { \"effect\": \"t.place\", \"label\": [ { \"effect\": \"t.shape\", \"size\": [4, 4] }, { \"effect\": \"t.fill\" } ] } ]"
    )
    static let anchor = Parameter<Anchor>.anchor("anchor", default: "bottom-right", doc: "where")
    static let insets = Parameter<Insets>.insets("insets", default: 0, doc: "from the edges")
    static let opacity = Parameter<Double>.number("opacity", default: 1, range: 0...1, doc: "of the label")
    let anchor: Anchor
    let insets: Insets
    let opacity: Double
    init(_ arguments: Arguments) {
        anchor = arguments[Self.anchor]
        insets = arguments[Self.insets]
        opacity = arguments[Self.opacity]
    }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let label = inputs["label"].frame
        context.say(
            "place \(shown(.number(label.width)))x\(shown(.number(label.height))) \(anchor.rawValue) \(shown(.insets(insets)))"
                + (opacity == 1 ? "" : " opacity \(opacity)"))
        return inputs["base"]
    }
}

struct Stack: Effect {
    static let declaration = EffectDeclaration(
        id: "t.stack", summary: "Layers over each other.",
        inputs: [Input("layers", .colour, .entries([opacity, lift]), doc: "bottom to top")], output: .colour,
        example: "{ \"effect\": \"t.stack\", \"layers\": [ { \"effect\": \"image.source\" } ] }")
    static let opacity = Parameter<Double>.number("opacity", default: 1, range: 0...1, doc: "of the layer")
    static let lift = Parameter<Double>.length("lift", default: 0, doc: "how far up")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let entries = inputs.list("layers")
        context.say(
            "stack "
                + entries.map {
                    "\(shown(.number($0.layer.frame.width)))"
                        + ($0.arguments[Self.opacity] == 1 ? "" : " at \($0.arguments[Self.opacity])")
                        + ($0.arguments[Self.lift] == 0 ? "" : " up \(shown(.number($0.arguments[Self.lift])))")
                }.joined(separator: ", "))
        var layer = entries.first?.layer ?? Layer(.colour, width: 0, height: 0)
        layer.text = entries.lazy.compactMap(\.layer.text).first
        layer.marks = entries.flatMap(\.layer.marks)
        return layer
    }
}

struct Row: Effect {
    static let declaration = EffectDeclaration(
        id: "t.row", summary: "Layers side by side.", inputs: [Input("layers", .either, .many, doc: "left to right")],
        output: .sameAsInput, parameters: [gap],
        example: "{ \"effect\": \"t.row\", \"layers\": [ { \"effect\": \"image.source\" } ] }")
    static let gap = Parameter<Double>.length("gap", default: "0.25em", doc: "between them")
    let gap: Double
    init(_ arguments: Arguments) { gap = arguments[Self.gap] }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let layers = inputs.list("layers").map(\.layer)
        context.say("row of \(layers.count), gap \(shown(.number(gap)))")
        var layer = layers[0]
        layer.text = layers.lazy.compactMap(\.text).first
        return layer
    }
}

struct Clip: Effect {
    static let declaration = EffectDeclaration(
        id: "t.clip", summary: "Cuts it.",
        inputs: [Input("input", .either, doc: "what is cut"), Input("to", .coverage, .optional, doc: "what stays; the frame")],
        output: .sameAsInput, example: "{ \"effect\": \"t.clip\", \"input\": { \"effect\": \"image.source\" } }")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        context.say("clip to \(inputs.optional("to") == nil ? "the frame" : "a mask")")
        return inputs.layer
    }
}

/// A picture of another size, as `image.resize` gives it.
struct Scale: Effect {
    static let declaration = EffectDeclaration(
        id: "t.scale", summary: "Larger or smaller.", inputs: [Input("input", .colour, doc: "what is scaled")], output: .colour,
        parameters: [by], example: "{ \"effect\": \"t.scale\", \"by\": 2, \"input\": { \"effect\": \"image.source\" } }")
    static let by = Parameter<Double>.number("by", doc: "the factor")
    let by: Double
    init(_ arguments: Arguments) { by = arguments[Self.by] }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        var layer = inputs.layer
        layer.marks = []
        layer.frame = Rect(x: 0, y: 0, width: layer.frame.width * by, height: layer.frame.height * by)
        return layer
    }
}

/// One parameter of every kind, none with a default.
struct All: Effect {
    static let declaration = EffectDeclaration(
        id: "t.all", summary: "Every kind of value.", inputs: [Input("input", .either, .optional, doc: "anything")],
        output: .colour,
        parameters: kinds, example: "{ \"effect\": \"t.all\", \"length\": 3 }")
    static let kinds: [Parameter<Value?>] = [
        ("string", .string, nil), ("number", .number, nil), ("ratio", .number, 0...1), ("integer", .integer, nil),
        ("boolean", .boolean, nil), ("length", .length, nil), ("width", .length, 0...100), ("own", .ownLength, nil),
        ("color", .color, nil), ("paint", .paint, nil), ("insets", .insets, nil), ("point", .point, nil),
        ("offset", .offset, nil), ("size", .size, 0...1000), ("anchor", .anchor, nil), ("angle", .angle, nil),
        ("path", .path, nil), ("choice", .choice(["round", "miter", "bevel"]), nil), ("colors", .list(.color), nil),
        ("numbers", .list(.number), 0...1), ("axes", .numbers, nil), ("gap", .either([.size, .length]), nil),
        ("quality", .either([.integer, .choice(["keep"])]), 1...100), ("weights", .list(.string), nil),
    ].map { (name: String, kind: Kind, range: ClosedRange<Double>?) in
        Parameter<Value>.value(name, kind, range: range, doc: "any \(name)").optional
    }
    let values: [String]
    init(_ arguments: Arguments) {
        values = Self.kinds.compactMap { kind in arguments[kind].map { "\(kind.declaration.name) \(shown($0))" } }
    }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        context.say("all " + values.joined(separator: "; "))
        return inputs.optional("input") ?? Layer(.colour, width: 10, height: 10)
    }
}

/// Two parameters that have to do with each other.
struct Relation: Effect {
    static let declaration = EffectDeclaration(
        id: "t.relation", summary: "Low and high.", output: .colour, parameters: [low, high, word],
        example: "{ \"effect\": \"t.relation\" }")
    static let low = Parameter<Double>.length("low", default: 0, doc: "not above high")
    static let high = Parameter<Double>.length("high", default: 10, doc: "not below low")
    static let word = Parameter<String>.string("word", default: "even", doc: "of an even number of letters")
    init(_ arguments: Arguments) throws {
        let (low, high) = (arguments[Self.low], arguments[Self.high])
        if low > high {
            throw arguments.problem(
                Self.low, expected: "low not above high (\(shown(.number(high)))px)", got: "\(shown(.number(low)))px")
        }
        let word = arguments[Self.word]
        if word.count % 2 == 1 { throw arguments.problem(Self.word, expected: "an even number of letters", got: "\"\(word)\"") }
    }
    func apply(to inputs: Inputs, in context: Context) -> Layer { Layer(.colour, width: 1, height: 1) }
}

/// Warns each time it is applied, and counts how often that is.
struct Noisy: Effect {
    static let applied = Mutex(0)
    static let declaration = EffectDeclaration(
        id: "t.noisy", summary: "Warns.", output: .colour, parameters: [text, path], example: "{ \"effect\": \"t.noisy\" }")
    static let text = Parameter<String>.string("text", default: "hm", doc: "the warning")
    static let path = Parameter<String>.path("path", doc: "a file").optional
    let text: String
    init(_ arguments: Arguments) { text = arguments[Self.text] }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        Self.applied.withLock { $0 += 1 }
        context.report(Note(.warning, "noise", text))
        return Layer(.colour, width: 1, height: 1)
    }
}

/// Looks at the base behind the engine's back.
struct Based: Effect {
    static let declaration = EffectDeclaration(
        id: "t.based", summary: "As wide as the picture.", output: .colour, parameters: [], example: "{ \"effect\": \"t.based\" }"
    )
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        Layer(.colour, width: context.base?.width ?? 0, height: context.base?.height ?? 0)
    }
}
