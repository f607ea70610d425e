import Diagnostics
import Glibc
import LabelpipeWorker

/// What decides, beside the picture itself, how its outputs look, as a short text: document, parameters, row, fonts, version.
enum RunKey {
    /// The part that all pictures of a run share.
    static func base(_ setup: Setup, _ document: BatchDocument) -> String {
        var digest = Digest()
        digest.add(setup.version)
        digest.add(setup.document)
        digest.add(document.digest)
        for setting in setup.settings {
            digest.add(setting.name)
            digest.add(setting.text)
        }
        digest.add("\(setup.scale) \(setup.emptyMissingFields) \(setup.isTolerant) \(setup.allowed)")
        for file in document.files { digest.add(state(of: BytePath(reversible: file))) }
        digest.add(fonts)
        return digest.text()
    }

    /// Of one picture.
    static func key(_ base: String, _ picture: Picture, _ document: BatchDocument, count: Int) -> String {
        let uses = Set(document.fields)
        guard !picture.row.isEmpty || uses.contains("index") || uses.contains("count") else { return base }
        var digest = Digest()
        digest.add(base)
        for cell in picture.row {
            digest.add(cell.name)
            digest.add(cell.text)
        }
        if uses.contains("index") { digest.add("\(picture.index)") }
        if uses.contains("count") { digest.add("\(count)") }
        return digest.text()
    }

    /// A file that the document names: a logo, a font.
    private static func state(of path: BytePath) -> String {
        guard case .success(let facts) = FileFacts.of(path) else { return "\(path) missing" }
        return "\(path) \(facts.size) \(facts.modified)"
    }

    /// The folders that fonts are installed in, and when something was added to or taken from each.
    private static var fonts: String {
        let home = getenv("HOME").map { String(cString: $0) } ?? ""
        let data = getenv("XDG_DATA_HOME").map { String(cString: $0) } ?? "\(home)/.local/share"
        var open = ["/usr/share/fonts", "/usr/local/share/fonts", "\(home)/.fonts", "\(data)/fonts"].map { BytePath($0) }
        var states: [String] = []
        for name in ["FONTCONFIG_FILE", "FONTCONFIG_PATH"] { states.append(getenv(name).map { String(cString: $0) } ?? "") }
        while let folder = open.popLast() {
            guard case .success(let facts) = FileFacts.of(folder), facts.kind == .folder,
                case .success(let entries) = Folder.entries(of: folder)
            else { continue }
            states.append("\(folder) \(facts.modified)")
            open += entries.filter { $0.kind == .folder }.map { folder.appending($0.name) }
        }
        return states.sorted().joined(separator: "\n")
    }
}
