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

    /// **Errors**: an id that two plugins claim, naming both.
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
            let entry = Entry(effect: effect, declaration: declaration, owner: plugin.id)
            entries[declaration.id] = entry
            all.append(entry)
        }
    }

    public subscript(id: String) -> Entry? { entries[id] }

    public var ids: [String] { all.map(\.declaration.id) }
}
