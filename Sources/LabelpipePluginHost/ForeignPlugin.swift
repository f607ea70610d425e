import Diagnostics
import LabelpipeKit
import Vips

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
                        let place = watcher.enters(self, effect.id, at: arguments.node)
                        defer { watcher.leaves() }
                        do {
                            let loaded = try LoadedPlugin.load(file)
                            guard loaded.facts == facts, let functions = loaded.functions(of: effect.id) else {
                                throw Refusal(
                                    "plugin-changed", file: file, plugin: facts.id, "it is another file than when the run began",
                                    help: "run again")
                            }
                            let pixels = PluginPixels(watcher, place, of: facts.id)
                            return try PluginCall(effect, of: facts.id, arguments, context, pixels: pixels).layer(
                                functions, inputs)
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
    /// A plugin's code is about to run; returns a number for it above 0.
    func enters(_ plugin: ForeignPlugin, _ effect: String, at node: JSONPointer) -> UInt32
    func leaves()
    /// From here on pixels of what `enters` gave the number are computed, or of nobody's (0); returns whose were before.
    func computes(_ place: UInt32) -> UInt32
}

/// Nobody has to.
public struct Unwatched: PluginWatcher {
    public init() {}
    public func enters(_ plugin: ForeignPlugin, _ effect: String, at node: JSONPointer) -> UInt32 { 0 }
    public func leaves() {}
    public func computes(_ place: UInt32) -> UInt32 { 0 }
}

/// Tells whose pixels are computed: a plugin's code runs again when somebody looks.
struct PluginPixels {
    private let watcher: any PluginWatcher
    private let place: UInt32
    private let plugin: String

    init(_ watcher: any PluginWatcher, _ place: UInt32, of plugin: String) {
        (self.watcher, self.place, self.plugin) = (watcher, place, plugin)
    }

    /// What a plugin gave.
    func ofPlugin(_ image: Image) throws -> Image { try watched(image, place, failing: "pixels of plugin \(plugin)") }

    /// What a plugin is given.
    func ofHost(_ image: Image) throws -> Image { try watched(image, 0) }

    private func watched(_ image: Image, _ place: UInt32, failing: String? = nil) throws -> Image {
        guard self.place > 0 else { return image }
        let watcher = watcher
        return try image.watched(failing: failing, enter: { watcher.computes(place) }, leave: { _ = watcher.computes($0) })
    }
}
