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
        digest.add(FontFolders.state)
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
}
