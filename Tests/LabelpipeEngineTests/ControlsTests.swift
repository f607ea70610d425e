import Diagnostics
import LabelpipeEngine
import Testing

/// What an editor can change, and where in the text.
@Suite struct ControlsTests {
    @Test("a document used as an effect has its parameters at its node, written or to be written")
    func components() throws {
        let folder = try Scratch()
        try folder.write(
            """
            { "labelpipe": 1, "parameters": { "side": { "type": "length", "default": 3, "maximum": 9 }, "tone": { "type": "color", "default": "red" },
              "_own": { "type": "number", "default": 1 } },
              "output": [ { "effect": "t.shape", "size": ["$side", 4] }, { "effect": "t.fill", "color": "$tone" } ] }
            """, to: "card.json")
        let document = """
            { "labelpipe": 1, "output": { "effect": "t.row", "layers": [
              { "effect": "card.json", "side": 5 }, [ { "effect": "card.json" }, { "effect": "t.inset" } ] ] } }
            """
        let plan = try Pipeline(
            bytes: Array(document.utf8), name: "doc.json", folder: folder.path, registry: .madeUp()
        ).plan()
        var writer = JSONWriter()
        writer.object { plan.writeControls(to: &$0) }
        let controls = try JSONValue.parse(Array(writer.text.utf8), file: "controls")
        let cards = try #require(controls["nodes"]?.elements).filter { $0["effect"]?.string == "card.json" }
        #expect(cards.compactMap { $0["pointer"]?.string } == ["/output/layers/0", "/output/layers/1/0"])
        #expect(cards.map { $0["gives"]?.string } == ["colour", "colour"])
        let text = Array(document.utf8)
        let own = try #require(cards.first)
        let parameters = try #require(own["parameters"]?.elements)
        #expect(parameters.map { $0["name"]?.string } == ["side", "tone"])
        let (start, end) = (parameters[0]["start"]?.integer ?? 0, parameters[0]["end"]?.integer ?? 0)
        #expect(String(decoding: text[start..<end], as: UTF8.self) == "5")
        let place = try #require(parameters[1]["insert"]?.integer)
        #expect(String(decoding: text[..<place], as: UTF8.self).hasSuffix("\"card.json\""))
        // What flows out of it is its last node's, which the plan has.
        let index = try #require(own["index"]?.integer)
        #expect(plan.summaries[index].effect == "t.fill" && plan.summaries[index].file.hasSuffix("/card.json"))
        let nodeStart = try #require(own["start"]?.integer)
        let nodeEnd = try #require(own["end"]?.integer)
        #expect(String(decoding: text[nodeStart..<nodeEnd], as: UTF8.self) == "{ \"effect\": \"card.json\", \"side\": 5 }")
    }

    @Test("the files that nodes name, as far as they are known")
    func files() throws {
        let folder = try Scratch()
        try folder.write("x", to: "there.ttf")
        let document = """
            { "labelpipe": 1, "parameters": { "file": { "type": "path", "default": "gone.ttf" } }, "output": { "effect": "t.row", "layers": [
              [ { "effect": "t.text", "text": "a", "size": 9, "fontFile": "there.ttf" }, { "effect": "t.fill" } ],
              [ { "effect": "t.text", "text": "a", "size": 9, "fontFile": "theer.ttf" }, { "effect": "t.fill" } ],
              [ { "effect": "t.text", "text": "a", "size": 9, "fontFile": { "template": "{name}.ttf" } }, { "effect": "t.fill" } ],
              [ { "effect": "t.text", "text": "a", "size": 9, "fontFile": "$file" }, { "effect": "t.fill" } ] ] } }
            """
        let plan = try Pipeline(
            bytes: Array(document.utf8), name: "doc.json", folder: folder.path, registry: .madeUp()
        ).plan()
        let found = plan.missingFiles.all
        #expect(found.map { $0.position?.line } == [3, 5])
        #expect(found.map { $0.pointer?.description } == ["/output/layers/1/0/fontFile", "/output/layers/3/0/fontFile"])
        #expect(found.map(\.suggestion) == ["there.ttf", nil])
    }
}
