import Testing

@Suite("Imports go down")
struct ImportsTests {
    private let house = House()

    @Test("in every file")
    func files() throws {
        let sources = Tree.files().filter { house.module(ofFile: $0) != nil }
        // A search that finds nothing proves nothing.
        #expect(sources.contains("Sources/labelpipe/main.swift") && sources.contains("Plugins/Text/Plugin.swift"))
        var count = 0
        for path in sources {
            let source = try #require(try Tree.text(path), "\(path) is not UTF-8")
            count += imports(in: source).count
            for objection in house.objections(toFile: path, source: source) { Issue.record("\(objection)") }
        }
        #expect(count > 10)
    }

    @Test("in the manifest")
    func manifest() throws {
        let manifest = try #require(try Tree.text("Package.swift"))
        for objection in house.objections(toManifest: manifest) { Issue.record("\(objection)") }
    }

    @Test(
        "and the checker says so when they do not",
        arguments: [
            ("Sources/Outline/A.swift", "LabelpipeKit", "LabelpipeKit (floor 2) stands above Outline (floor 1)"),
            ("Sources/Outline/A.swift", "Vips", "Vips (floor 1) stands beside Outline (floor 1)"),
            (
                "Sources/LabelpipeKit/A.swift", "LabelpipeDrawing",
                "LabelpipeDrawing (floor 2) stands beside LabelpipeKit (floor 2)"
            ),
            (
                "Sources/LabelpipeEngine/Deep/A.swift", "TextPlugin",
                "TextPlugin (floor 3) stands beside LabelpipeEngine (floor 3)"
            ),
            (
                "Sources/LabelpipeEngine/A.swift", "LabelpipeSave",
                "LabelpipeSave (floor 3) stands beside LabelpipeEngine (floor 3)"
            ),
            (
                "Sources/LabelpipeWorker/A.swift", "LabelpipeBatch",
                "LabelpipeBatch (floor 4) stands beside LabelpipeWorker (floor 4)"
            ),
            ("Sources/Labelpipe/A.swift", "labelpipe", "labelpipe (floor 6) stands above Labelpipe (floor 5)"),
            ("Sources/LabelpipeBatch/A.swift", "Vips", "Vips is out of bounds for LabelpipeBatch"),
            ("Sources/LabelpipeDrawing/A.swift", "CVips", "only Vips imports CVips"),
            ("Sources/LabelpipeDrawing/A.swift", "CText", "only TextPlugin imports CText"),
            ("Plugins/Fill/A.swift", "CText", "only TextPlugin imports CText"),
            (
                "Plugins/Fill/A.swift", "LabelpipeEngine",
                "a plugin imports only Diagnostics, LabelpipeDrawing, LabelpipeKit, Outline, Vips"
            ),
            (
                "Plugins/Fill/A.swift", "StrokePlugin",
                "a plugin imports only Diagnostics, LabelpipeDrawing, LabelpipeKit, Outline, Vips"
            ),
            (
                "Plugins/Examples/bevel/A.swift", "Splice",
                "a plugin imports only Diagnostics, LabelpipeDrawing, LabelpipeKit, Outline, Vips"
            ),
            ("Plugins/Fill/A.swift", "Foundation", "Foundation is slow to load; FoundationEssentials and Glibc are not"),
            (
                "Sources/Vips/A.swift", "FoundationNetworking",
                "FoundationNetworking is slow to load; FoundationEssentials and Glibc are not"
            ),
            ("Sources/Vips/A.swift", "Testing", "Testing is no module of the house"),
            // What is allowed.
            ("Sources/LabelpipeDrawing/A.swift", "LabelpipeKit", nil), ("Sources/LabelpipeBatch/A.swift", "LabelpipeWorker", nil),
            ("Sources/Vips/A.swift", "CVips", nil), ("Plugins/Text/A.swift", "CText", nil),
            ("Plugins/Fill/A.swift", "Outline", nil),
            ("Sources/Labelpipe/A.swift", "FillPlugin", nil), ("Sources/Vips/A.swift", "FoundationEssentials", nil),
            ("Tests/VipsTests/A.swift", "Foundation", nil), ("Package.swift", "PackageDescription", nil),
            ("Plugins/Examples/bevel/Package.swift", "PackageDescription", nil),
        ] as [(String, String, String?)])
    func madeUp(path: String, module: String, objection: String?) {
        let found = house.objections(toFile: path, source: "// A file.\n\nimport \(module)\n")
        #expect(found == (objection.map { ["\(path):3: import \(module): \($0)"] } ?? []))
    }

    @Test("a folder without a floor is found, whatever it imports")
    func unknownModule() {
        let found = house.objections(toFile: "Sources/Cellar/A.swift", source: "")
        #expect(found == ["Sources/Cellar/A.swift: Cellar has no floor yet: give it one in Tests/HygieneTests"])
    }

    @Test("a manifest that looks up is found")
    func madeUpManifest() {
        let manifest = """
            .target(
                name: "CShim", dependencies: ["Vips"],
            module("Outline", ["CShim", "Vips"]),
            module("LabelpipeDrawing", ["LabelpipeKit"]),
            plugin("Fill", ["CText"]),
            module("Diagnostics"),
            .executableTarget(
                name: "labelpipe", dependencies: ["Labelpipe", "CVips"])
            """
        #expect(
            house.objections(toManifest: manifest) == [
                "Package.swift: CShim: Vips (floor 1) stands above CShim (floor 0)",
                "Package.swift: Outline: Vips (floor 1) stands beside Outline (floor 1)",
                "Package.swift: FillPlugin: only TextPlugin imports CText",
                "Package.swift: labelpipe: only Vips imports CVips",
            ])
    }

    @Test("an import is found in every spelling, and only where it is one")
    func spellings() {
        let source = #"""
            import A
            @testable import B; import C
              @_spi(X) public import struct D.E
            // import no
            /* import no /* nested
            import no */ import no
            */ import F
            let text = "import no"; let other = "\" \(x["a"])" ; import G
            let long = """
            import no
            \(a) \""" "
            import no
            """
            let raw = #"a"import no"#
            #if canImport(no)
            package import func H.I.j
            #endif
            importantCall()
            let x = y.import
            """#
        let found = imports(in: source).map { "\($0.line) \($0.module)" }
        #expect(found == ["1 A", "2 B", "2 C", "3 D", "7 F", "8 G", "16 H"])
    }
}
