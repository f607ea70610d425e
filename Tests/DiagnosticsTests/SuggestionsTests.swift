import Diagnostics
import Testing

@Suite struct SuggestionsTests {
    private let names = [
        "text.mask", "fill.solid", "fill.gradient", "fill.image", "stroke.outline", "shadow.drop", "shadow.inner", "layout.place",
        "layout.tile", "layout.stack", "layout.row", "layout.inset", "mask.alpha", "mask.luminance", "mask.combine", "top-left",
        "top",
        "bottom-right", "width", "color", "x", "em", "anchor",
    ]

    @Test(
        "slips, case, separators, parts of names",
        arguments: [
            ("text.msak", "text.mask"), ("Text.Mask", "text.mask"), ("textmask", "text.mask"), ("topLeft", "top-left"),
            ("top_left", "top-left"), ("wdith", "width"), ("colour", "color"), ("fill.gradeint", "fill.gradient"),
            ("botom-rihgt", "bottom-right"), ("TOP", "top"), ("X", "x"), ("outline", "stroke.outline"), ("drop", "shadow.drop"),
            ("anchr", "anchor"), ("layout.pack", "layout.place"),
            // Too far, too short, or not one name only.
            ("y", nil), ("ex", nil), ("", nil), ("opacity", nil), ("mask", nil), ("-", nil),
        ])
    func nearest(name: String, expected: String?) {
        #expect(Suggestions.nearest(to: name, in: names) == expected)
        #expect(Suggestions.nearest(to: name, in: names.reversed()) == expected)
    }

    @Test(
        "what things are called elsewhere, of the names there are",
        arguments: [
            ("fontSize", ["fontFile", "size", "font"], "size"), ("font-size", ["size", "fontFile"], "size"),
            ("margin", ["insets", "anchor"], "insets"), ("padding", ["insets"], "insets"),
            ("text", ["string", "color"], "string"),
            ("colour", ["color", "colors"], "color"), ("strokeWidth", ["width", "color"], "width"),
            ("gravity", ["anchor", "at"], "anchor"), ("southeast", ["top", "bottom-right"], "bottom-right"),
            ("shadow", ["shadow.drop", "shadow.inner"], "shadow.drop"), ("bool", ["boolean"], "boolean"),
            // Its own name first; not what is not there.
            ("Position", ["anchor", "position"], "position"), ("margin", ["anchor"], nil), ("gravity", ["weight"], nil),
        ] as [(String, [String], String?)])
    func elsewhere(name: String, candidates: [String], expected: String?) {
        #expect(Suggestions.nearest(to: name, in: candidates) == expected)
    }

    @Test("of equally near names the one that starts alike, then the one of like length, then the first in order")
    func ties() {
        #expect(Suggestions.nearest(to: "mall", in: ["ball", "mail"]) == "mail")
        #expect(Suggestions.nearest(to: "sizes", in: ["size", "sizer"]) == "sizer")
        #expect(Suggestions.nearest(to: "cat", in: ["cut", "cot"]) == "cot")
        #expect(Suggestions.nearest(to: "a-b", in: ["ab", "a.b"]) == "a.b")
    }

    @Test("an endless name costs nothing")
    func long() {
        #expect(Suggestions.nearest(to: String(repeating: "a", count: 1_000_000), in: names) == nil)
    }
}
