import LabelpipeKit
import Testing
import TextPlugin

@Suite struct DeclarationTests {
    /// The order and the names of the contract.
    @Test func keys() {
        #expect(
            TextMask.declaration.parameters.map(\.declaration.name) == [
                "text", "font", "fontFile", "size", "weight", "axes", "features", "language", "direction", "align", "wrapWidth",
                "wrap",
                "maxLines", "overflow", "fitWidth", "fitHeight", "minimumSize", "maximumSize", "letterSpacing", "lineSpacing",
                "baselineOffset", "lineHeight", "orphans", "kerning", "underline", "strikethrough", "missingGlyph",
            ])
        #expect(TextMask.declaration.id == "text.mask" && TextMask.declaration.inputs.isEmpty)
    }

    @Test func onlyTheTextIsRequired() {
        #expect(TextMask.declaration.parameters.filter(\.declaration.isRequired).map(\.declaration.name) == ["text"])
    }

    @Test func everyParameterIsDocumented() {
        for parameter in TextMask.declaration.parameters { #expect(!parameter.declaration.doc.isEmpty) }
    }
}
