import CText
import LabelpipeKit

/// A request for a font, answered on this machine.
struct ChosenFonts {
    let request: FontRequest
    let book: FontBook
    let choice: FontChoice
    let description: FontDescription
    /// Pango's name of the language.
    let language: OpaquePointer
    /// The face that text is set in, where it has the characters.
    let primary: Face

    /// **Errors**: `font-missing`, `font-unreadable`.
    init(_ request: FontRequest, _ book: FontBook) throws {
        (self.request, self.book) = (request, book)
        choice = try FontChoice(request.list, in: book)
        var style = choice.style
        if let weight = request.weight { style.weight = weight }
        description = FontDescription(families: choice.families, style: style, axes: request.axes)
        // Never the locale's: the same document draws the same everywhere.
        language = pango_language_from_string(request.language ?? "en")
        guard let primary = book.face(description, language: language) else {
            throw DrawingError("font-missing", .missing, "no face of \"\(request.list)\" can be loaded", about: "font")
        }
        if let file = book.file, primary.file != file.path || !primary.isReadable {
            throw FontFile.unusable(
                file.path, "it is not a TrueType or OpenType font", help: "convert it to .ttf or .otf")
        }
        self.primary = primary
    }
}
