import Glibc
import LabelpipeWorker
import Testing

/// `--resume` redoes a picture where the fonts of its texts are others, and for no other font.
@Suite("Resuming after fonts have changed") struct FontResumeTests {
    private let scratch = Scratch()
    private static let installed = "/usr/share/fonts/truetype/dejavu/"

    init() {
        scratch.file(
            "fonts.conf",
            """
            <?xml version="1.0"?>
            <!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
            <fontconfig><dir prefix="xdg">fonts</dir><cachedir>\(scratch.path)/cache</cachedir></fontconfig>
            """)
        // What is not found in the first family is taken from what there is.
        scratch.file(
            "label.json",
            """
            { "labelpipe": 1, "parameters": { "text": { "type": "string", "default": "Ann" } }, "output": [
              { "effect": "image.source" }, { "effect": "layout.place", "label": [
                { "effect": "text.mask", "text": "$text", "font": "DejaVu Serif, DejaVu Sans", "size": 20 }, { "effect": "fill.solid" } ] } ] }
            """)
        scratch.folder(scratch.at("in"))
        for name in ["a.jpg", "b.jpg"] { Samples.picture(scratch.at("in/\(name)")) }
        install("DejaVuSans.ttf")
    }

    private func install(_ name: String, as other: String? = nil) {
        scratch.folder(scratch.at("data/fonts"))
        scratch.write(scratch.at("data/fonts/\(other ?? name)"), Program.bytes(Self.installed + name) ?? [])
    }

    private func run(_ more: String...) -> Program {
        Program(
            ["run", scratch.at("label.json").description, scratch.at("in").description, "-o", scratch.at("out").description]
                + ["--progress", "none", "--resume"] + more,
            environment: ["FONTCONFIG_FILE=\(scratch.at("fonts.conf"))", "XDG_DATA_HOME=\(scratch.at("data"))"])
    }

    private func times() -> [Int64] {
        ["out/a.jpg", "out/b.jpg"].map { name in
            if case .success(let facts) = FileFacts.of(scratch.at(name)) { facts.modified } else { 0 }
        }
    }

    @Test("another font is no reason; one that would be chosen now, one that is used and another, and one that is gone are")
    func fonts() {
        let first = run()
        #expect(first.code == 0 && first.errors.contains("2 done"), "\(first.errors)")
        #expect(run().errors.contains("2 skipped"))

        let made = times()
        install("DejaVuSansMono.ttf")
        let other = run()
        #expect(other.code == 0 && other.errors.contains("2 skipped"), "\(other.errors)")
        #expect(times() == made)

        install("DejaVuSerif.ttf")
        let named = run()
        #expect(named.code == 0 && named.errors.contains("2 done"), "the family that was missing is there: \(named.errors)")
        #expect(times() != made)
        #expect(run().errors.contains("2 skipped"))

        unlink(scratch.at("data/fonts/DejaVuSansMono.ttf").description)
        #expect(run().errors.contains("2 skipped"), "one that is not used is gone")

        install("DejaVuSerif-Bold.ttf", as: "DejaVuSerif.ttf")
        let changed = run()
        #expect(changed.code == 0 && changed.errors.contains("2 done"), "its file is another: \(changed.errors)")

        unlink(scratch.at("data/fonts/DejaVuSerif.ttf").description)
        let gone = run()
        #expect(gone.code == 0 && gone.errors.contains("2 done"), "\(gone.errors)")
        #expect(run().errors.contains("2 skipped"))
    }

    @Test("a font that comes in for a character that none had")
    func fallback() {
        let text = "Ann \u{1D49C}"
        #expect(run("--set", "text=\(text)").errors.contains("2 done"))
        install("DejaVuSansMono.ttf")
        #expect(run("--set", "text=\(text)").errors.contains("2 skipped"), "it does not have the character either")
        install("DejaVuMathTeXGyre.ttf")
        let drawn = run("--set", "text=\(text)")
        #expect(drawn.code == 0 && drawn.errors.contains("2 done"), "\(drawn.errors)")
        #expect(run("--set", "text=\(text)").errors.contains("2 skipped"))
    }
}
