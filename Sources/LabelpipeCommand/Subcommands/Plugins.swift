import Diagnostics
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeKit
import LabelpipePluginHost
import LabelpipeWorker
import Vips

extension Flag {
    static let plugin = Flag("plugin", nil, .value("FILE"), repeats: true, "effects from this plugin file as well")
    static let trialTimeout = Flag(
        "timeout", nil, .number("SECONDS", 0.001...1e7), "the most that check may take for one trial (60)")
}

extension Subcommand {
    static let plugins: Subcommand = Subcommand(
        name: "plugins", summary: "effects from other people: what is there, from where; check FILE tries one out",
        arguments: "[check FILE]", examples: ["", "check ./plugin.so"], flags: [.plugin, .trialTimeout, .format],
        operands: .wordOrFiles("check"),
        notes: [
            "Looked for in --plugin, LABELPIPE_PLUGIN_PATH, the user's data folder, the system's library folders.",
            "check runs the plugin in a process of its own and says what it does wrong; exit code 1 then.",
        ]
    ) { parsed, session throws(Stop) in
        let words = parsed.positional.map(\.description)
        switch (words.first, words.count) {
        case (nil, _): return try session.listPlugins(parsed)
        case ("scan", 2):
            session.output.line(PluginScan.answer(words[1]))
            return .done
        case ("scan-family", 2):
            for family in session.plugins().compactMap(\.family) where family.name == words[1] {
                do { session.output.line(try FamilyScan.answer(family)) } catch { throw Stop(.missing, "\(error)") }
            }
            return .done
        case ("check", 2):
            let limit: Double
            do throws(UsageError) { limit = try parsed.number(.trialTimeout) ?? 60 } catch { throw Stop(error, of: .plugins) }
            return PluginCheckCommand(session, file: words[1], json: parsed.usesJSON, limit: limit).run()
        case ("trial", 3...): return Trial.answer(Array(words.dropFirst()), session)
        default:
            let isMeant = words.count == 2 && Suggestions.nearest(to: words[0], in: ["check"]) != nil
            throw Stop(
                UsageError(
                    "expected nothing, or check FILE, got \(words.joined(separator: " "))",
                    help: isMeant ? ["did you mean \"check \(words[1])\"?"] : []), of: .plugins)
        }
    }
}

extension Session {
    /// All plugins that can be used, and those that cannot.
    func shelf(_ named: [String]) -> PluginShelf {
        PluginShelf(
            PluginSearch.places(named: named) { Self.environment($0) }, scan: PluginScan(program: scanner))
    }

    /// The effects there are. Those of plugins that are not named are asked for when an effect is that the others have not.
    ///
    /// - Parameter watcher: of the process that draws; nil: nothing is drawn.
    /// **Errors.** A named plugin that is refused: code 4. Two plugins claim one effect.
    func registry(_ parsed: Parsed, watcher: (any PluginWatcher)? = nil) throws(Stop) -> Registry {
        let named: [String]
        do throws(UsageError) { named = try parsed.texts(.plugin) } catch {
            throw Stop(.usage, error.message)
        }
        let shelf =
            named.isEmpty
            ? nil
            : PluginShelf(
                PluginSearch.places(named: named) { _ in nil }, scan: PluginScan(program: scanner))
        if let refused = shelf?.refusals.first?.refusal { throw Stop(.missing, refused.message, help: [refused.help]) }
        let own = shelf?.found.map(\.plugin) ?? []
        let scan = PluginScan(program: scanner)
        do {
            return try Registry(plugins(watcher) + own.map { $0.plugin(watcher) }) {
                let others = PluginShelf(PluginSearch.places(named: named) { Self.environment($0) }, scan: scan)
                return Registry.Found(
                    plugins: others.found.map(\.plugin).filter { !own.contains($0) }.map { $0.plugin(watcher) },
                    refusals: others.refusals.map(\.refusal.diagnostic))
            }
        } catch let finding as Diagnostic {
            throw Stop(.missing, finding.message, help: finding.help)
        } catch {
            throw Stop(.missing, "\(error)")
        }
    }

    /// The bundled ones. libvips is started by processes that draw, and by none else: what its operations are, one of those says.
    private func plugins(_ watcher: (any PluginWatcher)?) -> [Plugin] {
        guard watcher == nil else { return plugins() }
        let scan = FamilyScan(program: scanner) { Self.environment($0) }
        return plugins().map { plugin in
            Plugin(
                id: plugin.id, kinds: plugin.effects,
                family: plugin.family.map { scan.family($0, version: VipsRuntime.version) })
        }
    }

    /// How workers are started that have the named plugins too.
    func launch(_ parsed: Parsed) -> Launch {
        var launch = self.launch
        for path in parsed.paths(.plugin) { launch.arguments += ["--plugin", path.description] }
        return launch
    }

    fileprivate func listPlugins(_ parsed: Parsed) throws(Stop) -> ExitCode {
        let named: [String]
        do throws(UsageError) { named = try parsed.texts(.plugin) } catch { throw Stop(error, of: .plugins) }
        let shelf = shelf(named)
        if parsed.usesJSON {
            for found in shelf.found { output.write(Self.json(found)) }
            for (place, refusal) in shelf.refusals { output.write(Self.json(place, refusal)) }
            return shelf.refusals.isEmpty ? .done : .failures
        }
        for found in shelf.found {
            let facts = found.plugin.facts
            output.line("\(facts.id) \(facts.version), \(facts.licence)")
            output.line("  \(found.place.file), by \(found.place.origin)")
            for effect in facts.effects { output.line("  \(effect.id): \(effect.declaration.summary)") }
        }
        for (_, refusal) in shelf.refusals {
            errors.line(refusal.message)
            errors.line("  help: \(refusal.help)")
        }
        if shelf.found.isEmpty, shelf.refusals.isEmpty {
            output.line("no plugins; they are looked for in")
            for root in PluginSearch.roots(environment: { Self.environment($0) }) { output.line("  \(root.path)") }
        }
        return shelf.refusals.isEmpty ? .done : .failures
    }

    private static func json(_ found: PluginShelf.Found) -> String {
        var writer = JSONWriter()
        writer.object {
            $0.member("plugin", found.plugin.facts.id)
            $0.member("version", found.plugin.facts.version)
            $0.member("licence", found.plugin.facts.licence)
            $0.member("file", found.place.file)
            $0.member("origin", found.place.origin)
            $0.member("effects", found.plugin.facts.effects.map(\.id))
        }
        writer.endLine()
        return writer.text
    }

    private static func json(_ place: PluginSearch.Place, _ refusal: Refusal) -> String {
        var writer = JSONWriter()
        writer.object {
            if let plugin = refusal.plugin { $0.member("plugin", plugin) }
            $0.member("file", place.file)
            $0.member("origin", place.origin)
            $0.member("refused", refusal.code)
            $0.member("message", refusal.message)
            $0.member("help", refusal.help)
        }
        writer.endLine()
        return writer.text
    }
}

/// Tells the supervisor which plugin's code is about to run.
struct WorkerWatcher: PluginWatcher {
    func enters(_ plugin: ForeignPlugin, _ effect: String, at node: JSONPointer) -> UInt32 {
        SupervisedWorker.announce(PluginPlace(plugin: plugin.facts.id, file: plugin.file, effect: effect, node: node.description))
    }

    func leaves() { SupervisedWorker.announce(nil) }

    func computes(_ place: UInt32) -> UInt32 { RunningMark.set(place) }
}
