import Diagnostics
import Glibc
import LabelpipeWorker

/// What decides, beside the picture itself, how its outputs look, as a short text: document, parameters, row, version. Fonts are
/// none of it: with which ones a picture's texts are drawn, only drawing tells, and the journal has it of each (`Journal.Fonts`).
///
/// Of work in place only the label counts, by what is drawn and not by where it was found: a picture that has it would have it twice.
/// Fonts, the version, the number in the list, how damaged pictures are taken say nothing then.
enum RunKey {
    /// The part that all pictures of a run share.
    static func base(_ setup: Setup, _ document: BatchDocument, isInPlace: Bool) -> String {
        var digest = Digest()
        if !isInPlace {
            digest.add(setup.version)
            // Of what does not say which fonts it uses, all count.
            if document.hasForeignNodes || !setup.allowed.isEmpty { digest.add(FontFolders.state) }
            digest.add("\(setup.emptyMissingFields) \(setup.isTolerant) \(setup.allowed)")
        }
        digest.add(setup.document)
        for used in document.documents { digest.add(used.bytes) }
        // Of one that is set twice the last counts.
        let settings = Dictionary(setup.settings.map { ($0.name, $0.text) }) { $1 }
        for (name, text) in settings.sorted(by: { $0.key < $1.key }) where !isInPlace || document.defaults[name] != text {
            digest.add(name)
            digest.add(text)
        }
        digest.add("\(setup.scale)")
        for file in document.files {
            let path = BytePath(reversible: file)
            digest.add(isInPlace ? contents(of: path) : state(of: path))
        }
        return digest.text()
    }

    /// Of one picture.
    static func key(_ base: String, _ picture: Picture, _ document: BatchDocument, count: Int, isInPlace: Bool) -> String {
        let uses = isInPlace ? [] : Set(document.fields).intersection(["index", "count"])
        // Which picture a row is about is known.
        let cells = picture.row.filter { $0.name != Rows.input && (!isInPlace || isDrawn($0, document)) }
        guard !cells.isEmpty || !uses.isEmpty else { return base }
        var digest = Digest()
        digest.add(base)
        for cell in cells.sorted(by: { $0.name < $1.name }) {
            digest.add(cell.name)
            digest.add(cell.text)
        }
        if uses.contains("index") { digest.add("\(picture.index)") }
        if uses.contains("count") { digest.add("\(count)") }
        return digest.text()
    }

    /// Whether a row's cell says anything to the label: an empty one sets nothing, nor does one that says what holds without it.
    private static func isDrawn(_ cell: (name: String, text: String), _ document: BatchDocument) -> Bool {
        if document.fields.contains("row.\(cell.name)") { return true }
        guard document.parameters.contains(cell.name), !cell.text.isEmpty else { return false }
        // In a default braces are fields, in a cell they are braces.
        return document.defaults[cell.name] != cell.text || cell.text.contains("{")
    }

    /// A file that the document names: a logo, a font.
    private static func state(of path: BytePath) -> String {
        guard case .success(let facts) = FileFacts.of(path) else { return "\(path) missing" }
        return "\(path.real ?? path) \(facts.size) \(facts.modified)"
    }

    private static func contents(of path: BytePath) -> String {
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return "missing" }
        defer { _ = close(descriptor) }
        guard case .success(let facts) = FileFacts.of(descriptor: descriptor), facts.kind == .file else { return "missing" }
        return Digest.whole(of: descriptor, size: facts.size) ?? "missing"
    }
}
