import Diagnostics
import LabelpipeKit

/// A plugin file as a module of effects. Its declarations are data; its code is loaded by the process that draws, when the
/// first of its effects is applied.
public struct ForeignPlugin: Sendable, Hashable {
    public let file: String
    public let facts: PluginFacts

    public init(file: String, facts: PluginFacts) { (self.file, self.facts) = (file, facts) }

    /// - Parameter watcher: told what is about to run, and nil when it is over; nil: this process draws nothing.
    public func plugin(_ watcher: (any PluginWatcher)?) -> Plugin {
        Plugin(
            id: facts.id,
            kinds: facts.effects.map { effect in
                EffectKind(effect.declaration, file: file) { arguments in
                    { inputs, context in
                        guard let watcher, !context.isRehearsal else {
                            throw DrawingError("rehearsal", "plugins draw in worker processes only")
                        }
                        watcher.enters(self, effect.id, at: arguments.node)
                        defer { watcher.leaves() }
                        do {
                            let loaded = try LoadedPlugin.load(file)
                            guard loaded.facts == facts, let functions = loaded.functions(of: effect.id) else {
                                throw Refusal(
                                    "plugin-changed", file: file, plugin: facts.id, "it is another file than when the run began",
                                    help: "run again")
                            }
                            return try PluginCall(effect, arguments, context).layer(functions, inputs)
                        } catch let refusal as Refusal {
                            throw DrawingError(refusal.code, .missing, refusal.message, help: refusal.help)
                        }
                    }
                }
            })
    }
}

/// Whoever has to know in which plugin a process was when it ended.
public protocol PluginWatcher: Sendable {
    func enters(_ plugin: ForeignPlugin, _ effect: String, at node: JSONPointer)
    func leaves()
}
