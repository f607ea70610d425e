import Diagnostics
import Glibc

/// What was read of a file, kept between runs; nil where there is no folder for it.
struct PluginCache {
    private let path: String
    private let key: String

    /// - Parameter also: what the declarations depend on beside the file.
    init?(file: String, also: String = "", environment: (String) -> String?) {
        guard let identity = FileIdentity(file), let real = realpath(file, nil) else { return nil }
        let full = String(cString: real)
        free(real)
        guard
            let base = environment("XDG_CACHE_HOME").flatMap({ $0.hasPrefix("/") ? $0 : nil })
                ?? environment("HOME").map({ $0 + "/.cache" })
        else { return nil }
        key = "\(full) \(identity.size) \(identity.modified) \(versionText(ownABI)) \(also)"
        // FNV-1a.
        let hash = (full + also).utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        path = "\(base)/labelpipe/plugins/\(String(hash, radix: 16)).json"
    }

    func read() -> JSONValue? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < 1 << 24 {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk.prefix(count)
        }
        guard let json = try? JSONValue.parse(bytes, file: path), json["key"]?.string == key else { return nil }
        return json["facts"]
    }

    /// A cache that cannot be written is none.
    func write(_ facts: (inout JSONWriter) -> Void) {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o700)
        }
        var writer = JSONWriter()
        writer.object {
            $0.member("key", key)
            $0.key("facts")
            facts(&$0)
        }
        let new = "\(path).\(getpid())"
        guard let file = fopen(new, "w") else { return }
        let isWritten = fputs(writer.text, file) >= 0
        if fclose(file) == 0, isWritten { rename(new, path) } else { unlink(new) }
    }
}
