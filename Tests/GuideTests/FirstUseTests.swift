import TestSupport
import Testing

/// What people met who had the program and the README, and nothing else.
@Suite("First use") struct FirstUseTests {
    let bench = Workbench()

    @Test("a recipe's name without its folder is found where the recipes are")
    func recipes() {
        let (code, printed) = bench.run("labelpipe run watermark.json photos/ --output marked/")
        #expect(code == 3)
        #expect(printed.contains("help: did you mean \"") && printed.contains("/watermark.json\"?"), "\(printed)")
        #expect(!bench.run("labelpipe run no-such.json photos/ --output marked/").printed.contains("did you mean"))
        #expect(bench.run("labelpipe --help").printed.contains("documents to use and to copy from: /"))
    }

    @Test("a document is mended by what is said of it, one message after the other")
    func mending() throws {
        try bench.fill()
        var document = """
            {
              "labelpipe": 1,
              "output": [
                { "effect": "image.source" },
                { "effect": "layout.place", "anchor": "bottom-middle", "inset": "3%", "label": [
                  { "effect": "text", "text": "© Me", "font": "DejaVu Sanss", "size": "5vmin" },
                  { "effect": "stroke.outline", "width": 2px, "color": "black" },
                ] }
              ]
            }
            """
        // What is said, and what somebody does who has read it.
        let steps: [(said: String, wrong: String, right: String)] = [
            ("a value with a unit is a text, \"2px\"", "2px", "\"2px\""),
            ("trailing comma before \"]\"", "\"black\" },", "\"black\" }"),
            ("did you mean \"insets\"?", "inset\"", "insets\""),
            ("did you mean 3vmin or 3vw?", "3%", "3vmin"),
            ("anchors: top-left top", "bottom-middle", "bottom"),
            ("did you mean \"text.mask\"?", "\"text\",", "\"text.mask\","),
            (
                "add { \"effect\": \"fill.solid\", \"color\": … } before it", "\"size\": \"5vmin\" },",
                "\"size\": \"5vmin\" }, { \"effect\": \"fill.solid\", \"color\": \"white\" },"
            ),
            ("did you mean \"DejaVu Sans\"?", "DejaVu Sanss", "DejaVu Sans"),
        ]
        for step in steps {
            try writeFile("\(bench.path)/mine.json", Array(document.utf8))
            let (code, printed) = bench.run("labelpipe check mine.json")
            #expect(code == 1 && printed.contains(step.said), "\(step.said) is not said:\n\(printed)")
            document = document.replacing(step.wrong, with: step.right, maxReplacements: 1)
        }
        try writeFile("\(bench.path)/mine.json", Array(document.replacing("DejaVu Sans", with: "DejaVu Sanss").utf8))
        let fonts = bench.run("labelpipe run mine.json own/ --output mine/")
        #expect(fonts.code == 4 && fonts.printed.contains("did you mean \"DejaVu Sans\"?"), "\(fonts.printed)")
        try writeFile("\(bench.path)/mine.json", Array(document.utf8))
        #expect(bench.run("labelpipe check mine.json") == (0, "mine.json: 1 output, nothing wrong\n"))
        #expect(bench.run("labelpipe run mine.json own/ --output mine/ --quiet") == (0, ""))
        #expect(bench.files(in: "mine") == ["hills-evening.jpg", "hills-morning.jpg"])
    }
}
