import Diagnostics
import LabelpipeKit
import Synchronization

/// The effects that documents may name.
public struct Registry: Sendable {
    public struct Entry: Sendable {
        public let effect: EffectKind
        /// The plugin it comes from.
        public let owner: String

        public var declaration: EffectDeclaration { effect.declaration }
    }

    /// Effects that are declared when somebody names one.
    public struct Family: Sendable {
        public let family: EffectFamily
        public let owner: String
    }

    private var entries: [String: Entry] = [:]
    /// In the order of their plugins.
    public private(set) var all: [Entry] = []
    public private(set) var families: [Family] = []
    private let later: Later?

    /// **Errors**: an id that two plugins claim, naming both; a declaration that contradicts itself.
    public init(_ plugins: [Plugin]) throws {
        later = nil
        for plugin in plugins { try add(plugin) }
    }

    /// With plugins that are looked for when somebody names an effect that the others have not, or wants all.
    public init(_ plugins: [Plugin], later find: @escaping @Sendable () -> Found) throws {
        later = Later(find)
        for plugin in plugins { try add(plugin) }
    }

    /// What was found when it was looked for.
    public struct Found: Sendable {
        public let plugins: [Plugin]
        /// Plugins that are there and cannot be used, and why.
        public let refusals: [Diagnostic]
        public init(plugins: [Plugin], refusals: [Diagnostic]) { (self.plugins, self.refusals) = (plugins, refusals) }
    }

    private final class Later: Sendable {
        struct Part {
            var registry: Registry
            var refusals: [Diagnostic]
        }
        private let find: @Sendable () -> Found
        private let found = Mutex<Result<Part, Diagnostic>?>(nil)

        init(_ find: @escaping @Sendable () -> Found) { self.find = find }

        func part(beside registry: Registry) throws(Diagnostic) -> Part {
            try found.withLock { found in
                if let found { return found }
                let given = find()
                var part = Part(registry: registry, refusals: given.refusals)
                part.registry.all = []
                let result: Result<Part, Diagnostic>
                do {
                    for plugin in given.plugins { try part.registry.add(plugin) }
                    result = .success(part)
                } catch {
                    result = .failure(error as? Diagnostic ?? Diagnostic("bad-plugin", message: "\(error)"))
                }
                found = result
                return result
            }.get()
        }
    }

    private mutating func add(_ plugin: Plugin) throws {
        for effect in plugin.effects {
            let declaration = effect.declaration
            if let family = family(of: declaration.id) {
                throw Diagnostic(
                    "duplicate-effect",
                    message:
                        "effect \"\(declaration.id)\" of \(plugin.id) lies in the family \(family.family.name) of \(family.owner)",
                    help: ["the plugin's author has to choose another id"])
            }
            if let other = entries[declaration.id] {
                throw Diagnostic(
                    "duplicate-effect",
                    message: "effect \"\(declaration.id)\" is declared by both \(other.owner) and \(plugin.id)",
                    help: ["remove one of the two plugins"])
            }
            if let objection = Registry.objection(to: declaration) {
                throw Diagnostic("bad-declaration", message: "effect \"\(declaration.id)\" of \(plugin.id): \(objection)")
            }
            let entry = Entry(effect: effect, owner: plugin.id)
            entries[declaration.id] = entry
            all.append(entry)
        }
        if let family = plugin.family { families.append(Family(family: family, owner: plugin.id)) }
    }

    /// One of `all`.
    public subscript(id: String) -> Entry? { entries[id] }

    /// The ids of `all`.
    public var ids: [String] { all.map(\.declaration.id) }

    // MARK: Families

    /// An effect by its id, one of a family too; nil: there is none.
    ///
    /// **Errors**: the family it would be of cannot be asked, or declares what contradicts itself.
    /// **Cost**: for an id of the family `vips`, the start of libvips.
    public func find(_ id: String) throws(Diagnostic) -> Entry? {
        if let entry = entries[id] { return entry }
        guard let family = family(of: id) else { return try later?.part(beside: self).registry[id] }
        do {
            guard let effect = try family.family.effect(id) else { return nil }
            if let objection = Registry.objection(to: effect.declaration) {
                throw Diagnostic("bad-declaration", message: "effect \"\(id)\" of \(family.owner): \(objection)")
            }
            return Entry(effect: effect, owner: family.owner)
        } catch {
            throw Registry.finding(error, family)
        }
    }

    /// What an id that is none may have been meant as.
    public func candidates(for id: String) -> [String] {
        guard let family = family(of: id) else { return ids + ((try? later?.part(beside: self).registry.ids) ?? []) }
        return (try? family.family.ids()) ?? ids
    }

    /// `all`, and the effects of plugins that are looked for.
    public func everything() throws(Diagnostic) -> [Entry] {
        all + (try later?.part(beside: self).registry.all ?? [])
    }

    /// Plugins that are there and cannot be used.
    public var refusals: [Diagnostic] { (try? later?.part(beside: self).refusals) ?? [] }

    /// All effects of a family, by its name; nil: there is no such family.
    public func members(of name: String) throws(Diagnostic) -> [Entry]? {
        guard let family = families.first(where: { $0.family.name == name }) else { return nil }
        let ids: [String]
        do { ids = try family.family.ids() } catch { throw Registry.finding(error, family) }
        var members: [Entry] = []
        for id in ids { if let entry = try find(id) { members.append(entry) } }
        return members
    }

    private func family(of id: String) -> Family? {
        families.first { id.hasPrefix($0.family.name + ".") }
    }

    private static func finding(_ error: any Error, _ family: Family) -> Diagnostic {
        error as? Diagnostic
            ?? Diagnostic("no-effects", message: "the effects of \(family.owner) cannot be read", cause: "\(error)")
    }

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
