import CLabelpipePlugin
import Diagnostics
import Glibc
public import LabelpipeKit
import Synchronization

/// A family of effects whose declarations another process reads, and which are kept: for processes that draw nothing, and so
/// must not start what the effects come from.
public struct FamilyScan: Sendable {
    private let program: String
    private let environment: @Sendable (String) -> String?
    /// Seconds that the other process may take.
    private static let limit = 20.0

    /// - Parameter program: what runs `plugins scan-family NAME`: labelpipe itself.
    public init(program: String, environment: @escaping @Sendable (String) -> String?) {
        (self.program, self.environment) = (program, environment)
    }

    /// The family without its code.
    ///
    /// - Parameter version: of what it comes from: another one has other effects.
    public func family(_ own: EffectFamily, version: String) -> EffectFamily {
        let known = Known { () throws(Diagnostic) in try declarations(of: own.name, version: version) }
        return EffectFamily(
            name: own.name, summary: own.summary, ids: { try known.effects().map { $0.id } },
            effect: { id in
                try known.effects().first { $0.id == id }.map { effect in
                    EffectKind(effect.declaration) { _ in
                        { _, _ in throw DrawingError("rehearsal", "effects of \(own.name) draw in worker processes only") }
                    }
                }
            })
    }

    private func declarations(of name: String, version: String) throws(Diagnostic) -> [PluginFacts.EffectFacts] {
        let cache = PluginCache(file: program, also: "\(name) \(version)", environment: environment)
        if let known = cache?.read().flatMap(Self.effects) { return known }
        let answer = Child.run([program, "plugins", "scan-family", name], limit: Self.limit)
        guard answer.end == nil, let json = try? JSONValue.parse(answer.output, file: "scan"), let effects = Self.effects(json)
        else {
            throw Diagnostic(
                "no-effects", message: "the effects of \(name) cannot be read: reading them \(answer.end ?? "gave nothing")",
                help: ["labelpipe doctor looks at what is installed"])
        }
        cache?.write { writer in Self.write(effects, to: &writer) }
        return effects
    }

    private static func effects(_ json: JSONValue) -> [PluginFacts.EffectFacts]? {
        guard let elements = json["effects"]?.elements, !elements.isEmpty else { return nil }
        let effects = elements.compactMap { PluginFacts.EffectFacts($0) }
        return effects.count == elements.count ? effects : nil
    }

    private static func write(_ effects: [PluginFacts.EffectFacts], to writer: inout JSONWriter) {
        writer.object {
            $0.key("effects")
            $0.array { list in
                for effect in effects { effect.write(to: &list) }
            }
        }
    }

    /// What the other process prints.
    public static func answer(_ family: EffectFamily) throws -> String {
        let effects = try family.ids().compactMap { id in
            try family.effect(id).flatMap { PluginFacts.EffectFacts($0.declaration) }
        }
        var writer = JSONWriter()
        write(effects, to: &writer)
        return writer.text
    }

    /// Asked once.
    private final class Known: Sendable {
        private let ask: @Sendable () throws(Diagnostic) -> [PluginFacts.EffectFacts]
        private let answer = Mutex<Result<[PluginFacts.EffectFacts], Diagnostic>?>(nil)

        init(_ ask: @escaping @Sendable () throws(Diagnostic) -> [PluginFacts.EffectFacts]) { self.ask = ask }

        func effects() throws(Diagnostic) -> [PluginFacts.EffectFacts] {
            try answer.withLock { answer in
                if let answer { return answer }
                let asked = Result { () throws(Diagnostic) in try ask() }
                answer = asked
                return asked
            }.get()
        }
    }
}

extension PluginFacts.EffectFacts {
    /// nil: what the border has no words for.
    init?(_ declaration: EffectDeclaration) {
        let output: UInt32 =
            switch declaration.output {
            case .coverage: LP_COVERAGE
            case .colour: LP_COLOUR
            case .sameAsInput: LP_EITHER
            }
        self.init(
            id: declaration.id, summary: declaration.summary, example: declaration.example, output: output,
            idle: declaration.idle.map { JSONValue(.array($0)).compact },
            inputs: declaration.inputs.compactMap { PluginFacts.InputFacts($0) },
            parameters: declaration.parameters.compactMap { PluginFacts.ParameterFacts($0.declaration) })
        guard inputs.count == declaration.inputs.count, parameters.count == declaration.parameters.count else { return nil }
    }
}

extension PluginFacts.InputFacts {
    fileprivate init?(_ input: Input) {
        let form: UInt32
        switch input.form {
        case .one: form = LP_ONE
        case .optional: form = LP_ONE_OR_NONE
        case .many: form = LP_MANY
        case .entries: return nil
        }
        let accepts: UInt32 = [.coverage: LP_COVERAGE, .colour: LP_COLOUR][input.accepts] ?? LP_EITHER
        self.init(name: input.name, doc: input.doc, accepts: accepts, form: form, alpha: LP_STRAIGHT)
    }
}

extension PluginFacts.ParameterFacts {
    fileprivate init?(_ parameter: ParameterDeclaration) {
        var kind = parameter.kind
        var flags: UInt32 = parameter.isRequired ? LP_REQUIRED : 0
        if case .list(let element) = kind { (kind, flags) = (element, flags | LP_LIST) }
        var choices: [String] = []
        if case .choice(let names) = kind { (kind, choices) = (.choice([]), names) }
        guard let code = Self.kinds.first(where: { $0.value == kind })?.key else { return nil }
        if parameter.range != nil { flags |= LP_RANGE }
        self.init(
            name: parameter.name, doc: parameter.doc, kind: code, flags: flags, initial: parameter.defaultValue?.compact,
            choices: choices, minimum: parameter.range?.lowerBound ?? 0, maximum: parameter.range?.upperBound ?? 0)
    }
}
