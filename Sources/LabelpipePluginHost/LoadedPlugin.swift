import CLabelpipePlugin
import Glibc
import Synchronization

/// A plugin whose code is in this process, for good.
//
// @unchecked Sendable: its table is constant by the border's first rule.
public final class LoadedPlugin: @unchecked Sendable {
    public let file: String
    public let facts: PluginFacts
    private let table: UnsafePointer<lp_plugin>

    private init(file: String, facts: PluginFacts, table: UnsafePointer<lp_plugin>) {
        (self.file, self.facts, self.table) = (file, facts, table)
    }

    /// Loads a file, once in a process.
    ///
    /// **Errors**: what its note or its table says cannot be used here. Nothing of it runs before its note fits.
    public static func load(_ file: String) throws(Refusal) -> LoadedPlugin {
        if let known = all.withLock({ $0[file] }) { return known }
        let note = try checkedNote(file)
        // NODELETE: what a plugin has registered with libvips or GObject points into it.
        // A name without a slash would be looked for among the system's libraries.
        guard let handle = dlopen(file.contains("/") ? file : "./" + file, RTLD_NOW | RTLD_LOCAL | 0x1000) else {
            let why = dlerror().map { String(cString: $0) } ?? "it cannot be loaded"
            throw Refusal("cannot-load", file: file, plugin: note.id, why, help: "install what it needs, or build it again")
        }
        guard let symbol = dlsym(handle, "labelpipe_plugin") else {
            throw Refusal(
                "no-symbol", file: file, plugin: note.id, "it does not export labelpipe_plugin()",
                help: "mark the function LABELPIPE_EXPORT, and in C++ extern \"C\"")
        }
        let entry = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<lp_plugin>?).self)
        let table = entry()
        let facts = try TableReader(file: file, note: note).facts(table)
        guard let table else { throw Refusal(bad: "labelpipe_plugin() returned NULL", file: file, plugin: note.id) }
        let loaded = LoadedPlugin(file: file, facts: facts, table: table)
        return all.withLock { known in
            let first = known[file] ?? loaded
            known[file] = first
            return first
        }
    }

    /// What can be said of a file without running any of it.
    static func checkedNote(_ file: String) throws(Refusal) -> PluginNote {
        let note: PluginNote
        do { note = try PluginNote(file: file) } catch { throw Refusal(error, file: file) }
        let isOwnMajor = note.abi >> 16 == ownABI >> 16
        // 0.x changes as it likes; from 1.0 on it only grows.
        guard ownABI >> 16 == 0 ? note.abi == ownABI : isOwnMajor && note.abi <= ownABI else {
            throw Refusal(abi: note.abi, file: file, plugin: note.id)
        }
        return note
    }

    private static let all = Mutex<[String: LoadedPlugin]>([:])

    /// An effect's functions; nil: it has no such effect any more.
    func functions(of id: String) -> UnsafePointer<lp_effect>? {
        for index in 0..<Int(table.pointee.effect_count) {
            guard let effect = table.pointee.effects?[index] else { continue }
            if String(cString: effect.pointee.id) == id { return effect }
        }
        return nil
    }
}
