import Diagnostics
import LabelpipeKit

/// The effects that documents may name.
public struct Registry: Sendable {
    public struct Entry: Sendable {
        public let effect: any Effect.Type
        public let declaration: EffectDeclaration
        /// The plugin it comes from.
        public let owner: String
    }

    private var entries: [String: Entry] = [:]
    /// In the order of their plugins.
    public private(set) var all: [Entry] = []

    /// **Errors**: an id that two plugins claim, naming both; a declaration that contradicts itself.
    public init(_ plugins: [Plugin]) throws {
        for plugin in plugins { try add(plugin) }
    }

    private mutating func add(_ plugin: Plugin) throws {
        for effect in plugin.effects {
            let declaration = effect.declaration
            if let other = entries[declaration.id] {
                throw Diagnostic(
                    "duplicate-effect",
                    message: "effect \"\(declaration.id)\" is declared by both \(other.owner) and \(plugin.id)",
                    help: ["remove one of the two plugins"])
            }
            if let objection = Registry.objection(to: declaration) {
                throw Diagnostic("bad-declaration", message: "effect \"\(declaration.id)\" of \(plugin.id): \(objection)")
            }
            let entry = Entry(effect: effect, declaration: declaration, owner: plugin.id)
            entries[declaration.id] = entry
            all.append(entry)
        }
    }

    public subscript(id: String) -> Entry? { entries[id] }

    public var ids: [String] { all.map(\.declaration.id) }

    // MARK: Declarations

    /// What is wrong with a declaration; nil: nothing.
    private static func objection(to declaration: EffectDeclaration) -> String? {
        let id = declaration.id
        if id.isEmpty || id.hasSuffix(Language.documentSuffix) || id == Choice.declaration.id { return "the id is not free" }
        let parameters = declaration.parameters.map(\.declaration)
        var names: Set<String> = ["effect", "when"]
        for name in declaration.inputs.map(\.name) + parameters.map(\.name) {
            if name.hasPrefix("x-") || !names.insert(name).inserted { return "the key \"\(name)\" is not free" }
        }
        for input in declaration.inputs {
            if let measure = input.measuredBy {
                let isGood = declaration.inputs.contains {
                    if case .one = $0.form { $0.name == measure && $0.name != input.name } else { false }
                }
                if !isGood { return "input \"\(input.name)\" is measured by \"\(measure)\", which is no other input" }
            }
            guard case .entries(let parameters) = input.form else { continue }
            var names: Set<String> = ["layer", "when", "effect"]
            for parameter in parameters.map(\.declaration) {
                if !names.insert(parameter.name).inserted { return "the entry key \"\(parameter.name)\" is not free" }
                if parameter.isRequired { return "the entry key \"\(parameter.name)\" has no default" }
                if let objection = objection(to: parameter) { return objection }
            }
        }
        return parameters.lazy.compactMap(objection).first
    }

    private static func objection(to parameter: ParameterDeclaration) -> String? {
        guard case .failure(let findings) = Defaults.read(parameter, scale: 1) else { return nil }
        return "the default of \"\(parameter.name)\": \(findings.all.first?.message ?? "is absent")"
    }
}
