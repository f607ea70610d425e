import TestSupport
import Testing

/// `labelpipe fonts`, with the fonts of the tests.
@Suite("labelpipe fonts") struct FontsTests {
    let bench = Workbench()

    @Test("which face a list comes to, and why")
    func faces() {
        let (code, printed) = bench.run("labelpipe fonts 'Nope, Helvetica Bold, sans-serif'")
        #expect(code == 1, "the first of the list is not installed")
        let expected = """
            Nope, Helvetica Bold, sans-serif: Liberation Sans Bold
              …/LiberationSans-Bold.ttf
              Nope            is not installed
              Helvetica Bold  is not installed; fontconfig binds it to Liberation Sans
              sans-serif      is a generic family, which fontconfig chooses, for characters that those before it have not

            """
        #expect(Guide.matches(printed: printed, expected), "\(printed)")
        #expect(bench.run("labelpipe fonts 'DejaVu Sans'").code == 0)
    }

    @Test("characters that no font has")
    func characters() {
        let (code, printed) = bench.run("labelpipe fonts sans-serif --text 'Ωmega \u{10380}'")
        #expect(code == 1)
        #expect(printed.hasSuffix("  no font has U+10380 \u{10380}\n"), "\(printed)")
        #expect(bench.run("labelpipe fonts sans-serif --text Ωmega").code == 0)
        let json = bench.run("labelpipe fonts Helvetica --weight 700 --text '\u{10380}' --format json").printed
        #expect(
            Guide.matches(
                printed: json,
                #"{"font":"Helvetica","face":"Liberation Sans Bold","file":"…LiberationSans-Bold.ttf","syntheticBold":false,"#
                    + #""entries":[{"text":"Helvetica","reason":"alias","family":"Liberation Sans"}],"missing":["\#u{10380}"]}"#
                    + "\n"), "\(json)")
    }

    @Test("a font file, and what is none")
    func files() throws {
        let file = try #require(Fonts.file(named: "DejaVuSerif.ttf"))
        let (code, printed) = bench.run("labelpipe fonts sans-serif --font-file '\(file)'")
        #expect(code == 0)
        #expect(printed.contains("DejaVuSerif.ttf"), "\(printed)")
        let refused = bench.run("echo none >none.ttf; labelpipe fonts sans-serif --font-file none.ttf")
        #expect(refused.code == 1)
        #expect(refused.printed.contains("error: ") && refused.printed.contains("none.ttf"), "\(refused.printed)")
    }

    @Test("what is installed, and what was probably meant")
    func families() {
        #expect(bench.run("labelpipe fonts").printed.split(separator: "\n").contains("DejaVu Serif"))
        #expect(bench.run("labelpipe fonts --format json").printed.contains("{\"family\":\"DejaVu Serif\"}\n"))
        let (code, printed) = bench.run("labelpipe fonts 'DejaVu Sanss'")
        #expect(code == 1)
        #expect(printed == "error: no font is installed for \"DejaVu Sanss\"\n  help: did you mean \"DejaVu Sans\"?\n")
    }

    private static let document = """
        { "labelpipe": 1, "parameters": { "name": { "type": "template" }, "font": { "type": "string", "default": "DejaVu Sans" } },
          "output": [ { "effect": "image.source" }, { "effect": "layout.place", "label": [
            { "effect": "text.mask", "text": "$name", "font": "$font" }, { "effect": "fill.solid" } ] },
            { "effect": "layout.place", "label": [
            { "effect": "text.mask", "text": { "template": "{row.city}{exif.Artist}" }, "font": "DejaVu Serif" },
            { "effect": "fill.solid" } ] } ] }
        """

    @Test("every text of a batch before it runs: rows, templates, each finding once")
    func batch() throws {
        try writeFile("\(bench.path)/card.json", Array(Self.document.utf8))
        try writeFile("\(bench.path)/good.csv", Array("name,city\nAnn,Köln\nΩ,München\n".utf8))
        let good = bench.run("labelpipe fonts check card.json --rows good.csv")
        #expect(good == (0, "card.json with 2 rows: every text has its fonts\n"))
        try writeFile(
            "\(bench.path)/bad.csv", Array("name,city\nAnn,\u{10380}\nBob,Köln\n\u{10381},Köln\n\u{10381},Köln\n".utf8))
        let bad = bench.run("labelpipe fonts check card.json --rows bad.csv")
        #expect(bad.code == 1)
        let expected = """
            bad.csv:2:1: warning: no font has U+10380 (1 character); tried DejaVu Serif and every other installed font
            bad.csv:4:1: warning: no font has U+10381 (1 character); tried DejaVu Sans and every other installed font
              help: also in line 5
            card.json with 4 rows: 2 problems found

            """
        #expect(bad.printed == expected, "\(bad.printed)")
        let lines = bench.run("labelpipe fonts check card.json --rows bad.csv --format json").printed.split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("\"code\":\"missing-glyph\"") && $0.contains("\"line\":") })
        // Nothing was drawn, and no picture was needed.
        #expect(bench.files(in: ".") == ["bad.csv", "card.json", "good.csv"].sorted() + [])
    }

    @Test("families that are missing, at their node")
    func missingFamilies() throws {
        try writeFile("\(bench.path)/card.json", Array(Self.document.utf8))
        let (code, printed) = bench.run("labelpipe fonts check card.json --set name=Ann --set font='DejaVu Sams'")
        #expect(code == 1)
        #expect(
            printed.contains("/output/1/label/0/font: no font is installed for \"DejaVu Sams\"\n  help: did you mean"),
            "\(printed)")
        #expect(printed.hasPrefix("card.json:3:55: error: /output/1/label/0/font: no font"), "\(printed)")
        #expect(bench.run("labelpipe fonts check card.json").code == 3, "a parameter has no value")
        #expect(bench.run("labelpipe fonts check").code == 2)
        #expect(bench.run("labelpipe fonts --rows x.csv").code == 2)
    }
}
