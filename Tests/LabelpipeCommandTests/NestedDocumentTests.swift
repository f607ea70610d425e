import LabelpipeCommand
import Testing

@Suite("Documents in documents") struct NestedDocumentTests {
    private let desk = Desk()

    /// Each level draws what is below it twice: 128 labels, seven borders deep. What lies behind a border was found anew for each of
    /// them, at each level: minutes, where a chain of as many labels takes a fifth of a second.
    @Test("documents that use documents twice, level by level, take no more than their labels do")
    func twice() {
        let source = "{ \"effect\": \"image.source\" }"
        func document(_ name: String, _ steps: String) -> String {
            desk.write(name, "{ \"labelpipe\": 1, \"output\": [ \(steps) ] }")
        }
        let label =
            "[ { \"effect\": \"shape.rectangle\", \"size\": [\"50vw\", 3] }, { \"effect\": \"fill.solid\", \"color\": \"red\" } ]"
        _ = document("level0.json", "\(source), { \"effect\": \"layout.place\", \"label\": \(label) }")
        var last = ""
        for level in 1...7 {
            let use = "{ \"effect\": \"level\(level - 1).json\" }"
            last = document("level\(level).json", "\(source), \(use), \(use)")
        }
        let photo = document(
            "canvas.json", "{ \"effect\": \"image.canvas\", \"size\": [64, 48], \"color\": \"white\" }")
        #expect(Transcript("run", photo, "--output", desk.at("in.png"), "--quiet").code == 0)
        let run = Transcript("run", last, desk.at("in.png"), "--output", desk.at("out.png"), "--timeout", "20")
        #expect(run.code == 0 && run.errors.contains("1 done"), "\(run.errors)")
    }
}
