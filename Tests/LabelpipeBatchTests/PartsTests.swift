import LabelpipeBatch
import LabelpipeWorker
import Testing

@Suite("Parts of a batch") struct PartsTests {
    @Test(
        "globs",
        arguments: [
            ("*.jpg", "a.jpg", true), ("*.jpg", "x/a.jpg", true), ("x/*.jpg", "x/a.jpg", true), ("x/*.jpg", "x/y/a.jpg", false),
            ("**/*.jpg", "a.jpg", true), ("**/*.jpg", "x/y/a.jpg", true), ("x/**", "x/y/a.jpg", true),
            ("IMG_???.JPG", "IMG_123.JPG", true),
            ("IMG_???.JPG", "IMG_12.JPG", false), ("[a-c]*.png", "b.png", true), ("[!a-c]*.png", "b.png", false),
            ("[", "[", true),
            ("a\\*b", "a*b", true), ("a\\*b", "axb", false), ("*a*b*c*", "xxaxxbxxcxx", true), ("*a*b*c*", "xxaxxcxxbxx", false),
            ("", "", true), ("*", "", true), ("?", "", false), ("*.jpg", "a.JPG", false),
        ])
    func globs(pattern: String, name: String, matches: Bool) {
        #expect(Glob(BytePath(pattern)).matches(BytePath(name)) == matches)
    }

    @Test("a glob of many stars ends at once")
    func manyStars() {
        let pattern = String(repeating: "*a", count: 40) + "b"
        #expect(!Glob(BytePath(pattern)).matches(BytePath(String(repeating: "a", count: 4000))))
    }

    @Test(
        "paths are split as the kernel would",
        arguments: [
            ("a/b/c.jpg", "a/b", "c.jpg", "c", "jpg"), ("c.jpg", "", "c.jpg", "c", "jpg"), ("/c", "/", "c", "c", ""),
            ("a//b/", "a", "b", "b", ""), (".hidden", "", ".hidden", ".hidden", ""), ("a.tar.gz", "", "a.tar.gz", "a.tar", "gz"),
            ("/", "", "", "", ""), ("a/../b.x", "a/..", "b.x", "b", "x"),
        ])
    func split(path: String, folder: String, name: String, stem: String, ext: String) {
        let path = BytePath(path)
        #expect(path.folder.description == folder)
        #expect(path.name.description == name)
        #expect(path.stem.description == stem)
        #expect(path.ext.description == ext)
    }

    @Test("every byte string survives its text")
    func reversible() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in UInt8.random(in: 1...255, using: &generator) }
            #expect(BytePath(reversible: BytePath(bytes).reversibleText).bytes == bytes)
        }
    }

    @Test(
        "a field of a path loses what could leave the folder",
        arguments: [
            ("a/b", "a_b"), ("..", ""), (".", ""), ("../../etc", ".._.._etc"), ("x\u{0}y\nz", "xyz"), ("…", "…"), ("...", "..."),
        ])
    func safe(text: String, path: String) {
        #expect(SafePath.safe(text) == path)
    }

    @Test("empty fields take their slash with them, long names lose their middle, nothing leaves the folder")
    func safePaths() throws {
        #expect(try SafePath.path("/a//./b.jpg").description == "a/b.jpg")
        for text in ["a/../b", "..", "", "/", "a/", ".labelpipe/x.jpg", "x/.labelpipe/journal-1.ndjson"] {
            #expect(throws: OutputError.self) { try SafePath.path(text) }
        }
        let long = try SafePath.path("d/" + String(repeating: "ü", count: 5000) + ".jpeg")
        #expect(long.name.bytes.count <= 255)
        #expect(long.name.description.hasSuffix("ü.jpeg"))
    }

    @Test("exit codes: the most telling of several wins")
    func exitCodes() {
        #expect(ExitCode.failures.combined(with: .done) == .failures)
        #expect(ExitCode.failures.combined(with: .unwritable) == .unwritable)
        #expect(ExitCode.limit.combined(with: .failures) == .limit)
        #expect(ExitCode.unwritable.combined(with: .interrupted) == .interrupted)
        #expect(ExitCode.done.combined(with: .terminated) == .terminated)
    }
}
