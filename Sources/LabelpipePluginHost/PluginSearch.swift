import Glibc

/// Where plugins are looked for, in this order: files that are named, `LABELPIPE_PLUGIN_PATH`, the user's data folder, the
/// system's library folders.
public struct PluginSearch: Sendable {
    /// A file, and why it was looked at.
    public struct Place: Sendable, Hashable {
        public let file: String
        /// `--plugin`, `LABELPIPE_PLUGIN_PATH`, or the folder.
        public let origin: String
    }

    /// Of the ABI's major number: what is built for another one is never looked at.
    static let folder = "labelpipe/plugins-\(ownABI >> 16)"

    /// The folders and files that are searched, whether they are there or not.
    public static func roots(environment: (String) -> String?) -> [(path: String, origin: String)] {
        var roots: [(String, String)] = []
        for entry in (environment("LABELPIPE_PLUGIN_PATH") ?? "").split(separator: ":") {
            roots.append((String(entry), "LABELPIPE_PLUGIN_PATH"))
        }
        let data =
            environment("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment("HOME").map { $0 + "/.local/share" }
        for base in [data, "/usr/local/lib", "/usr/lib"].compactMap(\.self) {
            roots.append(("\(base)/\(folder)", "\(base)/\(folder)"))
        }
        return roots
    }

    /// The files there are, each once, whatever names it has.
    public static func places(named: [String], environment: (String) -> String?) -> [Place] {
        var places = named.map { Place(file: $0, origin: "--plugin") }
        for (path, origin) in roots(environment: environment) {
            let names = files(in: path)
            places += names.map { $0.map { Place(file: "\(path)/\($0)", origin: origin) } } ?? [Place(file: path, origin: origin)]
        }
        var seen: [[UInt64]] = []
        return places.filter { place in
            guard let identity = FileIdentity(place.file) else { return place.origin == "--plugin" }
            let key = [identity.device, identity.inode]
            guard !seen.contains(key) else { return false }
            seen.append(key)
            return true
        }
    }

    /// The shared objects of a folder, in byte order; nil: it is none.
    private static func files(in path: String) -> [String]? {
        guard let folder = opendir(path) else { return errno == ENOTDIR ? nil : [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".so"), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

/// What tells one state of a file from another.
struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    /// Nanoseconds since 1970.
    let modified: Int

    init?(_ file: String) {
        var facts = stat()
        guard stat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        (device, inode, size) = (UInt64(facts.st_dev), UInt64(facts.st_ino), Int(facts.st_size))
        modified = Int(facts.st_mtim.tv_sec) * 1_000_000_000 + Int(facts.st_mtim.tv_nsec)
    }
}
