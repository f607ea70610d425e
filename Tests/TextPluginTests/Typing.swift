import Diagnostics
import LabelpipeKit
import Outline
import TextPlugin

/// The tests' own fonts, whatever the machine is set up for.
let testFonts = TextEngine(configuration: fixture("fonts/fonts.conf"))

func fixture(_ name: String) -> String {
    var path = Substring(#filePath)
    for _ in 0..<2 { path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }
    return path + "/Fixtures/" + name
}

/// Collects notes.
final class Notes {
    var all: [Note] = []
    var codes: [String] { all.map(\.code) }
}

/// Arguments as the engine would give them: what is written, over the declared defaults.
func arguments(_ written: [String: Value]) -> Arguments {
    var values: [String: Value] = [:]
    for parameter in TextMask.declaration.parameters {
        let declaration = parameter.declaration
        if let value = declaration.defaultValue { values[declaration.name] = resolved(value, declaration) }
    }
    return Arguments(values.merging(written) { $1 }, written: Set(written.keys))
}

private func resolved(_ value: JSONValue, _ declaration: ParameterDeclaration) -> Value {
    if case .relative(_, let otherwise) = declaration.presence { return .number(otherwise) }
    if let elements = value.elements { return .list(elements.map { resolved($0, declaration) }) }
    if let flag = value.bool { return .boolean(flag) }
    let number = value.double ?? value.string.flatMap { $0.hasSuffix("px") ? Double($0.dropLast(2)) : nil }
    guard let number else { return .string(value.string ?? "") }
    return declaration.kind == .ownLength ? .length(OwnLength(.number(number), base: nil)) : .number(number)
}

/// A text laid out with the tests' fonts.
func typed(
    _ text: String, _ font: String = "DejaVu Sans", _ size: Double = 100, notes: Notes? = nil, engine: TextEngine = testFonts,
    _ change: (inout TextSettings) -> Void = { _ in }
) throws -> Layer {
    var settings = try TextMask(arguments(["text": .string(text), "font": .string(font), "size": .number(size)])).settings
    change(&settings)
    return try TextLayout.layer(settings, engine: engine) { notes?.all.append($0) }
}

/// A text laid out from what a document would write.
func masked(_ text: String, _ written: [String: Value], notes: Notes? = nil) throws -> Layer {
    let base: [String: Value] = ["text": .string(text), "font": .string("DejaVu Sans"), "size": .number(100)]
    let settings = try TextMask(arguments(base.merging(written) { $1 })).settings
    return try TextLayout.layer(settings, engine: testFonts) { notes?.all.append($0) }
}

func width(_ text: String, _ font: String = "DejaVu Sans", _ size: Double = 100) throws -> Double {
    try typed(text, font, size).frame.width
}

func own(_ px: Double) -> Value { .length(OwnLength(.number(px), base: nil)) }
func em(_ em: Double) -> Value { .length(OwnLength(.length(em, .em), base: nil)) }

extension Layer {
    /// The box of what is drawn.
    var ink: Rect {
        marks.reduce(Rect.null) { all, mark in
            guard case .body(let body) = mark else { return all }
            return body.contents.reduce(all) { $0.union($1.reach) }
        }
    }

    var body: Body? { if case .body(let body)? = marks.first { body } else { nil } }

    /// What is drawn in each line's own place: one box a line.
    var lines: [FillBoxes.Part] { body?.boxes.lines ?? [] }
    var glyphs: [FillBoxes.Part] { body?.boxes.glyphs ?? [] }
    var area: Double { outline?.polygons().area ?? 0 }
}

extension Rect {
    func isNear(_ other: Rect, _ tolerance: Double = 0.05) -> Bool {
        abs(minX - other.minX) <= tolerance && abs(minY - other.minY) <= tolerance && abs(maxX - other.maxX) <= tolerance
            && abs(maxY - other.maxY) <= tolerance
    }
}

/// A repeatable sequence (SplitMix64), so that a random test can be run again.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
