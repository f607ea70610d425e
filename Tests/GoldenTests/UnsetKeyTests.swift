import LabelpipeEngine
import TestSupport
import Testing

/// No parameter of any effect is there untested.
@Suite struct UnsetKeyTests {
    @Test func everyParameterChangesSomeGolden() throws {
        let unset = try GoldenTests.registry.get().unsetKeys(by: GoldenTests.cases.get())
        #expect(unset.isEmpty, "no document below Tests/Golden shows what these do: \(unset.joined(separator: ", "))")
    }

    private func unset(_ node: String) throws -> [String] {
        let text = """
            { "labelpipe": 1, "output": [
              { "effect": "shape.rectangle", "size": [20, 20] }, { "effect": "fill.solid", "color": "red" }, \(node)
            ] }
            """
        return try GoldenTests.registry.get().unsetKeys(by: [GoldenCase(name: "one", text: text, folder: ".")])
    }

    /// What is not written, and what is written and changes nothing, is found.
    @Test func whatIsMissingIsNamed() throws {
        let visible = try unset(#"{ "effect": "stroke.outline", "width": 3 }"#)
        #expect(!visible.contains("stroke.outline.width") && visible.contains("stroke.outline.join"))
        #expect(visible.contains("text.mask.text") && visible.contains("layout.stack.layers.opacity"))
        let idle = try unset(#"{ "effect": "stroke.outline", "width": "1px", "color": "blue", "miterLimit": 9 }"#)
        #expect(idle.contains("stroke.outline.width") && idle.contains("stroke.outline.miterLimit"))
        #expect(!idle.contains("stroke.outline.color"))
    }

    @Test func entriesOfListsCount() throws {
        let stack = """
            { "effect": "layout.stack", "layers": [
              [ { "effect": "shape.rectangle", "size": [9, 9] }, { "effect": "fill.solid" } ],
              { "layer": [ { "effect": "shape.rectangle", "size": [5, 5] }, { "effect": "fill.solid", "color": "red" } ], "opacity": 0.5 }
            ] }
            """
        let text = "{ \"labelpipe\": 1, \"output\": \(stack) }"
        let unset = try GoldenTests.registry.get().unsetKeys(by: [GoldenCase(name: "one", text: text, folder: ".")])
        #expect(!unset.contains("layout.stack.layers.opacity") && unset.contains("layout.stack.layers.blend"))
    }
}
