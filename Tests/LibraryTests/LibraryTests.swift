import Diagnostics
import Glibc
import Labelpipe
import Testing
import Vips

@Suite struct LibraryTests {
    private static let photos = "/usr/share/gocode/src/github.com/disintegration/imaging/testdata"

    private static let label = Node("text.mask", ["text": "$5 off", "font": "DejaVu Sans Bold", "size": 24])
        .then("fill.solid", ["color": "white"])
        .then("shadow.drop")
    private static let marked = Node("image.source").then(
        "layout.place", ["anchor": "bottom-right", "insets": 4, "label": .node(label)])

    private func pixels(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        try #require(descriptor >= 0, "\(path)")
        defer { close(descriptor) }
        return try PictureFile(descriptor: descriptor, options: LoadOptions()).image.writeToMemory()
    }

    private func temporary(_ name: String) -> String { "/tmp/labelpipe-library-\(getpid())-\(name)" }

    /// The graph is the document's: the same pixels come of it.
    @Test func aGraphDrawsWhatTheDocumentDraws() throws {
        let document = """
            { "labelpipe": 1, "output": [{ "effect": "image.source" },
              { "effect": "layout.place", "anchor": "bottom-right", "insets": 4, "label": [
                { "effect": "text.mask", "text": "$$5 off", "font": "DejaVu Sans Bold", "size": 24 },
                { "effect": "fill.solid", "color": "white" }, { "effect": "shadow.drop" }] }] }
            """
        let pipeline = try Pipeline(bytes: Array(document.utf8), name: "test", folder: ".", registry: .bundled())
        let (one, other) = (temporary("one.png"), temporary("other.png"))
        defer { for file in [one, other] { unlink(file) } }
        let photo = Self.photos + "/flowers_small.png"
        try Graph(Self.marked).render(photo, to: one)
        try Graph(pipeline).render(photo, to: other)
        let drawn = try pixels(one)
        #expect(try drawn == pixels(other))
        #expect(try drawn != pixels(photo))
        let bitmap = try Graph(Self.marked).bitmap(photo)
        #expect(bitmap.bands == 4 && bitmap.bytes.count == bitmap.width * bitmap.height * 4)
    }

    /// What libvips leaves in a file, or takes for something else, is there as in a batch.
    @Test func filesAreReadAsInABatch() throws {
        func save(_ image: Image, _ name: String, _ options: SaveOptions) throws -> String {
            let descriptor = open(temporary(name), O_RDWR | O_CREAT | O_TRUNC, 0o644)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            try Saver.save(image, to: descriptor, options)
            return temporary(name)
        }
        let output = temporary("read.tif")
        let grey = try save(
            .filled([0.25], width: 64, height: 64, format: .float, interpretation: .bw), "grey.tif", .tiff())
        let frames = try (0..<2).map {
            try Image.filled([Double(90 * $0), 90, 9], width: 200, height: 64, format: .uchar, interpretation: .srgb)
        }
        let pages = try save(
            .arrayjoin(frames).setting("page-height", to: .integer(64)), "pages.tif", .tiff())
        defer { for file in [output, grey, pages] { unlink(file) } }
        let small = Node("image.source").then(
            "layout.place",
            [
                "anchor": "top-left",
                "label": .node(Node("shape.rectangle", ["size": [8, 8]]).then("fill.solid", ["color": "red"])),
            ])
        try Graph(small).render(grey, to: output)
        let floats = try pixels(output).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(floats.count == 64 * 64 * 3 && floats.suffix(3) == [0.25, 0.25, 0.25])
        // A quarter of the light.
        #expect(try Graph(small).bitmap(grey).bytes.suffix(4).dropLast().allSatisfy { (136...138).contains($0) })

        // Each page is drawn on, and what is written of the file stays with the next drawing.
        try Graph(small, output: ["set": .value(.parse(Array("{\"Artist\": \"Ann Onymous\"}".utf8), file: "set"))])
            .render(pages, to: output)
        rename(output, pages)
        try Graph(small, output: ["compression": "lzw"]).render(pages, to: output)
        let descriptor = open(output, O_RDONLY)
        defer { close(descriptor) }
        var options = LoadOptions()
        options.pages = .all
        let image = try PictureFile(descriptor: descriptor, options: options).image
        #expect(image.pageCount == 2)
        let bytes = try image.writeToMemory()
        for page in 0..<2 { #expect(Array(bytes[(page * 200 * 64 * 3)...].prefix(3)) == [255, 0, 0]) }
        var status = stat()
        fstat(descriptor, &status)
        let file = try FileBytes(descriptor: descriptor).read(at: 0, count: Int(status.st_size))
        #expect(file.firstRange(of: Array("Ann Onymous".utf8)) != nil)
        // One of them alone.
        try Graph(Node("image.source", ["page": 2])).render(pages, to: output)
        #expect(try pixels(output).suffix(3) == [90, 90, 9])
    }

    @Test func itIsCheckedLikeADocument() throws {
        let wrong = Node("image.source").then(
            "layout.place",
            ["label": .node(Node("text.msak", ["text": "A"]).then("stroke.outline", ["width": -3])), "opacity": 2])
        do {
            _ = try Graph(wrong)
            Issue.record("accepted")
        } catch let findings as Diagnostics {
            let places = findings.all.compactMap { $0.pointer?.description }
            #expect(places.contains("/outputs/0/node/1/opacity") && places.contains("/outputs/0/node/1/label/0/effect"))
            #expect(places.contains("/outputs/0/node/1/label/1/width"), "\(findings.render())")
            #expect(findings.all.contains { $0.suggestion == "text.mask" })
        }
    }

    @Test func nothingIsLeftOfWhatFails() throws {
        let target = temporary("never.png")
        #expect(throws: (any Error).self) { try Graph(Self.marked).render("/nowhere.png", to: target) }
        #expect(throws: (any Error).self) { try Graph(Self.marked).render(to: target) }
        #expect(access(target, F_OK) != 0 && access("\(target).\(getpid()).part", F_OK) != 0)
    }

    @Test func listsOfLayersHaveKeysOfTheirOwn() throws {
        let square = Node("shape.rectangle", ["size": [20, 20]]).then("fill.solid", ["color": "#ff0000"])
        let stack = Node("layout.stack", ["layers": .entries([.init(square), .init(square, ["opacity": 0.5])])])
        let bitmap = try Graph(stack).bitmap()
        #expect((bitmap.width, bitmap.height, bitmap.bands) == (20, 20, 4))
        #expect(bitmap.bytes.prefix(4) == [255, 0, 0, 255])
    }

    /// The program of the documentation, as it is built.
    @Test func theExampleRuns() throws {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let itself = String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = itself[..<(itself.lastIndex(of: "/") ?? itself.startIndex)]
        let output = temporary("example.jpg")
        defer { unlink(output) }
        let command = "'\(folder)/library-example' '\(Self.photos)/branches.jpg' '\(output)' 2>&1"
        let stream = try #require(popen(command, "r"))
        var said = [UInt8](repeating: 0, count: 4096)
        let length = fread(&said, 1, said.count, stream)
        #expect(pclose(stream) == 0)
        #expect(String(decoding: said.prefix(length), as: UTF8.self) == "120 × 32, 4 bands\n")
        #expect(try pixels(output).count > 0)
    }
}
