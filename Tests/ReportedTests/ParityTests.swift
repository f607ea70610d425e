import Diagnostics
import LabelpipeEngine
import LabelpipeKit
import TestSupport
import Testing

/// The sheets of the label classes, and the tables beside them.
@Suite struct ParityTests {
    static let classes = ["thlabel", "fxlabel", "kslabel", "token", "toolbar-title"]

    private func parameters(_ name: String) throws -> Set<String> {
        let pipeline = try Pipeline(file: packageFolder + "/Pipelines/components/\(name).json", registry: registry)
        return Set(pipeline.parameters.map(\.name).filter { !$0.hasPrefix("_") })
    }

    /// The keys that a document's nodes of one effect write.
    private func written(_ value: JSONValue, effect: String) -> Set<String> {
        var keys: Set<String> = []
        if let elements = value.elements { for element in elements { keys.formUnion(written(element, effect: effect)) } }
        if let members = value.members {
            if members.contains(where: { $0.key == "effect" && $0.value.string == effect }) {
                keys.formUnion(members.map(\.key))
            }
            for member in members { keys.formUnion(written(member.value, effect: effect)) }
        }
        return keys
    }

    @Test("a sheet shows every property of its class, and draws it", arguments: classes)
    func sheets(name: String) throws {
        let file = packageFolder + "/Pipelines/class-\(name).json"
        let document = try JSONValue.parse(readFile(file), file: file)
        let shown = written(document, effect: "components/\(name).json")
        let hidden = try parameters(name).subtracting(shown)
        #expect(hidden.isEmpty, "not shown: \(hidden)")
        let pixels = try Draw.document(readFile(file), name: file, folder: packageFolder + "/Pipelines")
        #expect(pixels.width == 720 && Set(pixels.samples).count > 60)
    }

    @Test("the table of a class names every parameter of its component", arguments: classes)
    func tables(name: String) throws {
        let page = String(decoding: try readFile(packageFolder + "/Pipelines/README.md"), as: UTF8.self)
        // The section whose table has this component in its head.
        let head = try #require(page.firstRange(of: "| parameter of `components/\(name).json` |"))
        let rest = page[head.upperBound...]
        let table = rest[..<(rest.firstRange(of: "\n#")?.lowerBound ?? rest.endIndex)]
        for parameter in try parameters(name) { #expect(table.contains("`\(parameter)`"), "\(name): \(parameter)") }
    }

    @Test("what FXLabel and KSLabel say of themselves")
    func numbers() throws {
        func label(_ keys: String) throws -> Layer { try Drawing("{ \"effect\": \"components/\(keys) }").layer }
        // Spacings are of the point size.
        let plain = try label("fxlabel.json\", \"text\": \"abcd\", \"size\": 40")
        let spaced = try label("fxlabel.json\", \"text\": \"abcd\", \"size\": 40, \"characterSpacing\": 0.1")
        #expect(near(spaced.frame.width - plain.frame.width, 3 * 4, 0.01))
        let lines = try label("fxlabel.json\", \"text\": \"a\\nb\", \"size\": 40, \"lineSpacing\": 0.5")
        let facts = try #require(lines.text)
        #expect(near(facts.lastBaseline.y - facts.baseline.y, (0.905273 + 0.211914) * 40 + 20, 0.05))
        let lowered = try label("fxlabel.json\", \"text\": \"abcd\", \"size\": 40, \"baselineOffset\": 0.25")
        let (high, low) = (try #require(plain.outline).inkBounds, try #require(lowered.outline).inkBounds)
        #expect(near(low.minY - high.minY, 10, 0.01))
        // Each stop over the text colour: half white over blue.
        guard
            case .body(let body) = try label(
                "fxlabel.json\", \"text\": \"x\", \"textColor\": \"#0000ff\", \"gradientColors\": [\"#ffffff80\", \"#00000000\"]"
            ).marks[0],
            case .fill(_, .gradient(let gradient)?) = body.contents[0]
        else {
            Issue.record("no gradient")
            return
        }
        #expect(gradient.stops[0].color.hex == "#8080ff" && gradient.stops[1].color.hex == "#0000ff")
        // The class strokes 4 points and the letters cover half.
        let outlined = try #require(try label("kslabel.json\", \"text\": \"HHH\", \"size\": 40").outline).inkBounds
        let bare = try #require(try label("kslabel.json\", \"text\": \"HHH\", \"size\": 40, \"drawOutline\": false").outline)
            .inkBounds
        #expect(near(bare.minX - outlined.minX, 2, 0.02) && near(outlined.maxY - bare.maxY, 2, 0.02))
    }
}
