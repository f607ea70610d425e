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
        if let known = cache?.read() { return known }
        let answer = Child.run([program, "plugins", "scan", file], limit: Self.limit)
        if let end = answer.end {
            throw Refusal(bad: "reading its declarations \(end)", file: file, plugin: note.id)
        }
        guard let json = try? JSONValue.parse(answer.output, file: "scan") else {
            throw Refusal(bad: "it writes to standard output while it is loaded", file: file, plugin: note.id)
        }
        if let refused = json["refused"] { throw Refusal(refused, file: file) }
        guard let facts = PluginFacts(json) else {
            throw Refusal(bad: "its declarations cannot be read", file: file, plugin: note.id)
        }
        cache?.write(facts)
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

/// One file's declarations, kept between runs; nil where there is no folder for it.
struct PluginCache {
    private let path: String
    private let key: String

    init?(file: String, environment: (String) -> String?) {
        guard let identity = FileIdentity(file), let real = realpath(file, nil) else { return nil }
        let full = String(cString: real)
        free(real)
        guard
            let base = environment("XDG_CACHE_HOME").flatMap({ $0.hasPrefix("/") ? $0 : nil })
                ?? environment("HOME").map({ $0 + "/.cache" })
        else { return nil }
        key = "\(full) \(identity.size) \(identity.modified) \(versionText(ownABI))"
        // FNV-1a.
        let hash = full.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        path = "\(base)/labelpipe/plugins/\(String(hash, radix: 16)).json"
    }

    func read() -> PluginFacts? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        guard let json = try? JSONValue.parse(Array(bytes.prefix(count)), file: path), json["key"]?.string == key,
            let facts = json["facts"]
        else { return nil }
        return PluginFacts(facts)
    }

    /// A cache that cannot be written is none.
    func write(_ facts: PluginFacts) {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o700)
        }
        var writer = JSONWriter()
        writer.object {
            $0.member("key", key)
            $0.key("facts")
            facts.write(to: &$0)
        }
        let new = "\(path).\(getpid())"
        guard let file = fopen(new, "w") else { return }
        let isWritten = fputs(writer.text, file) >= 0
        if fclose(file) == 0, isWritten { rename(new, path) } else { unlink(new) }
    }
}
