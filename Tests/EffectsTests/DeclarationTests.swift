import Diagnostics
import Labelpipe
import LabelpipeEngine
import LabelpipeKit
import Testing

/// "Every key" of the effects' contract, as data.
@Suite struct DeclarationTests {
    /// An input, or a parameter: name, kind, default as JSON ("●": required, "": none), range where the table has one.
    struct Key {
        let name: String
        let kind: String
        let initial: String
        let range: ClosedRange<Double>?
        init(_ name: String, _ kind: String, _ initial: String = "", _ range: ClosedRange<Double>? = nil) {
            (self.name, self.kind, self.initial, self.range) = (name, kind, initial, range)
        }
    }

    static let anchors = "anchor"
    static let blends =
        "normal│multiply│screen│overlay│darken│lighten│color-dodge│color-burn│hard-light│soft-light│difference│exclusion│hue│saturation│color│luminosity│plus-lighter"
    static let opacity = Key("opacity", "number", "1", 0...1)
    static let blend = Key("blend", blends, "\"normal\"")
    static let space = Key("space", "srgb│linear", "\"srgb\"")
    static let snap = Key("snap", "boolean", "true")
    static let offset = Key("offset", "offset", "[0,\"0.04em\"]")
    static let blur = Key("blur", "length", "\"0.1em\"", 0...4096)
    static let shadowColor = Key("color", "color", "\"#00000080\"")

    static let table: [(id: String, inputs: [String], keys: [Key])] = [
        ("image.source", [], [Key("page", "integer or all", "\"all\"")]),
        ("image.load", [], [Key("path", "path", "●"), Key("width", "length"), Key("height", "length")]),
        ("image.canvas", [], [Key("size", "size", "●"), Key("color", "color", "\"transparent\"")]),
        (
            "image.resize", ["input"],
            [
                Key("width", "length"), Key("height", "length"), Key("fit", "inside│fill│cover", "\"inside\""),
                Key("enlarge", "boolean", "false"),
            ]
        ),
        (
            "text.mask", [],
            [
                Key("text", "string", "●"), Key("font", "string", "\"sans-serif\""), Key("fontFile", "path"),
                Key("size", "length", "\"4vmin\"", 0.5...16384), Key("weight", "integer", "", 1...1000), Key("axes", "object"),
                Key("features", "list of string", "[]"), Key("language", "string"),
                Key("direction", "auto│ltr│rtl", "\"auto\""),
                Key("align", "natural│left│center│right│justify", "\"natural\""), Key("wrapWidth", "length"),
                Key("wrap", "none│word│word-char│char", "\"word-char\""), Key("maxLines", "integer"),
                Key("overflow", "clip│ellipsis-start│ellipsis-middle│ellipsis-end│fade", "\"ellipsis-end\""),
                Key("fitWidth", "length"), Key("fitHeight", "length"), Key("minimumSize", "length", "\"1px\""),
                Key("maximumSize", "length"), Key("letterSpacing", "length", "0"), Key("lineSpacing", "length", "0"),
                Key("baselineOffset", "length", "0"), Key("lineHeight", "number", "1"), Key("orphans", "boolean", "true"),
                Key("kerning", "boolean", "true"), Key("underline", "boolean", "false"),
                Key("strikethrough", "boolean", "false"), Key("missingGlyph", "warn│fail│ignore", "\"warn\""),
            ]
        ),
        (
            "shape.rectangle", ["around"],
            [Key("size", "size"), Key("insets", "insets"), Key("radius", "length or pill", "0")]
        ),
        ("shape.ellipse", ["around"], [Key("size", "size"), Key("insets", "insets")]),
        ("shape.path", [], [Key("d", "string", "●")]),
        ("mask.alpha", ["input"], []),
        ("mask.luminance", ["input"], []),
        ("mask.combine", ["layers"], [Key("mode", "union│subtract│intersect│exclude", "\"union\"")]),
        ("mask.grow", ["input"], [Key("by", "length", "●")]),
        ("fill.solid", ["input"], [Key("color", "color", "\"black\"")]),
        (
            "fill.gradient", ["input"],
            [
                Key("colors", "list of color", "●"), Key("stops", "list of number"),
                Key("type", "linear│radial│conic", "\"linear\""), Key("start", "point", "[0.5,0.2]"),
                Key("end", "point", "[0.5,0.8]"), Key("center", "point", "[0.5,0.5]"), Key("radius", "number", "1"),
                Key("angle", "angle", "0"), Key("box", "text│frame│ink│line│glyph", "\"text\""),
                Key("space", "srgb│linear│oklab", "\"srgb\""), Key("over", "color"),
            ]
        ),
        ("fill.image", ["input", "picture"], [Key("fit", "tile│stretch│cover", "\"tile\""), Key("offset", "offset")]),
        (
            "stroke.outline", ["input"],
            [
                Key("width", "length", "\"1px\"", 0...4096), Key("color", "paint", "\"black\""),
                Key("position", "outside│center│inside", "\"outside\""), Key("join", "round│miter│bevel", "\"round\""),
                Key("miterLimit", "number", "4", 1...100), Key("solid", "boolean", "false"),
            ]
        ),
        (
            "shadow.drop", ["input"],
            [
                shadowColor, offset, blur, Key("spread", "length", "0", -4096...4096),
                Key("caster", "keep│hide│cut", "\"keep\""),
            ]
        ),
        ("shadow.inner", ["input"], [shadowColor, offset, blur, Key("blend", "normal│darken", "\"normal\"")]),
        ("layout.inset", ["input"], [Key("insets", "insets")]),
        (
            "layout.box", ["input"],
            [
                Key("size", "size"), Key("insets", "insets", "0"), Key("align", "anchor", "\"center\""),
                Key("horizontal", "left│center│right│natural"), Key("vertical", "top│center│bottom"),
                Key("by", "line│cap│x│ink", "\"line\""), snap,
            ]
        ),
        ("layout.clip", ["input", "to"], []),
        ("layout.rotate", ["input"], [Key("angle", "angle", "●")]),
        ("layout.scale", ["input"], [Key("by", "number or point"), Key("width", "length"), Key("height", "length")]),
        ("layout.stack", ["layers"], [Key("align", "anchor"), space, snap]),
        (
            "layout.row", ["layers"],
            [Key("gap", "length", "\"0.25em\""), Key("align", "baseline│top│center│bottom", "\"baseline\""), snap]
        ),
        (
            "layout.place", ["base", "label"],
            [
                Key("anchor", "anchor", "\"bottom-right\""), Key("insets", "insets", "0"), Key("offset", "offset", "0"),
                Key("at", "offset"), opacity, blend, space, Key("keepInside", "boolean", "true"),
                Key("tooLarge", "shrink│clip│skip│error", "\"shrink\""), Key("minimumBase", "size"), snap,
            ]
        ),
        (
            "layout.tile", ["base", "label"],
            [
                Key("gap", "length or size", "0"), Key("angle", "angle", "0"), Key("stagger", "number", "0"),
                Key("jitter", "length", "0"), Key("seed", "integer", "0"), opacity, blend, space,
            ]
        ),
    ]

    @Test func declarationsEqualTheTable() throws {
        for row in Self.table {
            guard let declaration = registry[row.id]?.declaration else {
                Issue.record("no effect \(row.id)")
                continue
            }
            #expect(declaration.inputs.map(\.name) == row.inputs, "\(row.id)")
            #expect(declaration.parameters.map(\.declaration.name) == row.keys.map(\.name), "\(row.id)")
            for (key, parameter) in zip(row.keys, declaration.parameters.map(\.declaration)) {
                let place: Comment = "\(row.id) \(key.name)"
                #expect(parameter.kind.name == key.kind, place)
                #expect(parameter.isRequired == (key.initial == "●"), place)
                if key.initial != "●" { #expect((parameter.defaultValue?.compact ?? "") == key.initial, place) }
                if let range = key.range { #expect(parameter.range == range, place) }
                #expect(!parameter.doc.isEmpty, place)
            }
        }
    }

    /// The table is what documents may rely on, and nothing of it goes; an effect that comes needs no line there to be whole.
    @Test func everyEffectExplainsItself() {
        for declaration in registry.all.map(\.declaration) {
            let place: Comment = "\(declaration.id)"
            #expect(declaration.summary.hasSuffix(".") && declaration.summary.count > 12, place)
            #expect(!declaration.example.isEmpty, place)
            #expect(declaration.inputs.allSatisfy { !$0.doc.isEmpty }, place)
            #expect(declaration.parameters.allSatisfy { !$0.declaration.doc.isEmpty }, place)
        }
    }

    @Test func stacksEntriesHaveOpacityAndBlend() throws {
        let input = try #require(registry["layout.stack"]?.declaration.inputs.first)
        guard case .entries(let parameters) = input.form else {
            Issue.record("layers are no entries")
            return
        }
        #expect(parameters.map(\.declaration.name) == ["opacity", "blend"])
    }

    @Test func anIdThatTwoPluginsClaimIsRefusedWithBothNames() throws {
        let other = Plugin(id: "org.example.other", kinds: Array(bundledPlugins[0].effects.prefix(1)))
        do {
            _ = try Registry.bundled(and: [other])
            Issue.record("accepted")
        } catch let finding as Diagnostic {
            #expect(finding.code == "duplicate-effect")
            #expect(finding.description.contains("org.example.other") && finding.description.contains(bundledPlugins[0].id))
        }
    }
}
