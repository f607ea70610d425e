import CLabelpipePlugin
import Diagnostics
import LabelpipeKit

/// What a plugin declares, as data: what the border's structs say, and what is kept of it between runs.
public struct PluginFacts: Sendable, Hashable {
    public var id: String
    public var version: String
    public var licence: String
    public var effects: [EffectFacts]

    public struct EffectFacts: Sendable, Hashable {
        public var id: String
        var summary: String
        var example: String
        var output: UInt32
        /// A JSON list.
        var idle: String?
        var inputs: [InputFacts]
        var parameters: [ParameterFacts]
    }

    struct InputFacts: Sendable, Hashable {
        var name: String
        var doc: String
        var accepts: UInt32
        var form: UInt32
        var alpha: UInt32
    }

    struct ParameterFacts: Sendable, Hashable {
        var name: String
        var doc: String
        var kind: UInt32
        var flags: UInt32
        var initial: String?
        var choices: [String]
        var minimum: Double
        var maximum: Double
    }
}

// MARK: - As declarations

extension PluginFacts.EffectFacts {
    public var declaration: EffectDeclaration {
        EffectDeclaration(
            id: id, summary: summary, inputs: inputs.map(\.input),
            output: [LP_COVERAGE: .coverage, LP_COLOUR: .colour][output] ?? .sameAsInput,
            parameters: parameters.map(\.declared),
            idle: idle.flatMap { try? JSONValue.parse(Array($0.utf8), file: "idle").elements }, example: example)
    }
}

extension PluginFacts.InputFacts {
    var input: Input {
        Input(
            name, [LP_COVERAGE: .coverage, LP_COLOUR: .colour][accepts] ?? .either,
            [LP_ONE_OR_NONE: .optional, LP_MANY: .many][form] ?? .one, doc: doc)
    }
}

extension PluginFacts.ParameterFacts {
    static let kinds: [UInt32: Kind] = [
        LP_NUMBER: .number, LP_INTEGER: .integer, LP_BOOLEAN: .boolean, LP_LENGTH: .length, LP_ANGLE: .angle, LP_COLOR: .color,
        LP_POINT: .point, LP_OFFSET: .offset, LP_SIZE: .size, LP_INSETS: .insets, LP_STRING: .string, LP_CHOICE: .choice([]),
        LP_ANCHOR: .anchor, LP_PATH: .path,
    ]

    var elementKind: Kind { kind == LP_CHOICE ? .choice(choices) : Self.kinds[kind] ?? .number }
    var fullKind: Kind { flags & LP_LIST != 0 ? .list(elementKind) : elementKind }
    var range: ClosedRange<Double>? { flags & LP_RANGE != 0 ? minimum...maximum : nil }
    var isRequired: Bool { flags & LP_REQUIRED != 0 }

    /// To read the value by, absent or not.
    var parameter: Parameter<Value?> { full.optional }

    private var full: Parameter<Value> {
        let standard = initial.flatMap { try? JSONValue.parse(Array($0.utf8), file: "default") }
        return .value(name, fullKind, default: isRequired ? nil : standard, range: range, doc: doc)
    }

    var declared: any AnyParameter { isRequired || initial != nil ? full : full.optional }
}

// MARK: - As JSON

extension PluginFacts {
    public func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("id", id)
            $0.member("version", version)
            $0.member("licence", licence)
            $0.key("effects")
            $0.array { list in
                for effect in effects { effect.write(to: &list) }
            }
        }
    }

    /// nil: not what `write` writes.
    public init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let version = json["version"]?.string, let licence = json["licence"]?.string,
            let effects = json["effects"]?.elements
        else { return nil }
        (self.id, self.version, self.licence) = (id, version, licence)
        self.effects = effects.compactMap { EffectFacts($0) }
        guard self.effects.count == effects.count else { return nil }
    }
}

extension PluginFacts.EffectFacts {
    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("id", id)
            $0.member("summary", summary)
            $0.member("example", example)
            $0.member("output", Int(output))
            if let idle { $0.member("idle", idle) }
            $0.key("inputs")
            $0.array { list in
                for input in inputs {
                    list.object {
                        $0.member("name", input.name)
                        $0.member("doc", input.doc)
                        $0.member("accepts", Int(input.accepts))
                        $0.member("form", Int(input.form))
                        $0.member("alpha", Int(input.alpha))
                    }
                }
            }
            $0.key("parameters")
            $0.array { list in
                for parameter in parameters {
                    list.object {
                        $0.member("name", parameter.name)
                        $0.member("doc", parameter.doc)
                        $0.member("kind", Int(parameter.kind))
                        $0.member("flags", Int(parameter.flags))
                        if let initial = parameter.initial { $0.member("initial", initial) }
                        $0.member("choices", parameter.choices)
                        $0.member("minimum", parameter.minimum)
                        $0.member("maximum", parameter.maximum)
                    }
                }
            }
        }
    }

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let summary = json["summary"]?.string, let example = json["example"]?.string,
            let output = json.number("output"), let inputs = json["inputs"]?.elements,
            let parameters = json["parameters"]?.elements
        else { return nil }
        (self.id, self.summary, self.example, self.output) = (id, summary, example, output)
        idle = json["idle"]?.string
        self.inputs = inputs.compactMap { json in
            guard let name = json["name"]?.string, let doc = json["doc"]?.string, let accepts = json.number("accepts"),
                let form = json.number("form"), let alpha = json.number("alpha")
            else { return nil }
            return PluginFacts.InputFacts(name: name, doc: doc, accepts: accepts, form: form, alpha: alpha)
        }
        self.parameters = parameters.compactMap { json in
            guard let name = json["name"]?.string, let doc = json["doc"]?.string, let kind = json.number("kind"),
                let flags = json.number("flags"), let choices = json["choices"]?.elements, let minimum = json["minimum"]?.double,
                let maximum = json["maximum"]?.double
            else { return nil }
            return PluginFacts.ParameterFacts(
                name: name, doc: doc, kind: kind, flags: flags, initial: json["initial"]?.string,
                choices: choices.compactMap(\.string), minimum: minimum, maximum: maximum)
        }
        guard self.inputs.count == inputs.count, self.parameters.count == parameters.count else { return nil }
    }
}

extension JSONValue {
    fileprivate func number(_ key: String) -> UInt32? { self[key]?.integer.flatMap { UInt32(exactly: $0) } }
}
