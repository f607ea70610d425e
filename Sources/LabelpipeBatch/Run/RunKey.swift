import Diagnostics
import Glibc
import LabelpipeWorker

/// What decides, beside the picture itself, how its outputs look, as a short text: document, parameters, row, fonts, version.
enum RunKey {
    /// The part that all pictures of a run share.
    ///
    /// - Parameter isInPlace: fonts and version say nothing then: a picture that has its label, drawn by whatever fonts there were,
    ///   would have two.
    static func base(_ setup: Setup, _ document: BatchDocument, isInPlace: Bool) -> String {
        var digest = Digest()
        if !isInPlace {
            digest.add(setup.version)
            digest.add(FontFolders.state)
        }
        digest.add(setup.document)
        for used in document.documents {
            digest.add(used.file)
            digest.add(used.bytes)
        }
        for setting in setup.settings {
            digest.add(setting.name)
            digest.add(setting.text)
        }
        digest.add("\(setup.scale) \(setup.emptyMissingFields) \(setup.isTolerant) \(setup.allowed)")
        for file in document.files { digest.add(state(of: BytePath(reversible: file))) }
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
