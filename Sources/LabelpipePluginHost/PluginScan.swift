import Diagnostics
import Glibc

/// Reads a plugin's declarations in a process of its own, and keeps them by path, size and time of modification.
///
/// Even declarations are what a plugin's code says, and code that loads may do anything: a crash or a hang is a refusal.
public struct PluginScan: Sendable {
    /// The program that runs `plugins scan FILE`: labelpipe itself.
    let program: String
    let environment: @Sendable (String) -> String?
    /// Seconds that a plugin may take to say what it has.
    static let limit = 10.0

    public init(
        program: String = "/proc/self/exe",
        environment: @escaping @Sendable (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) { (self.program, self.environment) = (program, environment) }

    /// What a file declares.
    public func facts(_ file: String) throws(Refusal) -> PluginFacts {
        // The cheap refusals first: nothing of the file runs for them.
        let note = try LoadedPlugin.checkedNote(file)
        let cache = PluginCache(file: file, environment: environment)
        if let known = cache?.read().flatMap({ PluginFacts($0) }) { return known }
        let answer = Child.run([program, "plugins", "scan", file], limit: Self.limit)
        if let end = answer.end {
            throw Refusal(bad: "reading its declarations \(end)", file: file, plugin: note.id)
        }
        if answer.output.isEmpty {
            throw Refusal(bad: "reading its declarations ended with code \(answer.code)", file: file, plugin: note.id)
        }
        guard let json = try? JSONValue.parse(answer.output, file: "scan") else {
            throw Refusal(bad: "it writes to standard output while it is loaded", file: file, plugin: note.id)
        }
        if let refused = json["refused"] { throw Refusal(refused, file: file) }
        guard let facts = PluginFacts(json) else {
            throw Refusal(bad: "its declarations cannot be read", file: file, plugin: note.id)
        }
        cache?.write { writer in facts.write(to: &writer) }
        return facts
    }

    /// What the child prints: a plugin's facts, or why it is refused.
    public static func answer(_ file: String) -> String {
        var writer = JSONWriter()
        do {
            try LoadedPlugin.load(file).facts.write(to: &writer)
        } catch {
            writer.object {
                $0.key("refused")
                $0.object {
                    $0.member("code", error.code)
                    if let plugin = error.plugin { $0.member("plugin", plugin) }
                    $0.member("reason", error.reason)
                    $0.member("help", error.help)
                }
            }
        }
        return writer.text
    }
}

extension Refusal {
    fileprivate init(_ json: JSONValue, file: String) {
        self.init(
            json["code"]?.string ?? "bad-plugin", file: file, plugin: json["plugin"]?.string, json["reason"]?.string ?? "",
            help: json["help"]?.string ?? "")
    }
}
