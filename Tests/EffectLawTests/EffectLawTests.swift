import Labelpipe
import LabelpipeEngine
import LabelpipeKit
import TestSupport
import Testing

/// What holds for every registered effect, tried on the nodes of all goldens' documents.
@Suite struct EffectLawTests {
    /// More nodes than these of one effect say the same again.
    static let limit = 16

    @Test func everyEffectObeysEveryLaw() throws {
        let registry = try Registry.bundled(and: [lawPlugin])
        let subjects = try Subject.all(in: GoldenCase.all(Registry.bundled()), registry)
        var table = "nodes checked".padded(18) + Law.allCases.map { $0.rawValue.padded(14) }.joined() + "\n"
        for id in registry.ids where !id.hasPrefix("test.") {
            let own = subjects[id] ?? []
            #expect(!own.isEmpty, "no document shows \(id)")
            // Evenly from all documents.
            let step = max(1, (own.count + Self.limit - 1) / Self.limit)
            let some = stride(from: 0, to: own.count, by: step).map { own[$0] }
            table += id.padded(18)
            for law in Law.allCases {
                // Ranges cost nothing, and not every node can have every key.
                let verdict = law.verdict(on: law == .ranges ? own : some, registry)
                for violation in verdict.violations { Issue.record("\(law): \(violation)") }
                let mark = verdict.violations.isEmpty ? verdict.checked == 0 ? "·" : "\(verdict.checked)" : "BROKEN"
                table += mark.padded(14)
            }
            table += "\n"
        }
        print(table)
    }

    /// The law is not there for nothing: each effect it should say something about is one it does.
    @Test func lawsApplyWhereTheyShould() throws {
        let registry = try Registry.bundled(and: [lawPlugin])
        let subjects = try Subject.all(in: GoldenCase.all(Registry.bundled()), registry)
        for (law, ids) in [
            (Law.identity, ["stroke.outline", "layout.place", "layout.stack"]),
            (.movement, ["fill.image", "layout.tile", "image.resize"]),
            (.transparency, ["shadow.inner", "layout.place", "mask.combine"]), (.reach, ["text.mask", "image.source"]),
        ] {
            for id in ids {
                #expect(law.verdict(on: subjects[id] ?? [], registry).checked > 0, "\(law) \(id)")
            }
        }
    }

    /// Every law finds the effect that was made to break it, and has nothing against the same effect made well.
    @Test(arguments: Law.allCases) func theLawRejectsItsBrokenEffect(_ law: Law) throws {
        let registry = try Registry.bundled(and: [lawPlugin, brokenPlugin])
        let broken = "broken.\(law.rawValue)"
        let example = try #require(registry[broken]?.declaration.example)
        let subjects = try Subject.all(
            in: [GoldenCase(name: broken, text: "{ \"labelpipe\": 1, \"output\": \(example) }", folder: ".")], registry)
        let verdict = law.verdict(on: subjects[broken] ?? [], registry)
        #expect(verdict.checked > 0 && verdict.violations.count == 1, "\(verdict.violations)")
        // An effect whose idle settings nobody has written down is none that passes.
        guard law == .identity else { return }
        let other = try #require(registry["broken.movement"]?.declaration.example)
        let unknown = GoldenCase(name: "unknown", text: "{ \"labelpipe\": 1, \"output\": \(other) }", folder: ".")
        let silent = law.verdict(on: try Subject.all(in: [unknown], registry)["broken.movement"] ?? [], registry)
        #expect(silent.violations.count == 1)
    }
}

extension String {
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(width - count, 1)) }
}
