import Glibc
import LabelpipeWorker

/// The folders that fonts are installed in, without asking fontconfig: the supervisor loads no font code.
package enum FontFolders {
    private static var roots: [BytePath] {
        let home = getenv("HOME").map { String(cString: $0) } ?? ""
        let data = getenv("XDG_DATA_HOME").map { String(cString: $0) } ?? "\(home)/.local/share"
        return ["/usr/share/fonts", "/usr/local/share/fonts", "\(home)/.fonts", "\(data)/fonts"].map { BytePath($0) }
    }

    /// Where fontconfig's rules are.
    private static var rules: [BytePath] {
        let home = getenv("HOME").map { String(cString: $0) } ?? ""
        let own = getenv("XDG_CONFIG_HOME").map { String(cString: $0) } ?? "\(home)/.config"
        return ["/etc/fonts", "/usr/share/fontconfig", "\(own)/fontconfig", "\(home)/.fonts.conf"].map { BytePath($0) }
    }

    /// How many there are.
    package static var count: (files: Int, folders: Int) {
        var count = (files: 0, folders: 0)
        walk(roots) { facts, _ in
            if facts.kind == .folder { count.folders += 1 } else { count.files += 1 }
        }
        return count
    }

    /// What is there, so that a later run can tell whether it still is: names, sizes and times of all font files and rules, and which
    /// configuration of fontconfig is asked for; as a short text.
    static var state: String {
        var states: [String] = []
        var places = roots + rules
        for name in ["FONTCONFIG_FILE", "FONTCONFIG_PATH"] {
            guard let value = getenv(name).map({ String(cString: $0) }) else { continue }
            states.append("\(name)=\(value)")
            places.append(BytePath(value))
        }
        walk(places) { facts, path in
            if facts.kind == .file { states.append("\(path) \(facts.size) \(facts.modified)") }
        }
        var digest = Digest()
        for state in states.sorted() { digest.add(state) }
        return digest.text()
    }

    private static func walk(_ places: [BytePath], _ body: (FileFacts, BytePath) -> Void) {
        var open = places
        var known: Set<FileFacts.Identity> = []
        while let path = open.popLast() {
            guard case .success(let facts) = FileFacts.of(path), known.insert(facts.identity).inserted else { continue }
            body(facts, path)
            guard facts.kind == .folder, case .success(let entries) = Folder.entries(of: path) else { continue }
            open += entries.map { path.appending($0.name) }
        }
    }
}
