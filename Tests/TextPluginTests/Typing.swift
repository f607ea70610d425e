import LabelpipeKit
import Outline
import TextPlugin

/// The tests' own fonts, whatever the machine is set up for.
let testFonts: TextEngine = {
    var path = #filePath
    for _ in 0..<2 { path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
    return TextEngine(configuration: path + "/Fixtures/fonts/fonts.conf")
}()

/// Collects notes.
final class Notes {
    var all: [Note] = []
    var codes: [String] { all.map(\.code) }
}

/// A text laid out with the tests' fonts.
func typed(
    _ text: String, _ font: String = "DejaVu Sans", _ size: Double = 100, notes: Notes? = nil, engine: TextEngine = testFonts,
    _ change: (inout TextSettings) -> Void = { _ in }
) throws -> Layer {
    var settings = TextSettings(text: text, font: font, size: size)
    change(&settings)
    return try TextLayout.layer(settings, engine: engine) { notes?.all.append($0) }
}

func width(_ text: String, _ font: String = "DejaVu Sans", _ size: Double = 100) throws -> Double {
    try typed(text, font, size).frame.width
}
