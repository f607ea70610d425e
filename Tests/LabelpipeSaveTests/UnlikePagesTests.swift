import Diagnostics
import Glibc
import Splice
import Testing
import Vips

// Pages that differ from each other in size or kind.
extension SaveTests.TIFF {
    private static let unlike: [(width: Int, height: Int, colour: [UInt8])] = [
        (128, 96, [10, 20, 200]), (90, 120, [200, 20, 10]), (128, 96, [90]), (64, 48, [10, 200, 20]),
    ]

    /// Pages with a white block in the corner at the lower right of each.
    private func expectMarked(_ name: String, _ pages: [(width: Int, height: Int, colour: [UInt8])]) throws {
        for (number, page) in pages.enumerated() {
            var options = LoadOptions()
            options.pages = .only(number)
            options.access = .random
            let image = try PictureFile(path: Array(shop.path(name).utf8), options: options).image
            #expect(image.pagesInFile == pages.count, "\(name)")
            #expect((image.width, image.height) == (page.width, page.height), "\(name) \(number)")
            func at(_ x: Int, _ y: Int) throws -> [UInt8] {
                try image.read(PixelBox(left: x, top: y, width: 1, height: 1))
            }
            let white = page.colour.map { _ in UInt8(255) }
            #expect(try at(page.width - 10, page.height - 8) == white, "\(name) \(number)")
            for (x, y) in [(5, 5), (page.width - 30, page.height - 8), (page.width - 10, page.height - 20)] {
                #expect(try at(x, y) == page.colour, "\(name) \(number)")
            }
        }
    }

    private static func corner(_ outputs: (page: String, keys: String)...) -> String {
        let made = outputs.map {
            """
            {"node": [{"effect": "image.source", "page": \($0.page)}, {"effect": "layout.place", "anchor": "bottom-right",
             "insets": 4, "label": [{"effect": "shape.rectangle", "size": [20, 10]}, {"effect": "fill.solid", "color": "white"}]}]
             \($0.keys)}
            """
        }
        return "{\"labelpipe\": 1, \"outputs\": [\(made.joined(separator: ",\n"))]}"
    }

    @Test("pages of unlike sizes and kinds all stay, each with the label at its place", arguments: [false, true])
    func unlikePages(isEncoded: Bool) throws {
        let texts = Self.unlike.indices.map { Added(page: $0, tag: 285, type: 2, bytes: Array("page \($0)\0".utf8)) }
        try shop.write("u.tif", try adding(texts, to: Self.document(Self.unlike)))
        let outcome = try shop.run(
            Self.corner(("\"all\"", isEncoded ? ", \"compression\": \"lzw\"" : "")), "u.tif", output: "out/o.tif")
        #expect(outcome.mode?.hasPrefix("splice") == !isEncoded && outcome.warnings.isEmpty, "\(outcome.pictures)")
        try expectMarked("out/o.tif", Self.unlike)
        let tags = try shop.tags("out/o.tif", "-a")
        for page in Self.unlike.indices {
            #expect(tags["IFD\(page):PageName"] == "page \(page)")
            #expect(tags["IFD\(page):Compression"] == (isEncoded ? "LZW" : "Uncompressed"))
        }
    }

    @Test("what is set, is set on every page; a pyramid of each page; formats of one picture tell what they leave out")
    func unlikePagesElsewhere() throws {
        let pages = Array(Self.unlike.prefix(2))
        try shop.write("u.tif", Self.document(pages))
        try shop.run(Self.corner(("\"all\"", ", \"set\": {\"Artist\": \"me\"}")), "u.tif", output: "out/set.tif")
        try expectMarked("out/set.tif", pages)
        let tags = try shop.tags("out/set.tif", "-a")
        #expect(tags["IFD0:Artist"] == "me" && tags["IFD1:Artist"] == "me")
        try shop.run(
            Self.corner(("\"all\"", ", \"pyramid\": true, \"tile\": true")), "u.tif", output: "out/levels.tif")
        let descriptor = open(shop.path("out/levels.tif"), O_RDONLY)
        defer { close(descriptor) }
        let all = try TIFFFile(descriptor)
        #expect(all.pictures.map { all.pages[$0].width } == pages.map(\.width))
        let still = try shop.run(Self.corner(("\"all\"", "")), "u.tif", output: "out/o.png")
        #expect(still.warnings.contains { $0.contains("1 further pages are left out") }, "\(still.warnings)")
    }

    @Test("all pages count, for the time that they may take too; one that cannot be read is named")
    func unlikePagesAreCounted() throws {
        try shop.write("u.tif", Self.document(Self.unlike))
        try shop.write("document.json", Array(Self.corner(("\"all\"", "")).utf8))
        let program = try #require(getenv("LABELPIPE").map { String(cString: $0) })
        let plan = try Tool(
            program,
            ["run", "document.json", "u.tif", "--output", "out", "--dry-run", "--format", "json"].map {
                $0.contains(".") ? shop.path($0) : $0
            })
        let line = try JSONValue.parse(Array(plan.output.prefix { $0 != 10 }), file: "plan")
        #expect(line["pages"]?.integer == 4, "\(plan.errors)")
        var bytes = Self.document(Self.unlike)
        // The second directory says that its pixels are JPEG of the old kind.
        let second = try #require(bytes.ranges(of: [3, 1, 3, 0, 1, 0, 0, 0]).dropFirst().first).lowerBound
        bytes[second + 8] = 6
        try shop.write("u.tif", bytes)
        let outcome = try shop.run(Self.corner(("\"all\"", "")), "u.tif", output: "out/o.tif", expecting: 1)
        #expect(outcome.errors.contains("page 2: "), "\(outcome.errors)")
    }

    @Test("one page of several of unlike sizes is that page; with all of them in another output, nobody can tell")
    func onePageOfUnlikeOnes() throws {
        try shop.write("u.tif", Self.document(Self.unlike))
        for page in 0..<2 {
            let outcome = try shop.run(Self.corner(("\(page + 1)", "")), "u.tif", output: "out/o.tif")
            #expect(outcome.warnings.isEmpty, "\(outcome.warnings)")
            try expectMarked("out/o.tif", [Self.unlike[page]])
        }
        let outcome = try shop.run(Self.corner(("9", "")), "u.tif", output: "out/n.tif", expecting: 1)
        #expect(outcome.errors.contains("page 9 of a picture of 4"), "\(outcome.errors)")
        let both = Self.corner(
            ("\"all\"", ", \"path\": \"a.tif\", \"compression\": \"lzw\""), ("2", ", \"path\": \"b.tif\""))
        #expect(try shop.run(both, "u.tif", output: "out/", expecting: 1).pictures.first?["code"]?.string == "pages-differ")
        #expect(!shop.exists("out/a.tif") && !shop.exists("out/b.tif"))
    }
}
