import Diagnostics
import Glibc
import LabelpipeWorker
import Testing

/// The report's boxes are where labels lie on what was saved.
@Suite("Boxes of outputs") struct BoxesTests {
    private let scratch = Scratch()

    init() { scratch.folder(scratch.at("in")) }

    private func document(_ name: String, _ outputs: String) -> String {
        scratch.file(name, "{ \"labelpipe\": 1, \"outputs\": [ \(outputs) ] }").description
    }

    /// A red block of 40 × 20 in the lower right corner, 10 px from the edges.
    private let block = """
        { "effect": "layout.place", "anchor": "bottom-right", "insets": 10, "label": [
          { "effect": "shape.rectangle", "size": [40, 20] }, { "effect": "fill.solid", "color": "red" } ] }
        """

    private func run(_ document: String, _ more: String...) -> [JSONValue] {
        let program = Program(
            ["run", document, scratch.at("in").description, "-o", scratch.at("out").description, "--overwrite", "--report", "-"]
                + ["--progress", "none"] + more)
        #expect(program.code == 0, "\(program.errors)")
        return program.report
    }

    @Test("behind and before another size, on grey pictures, and by outputs")
    func places() {
        Samples.picture(scratch.at("in/a.jpg"), width: 400, height: 300)
        let small = "{ \"effect\": \"image.resize\", \"width\": 200 }"
        let behind = document("behind.json", "{ \"node\": [ { \"effect\": \"image.source\" }, \(small), \(block) ] }")
        #expect(run(behind).first?["boxes"]?.compact == "[[150,120,40,20]]")
        // Resampling smears it by three pixels.
        let before = document("before.json", "{ \"node\": [ { \"effect\": \"image.source\" }, \(block), \(small) ] }")
        #expect(run(before).first?["boxes"]?.compact == "[[172,132,26,16]]")
        let both = document(
            "both.json",
            "{ \"path\": \"large/{name}\", \"node\": [ { \"effect\": \"image.source\" }, \(block) ] }, "
                + "{ \"path\": \"small/{name}\", \"node\": [ { \"effect\": \"image.source\" }, \(small), \(block) ] }")
        let line = run(both).first
        #expect(line?["boxes"]?.compact == "[[350,270,40,20],[150,120,40,20]]")
        #expect(line?["outputBoxes"]?.compact == "[[[350,270,40,20]],[[150,120,40,20]]]")
        #expect(run(behind).first?["outputBoxes"] == nil)
        // A colour on a grey picture makes it RGB: the label is the label all the same.
        let marked = document("marked.json", "{ \"node\": [ { \"effect\": \"image.source\" }, \(block) ] }")
        Samples.tool([
            "vips", "extract_band", scratch.at("in/a.jpg").description, scratch.at("in/a.jpg").description + ".png", "0",
        ])
        unlink(scratch.at("in/a.jpg").description)
        #expect(run(marked).first?["boxes"]?.compact == "[[350,270,40,20]]")
    }

    @Test("verify takes each output's own")
    func verified() {
        Samples.picture(scratch.at("in/a.png"), width: 400, height: 300)
        let other = block.replacing("bottom-right", with: "top-left")
        let both = document(
            "both.json",
            "{ \"path\": \"one/{name}\", \"node\": [ { \"effect\": \"image.source\" }, \(block) ] }, "
                + "{ \"path\": \"two/{name}\", \"node\": [ { \"effect\": \"image.source\" }, \(other) ] }")
        let report = scratch.at("run.ndjson").description
        let run = Program(
            [
                "run", both, scratch.at("in").description, "-o", scratch.at("out").description, "--report", report, "--progress",
                "none",
            ])
        #expect(run.code == 0, "\(run.errors)")
        for name in ["one", "two"] {
            let verify = Program(
                ["verify", scratch.at("in/a.png").description, scratch.at("out/\(name)/a.png").description, "--report", report]
                    + ["--format", "json"])
            #expect(verify.code == 0, "\(verify.output)")
            #expect(verify.report.first?["boxes"]?.elements?.count == 1, "\(verify.output)")
        }
    }
}
