import Diagnostics
import LabelpipeKit
import Vips

/// A libvips operation as an effect: `vips.NAME`, declared from what libvips says about itself.
///
/// Keys are libvips' argument names. Images are inputs, the first of them fed by the chain; several images in one argument
/// are a list. Numbers keep libvips' ranges, choices are written by nickname, flags and arrays are lists. An argument that
/// is not written is not passed, so libvips' own default holds. Left out: loaders, savers, what names a file, and what
/// takes no image.
///
/// Pictures cross as they are: upright, all pages beneath each other, in their own format, bands and profile. Anything else
/// crosses as its frame grown by its reach, in sRGB with straight alpha; `vips.premultiply` before what mixes pixels and
/// `vips.unpremultiply` behind it keep transparent colours out. An image of its first input's size keeps that input's
/// place, frame and text; one of another size is a picture of its own with its top left at (0, 0).
///
///     [ { "effect": "image.source" }, { "effect": "vips.gaussblur", "sigma": 3 } ]
///
/// **Cost**: the operation's; a picture is put in memory first where libvips says the operation cannot read it once from
/// top to bottom.
struct OperationEffect {
    static let prefix = "vips."

    let operation: OperationDescription
    let inputs: [OperationArgumentDescription]
    let settings: [Setting]
    /// The images it gives; a node passes one on.
    let outputs: [String]

    /// An argument that a document may write.
    struct Setting: Sendable {
        let argument: OperationArgumentDescription
        let parameter: Parameter<Value?>
        let declared: any AnyParameter
    }

    /// **Errors**: libvips cannot be started.
    static func all() throws -> [String] {
        try Operation.all().filter { name in try Operation.describe(name).map { OperationEffect($0) != nil } ?? false }
            .map { prefix + $0 }
    }

    static func named(_ id: String) throws -> EffectKind? {
        guard id.hasPrefix(prefix) else { return nil }
        let name = String(id.dropFirst(prefix.count))
        guard try Operation.all().contains(name), let operation = try Operation.describe(name),
            let effect = OperationEffect(operation)
        else { return nil }
        return EffectKind(effect.declaration) { arguments in
            let node = OperationNode(effect, arguments)
            return { inputs, _ in try node.apply(to: inputs) }
        }
    }

    /// nil: it takes no image.
    private init?(_ operation: OperationDescription) {
        self.operation = operation
        inputs = operation.arguments.filter { $0.isInput && ($0.kind == .image || $0.kind == .images) }
        outputs = operation.arguments.filter { $0.isOutput && $0.isRequired && $0.kind == .image }.map(\.name)
        guard inputs.contains(where: \.isRequired), !outputs.isEmpty else { return nil }
        settings = operation.arguments.filter(\.isInput).compactMap { Setting($0) }
    }

    // MARK: The declaration

    /// Which image a node passes on, where the operation gives several.
    var output: Parameter<Value>? {
        guard outputs.count > 1 else { return nil }
        return .value(
            "output", .choice(outputs), default: JSONValue(.string(outputs[0])), doc: "which of its images is passed on")
    }

    var declaration: EffectDeclaration {
        var parameters = settings.map(\.declared)
        if let output { parameters.append(output) }
        return EffectDeclaration(
            id: Self.prefix + operation.nickname, summary: operation.summary.sentence + " (libvips).",
            inputs: inputs.map { argument in
                let form: Input.Form = argument.kind == .images ? .many : argument.isRequired ? .one : .optional
                return Input(argument.name, .colour, form, doc: argument.blurb)
            },
            output: .colour, parameters: parameters, example: example)
    }

    /// A chain that feeds the first input, other inputs by name, and the parameters that have to be written.
    private var example: String {
        let picture = "{ \"effect\": \"image.canvas\", \"size\": [64, 64], \"color\": \"#3B7DD8\" }"
        var keys = ["\"effect\": \"\(Self.prefix)\(operation.nickname)\""]
        for input in inputs.filter(\.isRequired).dropFirst(inputs[0].kind == .images ? 0 : 1) {
            keys.append("\"\(input.name)\": " + (input.kind == .images ? "[\(picture), \(picture)]" : picture))
        }
        for setting in settings where setting.argument.isRequired {
            keys.append("\"\(setting.argument.name)\": \(setting.argument.kind.sample)")
        }
        let node = "{ " + keys.joined(separator: ", ") + " }"
        return inputs[0].kind == .images ? node : "[\n  \(picture),\n  \(node)\n]"
    }
}

extension OperationEffect.Setting {
    /// nil: an image, or what cannot be written in a document.
    fileprivate init?(_ argument: OperationArgumentDescription) {
        guard !argument.namesFile else { return nil }
        let kind: Kind
        var standard: JSONValue?
        var range: ClosedRange<Double>?
        switch argument.kind {
        case .number(let minimum, let maximum, let value):
            kind = .number
            range = Self.range(minimum, maximum, kind)
            standard = JSONValue(value)
        case .integer(let minimum, let maximum, let value):
            kind = .integer
            range = Self.range(Double(minimum), Double(maximum), kind)
            standard = JSONValue(Double(value))
        case .boolean(let value): (kind, standard) = (.boolean, JSONValue(.bool(value)))
        case .choice(let names, let value): (kind, standard) = (.choice(names), JSONValue(.string(value)))
        case .flags(let names, let values):
            (kind, standard) = (.list(.choice(names)), JSONValue(.array(values.map { JSONValue(.string($0)) })))
        case .text(let value): (kind, standard) = (.string, value.map { JSONValue(.string($0)) })
        case .numbers: kind = .list(.number)
        case .integers: kind = .list(.integer)
        case .interpolator: kind = .choice(Operation.interpolators)
        case .image, .images, .bytes, .source, .target, .other: return nil
        }
        // Some of libvips' own defaults mean "not given" and are no values.
        if let value = standard?.double, let range, !range.contains(value) { standard = nil }
        if case .choice(let names) = kind, let name = standard?.string, !names.contains(name) { standard = nil }
        let parameter = Parameter<Value>.value(
            argument.name, kind, default: argument.isRequired ? nil : standard, range: range, doc: argument.blurb)
        self.argument = argument
        self.parameter = parameter.optional
        declared = argument.isRequired || standard != nil ? parameter : parameter.optional
    }

    private static func range(_ minimum: Double, _ maximum: Double, _ kind: Kind) -> ClosedRange<Double>? {
        let bounds = kind.bounds
        if minimum <= bounds.lowerBound, maximum >= bounds.upperBound { return nil }
        return max(minimum, bounds.lowerBound)...min(maximum, bounds.upperBound)
    }
}

extension OperationArgumentDescription.Kind {
    /// A value that a document could write, as JSON.
    fileprivate var sample: String {
        switch self {
        case .number(_, _, let value): JSONValue(value).compact
        case .integer(_, _, let value): "\(value)"
        case .boolean(let value): "\(value)"
        case .choice(let names, let value): "\"\(value.isEmpty ? names.first ?? "" : value)\""
        case .numbers: "[1]"
        case .integers: "[2]"
        case .interpolator: "\"bilinear\""
        default: "\"\""
        }
    }
}

extension String {
    fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() }
}
