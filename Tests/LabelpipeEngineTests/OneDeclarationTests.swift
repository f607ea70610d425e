import Diagnostics
import LabelpipeEngine
import LabelpipeKit
import Testing

/// A default stands in one declaration; everything that tells of it, and everything that happens, comes from there.
@Suite struct OneDeclarationTests {
    /// What users read of an effect and see of it.
    private struct Told {
        let texts: [String: String]
        let done: String

        init(_ effect: any Effect.Type) throws {
            let registry = try Registry([Plugin(id: "test.one", effects: [effect])])
            let catalogue = Catalogue(registry)
            texts = [
                "help": catalogue.describe("t.line") ?? "", "describe --format json": catalogue.describeJSON("t.line") ?? "",
                "schema": catalogue.schema(), "README": catalogue.markdown(), "error": Told.error(registry),
            ]
            done = try Drawing("{ \"labelpipe\": 1, \"output\": { \"effect\": \"t.line\" } }", registry: registry).run(base: nil)
        }

        private static func error(_ registry: Registry) -> String {
            let text = "{ \"labelpipe\": 1, \"output\": { \"effect\": \"t.line\", \"width\": -1 } }"
            do {
                _ = try Pipeline(bytes: Array(text.utf8), name: "doc.json", folder: "/", registry: registry).plan()
                return ""
            } catch {
                return error.render()
            }
        }
    }

    @Test func oneDefaultChangedChangesAllOfThem() throws {
        let (one, other) = (try Told(Line<Thirteen>.self), try Told(Line<Seventeen>.self))
        for (name, text) in one.texts {
            #expect(text.contains("13px"), "\(name) does not tell the default:\n\(text)")
            #expect(text.replacing("13px", with: "17px") == other.texts[name], "\(name)")
        }
        #expect(one.done == "line 13\n" && other.done == "line 17\n")
    }
}

private protocol Width { static var value: JSONValue { get } }
private enum Thirteen: Width { static let value: JSONValue = "13px" }
private enum Seventeen: Width { static let value: JSONValue = "17px" }

/// The same effect but for one word of its declaration.
private struct Line<Default: Width>: Effect {
    static var declaration: EffectDeclaration {
        EffectDeclaration(
            id: "t.line", summary: "A line.", output: .colour, parameters: [width], example: "{ \"effect\": \"t.line\" }")
    }
    private static var width: Parameter<Double> {
        .length("width", default: Default.value, range: 0...4096, doc: "how wide it is")
    }
    private let width: Double
    init(_ arguments: Arguments) { width = arguments[Self.width] }
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        context.say("line \(shown(.number(width)))")
        return Layer(.colour, width: 1, height: 1)
    }
}

extension String {
    fileprivate func replacing(_ part: String, with other: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            result += rest[..<range.lowerBound] + other
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
