import Diagnostics
import Glibc
import Labelpipe
import LabelpipeEngine
import LabelpipeKit
import LabelpipePluginHost
import TestSupport
import Testing

/// What holds for every registered effect, those of loaded plugins too, tried on the nodes of all goldens' documents.
@Suite struct EffectLawTests {
    /// More nodes than these of one effect say the same again.
    static let limit = 16

    @Test func everyEffectObeysEveryLaw() throws {
        let registry = try Everything.registry()
        let subjects = try Everything.subjects(registry)
        var table = "nodes checked".padded(18) + Law.inCompany.map { $0.rawValue.padded(14) }.joined() + "\n"
        for entry in registry.all where !entry.declaration.id.hasPrefix("law.") {
            let id = entry.declaration.id
            let own = subjects[id] ?? []
            #expect(!own.isEmpty, "no document shows \(id)")
            // Evenly from all documents.
            let step = max(1, (own.count + Self.limit - 1) / Self.limit)
            let some = stride(from: 0, to: own.count, by: step).map { own[$0] }
            table += id.padded(18)
            for law in Law.inCompany {
                // Ranges cost nothing, and not every node can have every key.
                let verdict = law.verdict(
                    of: entry.declaration, on: law == .ranges ? own : some, registry, folder: Everything.folder)
                for violation in verdict.violations { Issue.record("\(law): \(violation)") }
                let mark = verdict.violations.isEmpty ? verdict.checked == 0 ? "·" : "\(verdict.checked)" : "BROKEN"
                table += mark.padded(14)
            }
            table += "\n"
        }
        print(table)
    }

    /// Whoever writes an effect that takes a layer says with which settings it does nothing, or that there are none.
    @Test func everyEffectSaysWhenItIsIdle() throws {
        for entry in try Everything.registry().all where !entry.declaration.id.hasPrefix("law.") {
            guard let input = entry.declaration.inputs.first else { continue }
            // A shape round a layer takes its place from it, not its ink.
            if case .optional = input.form { continue }
            #expect(entry.declaration.idle != nil, "\(entry.declaration.id)")
        }
    }

    /// The law is not there for nothing: each effect it should say something about is one it does.
    @Test func lawsApplyWhereTheyShould() throws {
        let registry = try Everything.registry()
        let subjects = try Everything.subjects(registry)
        for (law, ids) in [
            (Law.identity, ["stroke.outline", "layout.place", "layout.stack", "shadow.long", "glow.neon"]),
            (.movement, ["fill.image", "layout.tile", "image.resize", "shadow.long", "glow.neon"]),
            (.transparency, ["shadow.inner", "layout.place", "mask.combine", "shadow.long"]),
            (.reach, ["text.mask", "image.source", "glow.neon"]),
        ] {
            for id in ids {
                let declaration = try #require(registry[id]?.declaration)
                #expect(law.verdict(of: declaration, on: subjects[id] ?? [], registry).checked > 0, "\(law) \(id)")
            }
        }
    }

    /// Every law finds the effect that was made to break it, and has nothing against the same effect made well.
    @Test(arguments: Law.inCompany) func theLawRejectsItsBrokenEffect(_ law: Law) throws {
        let verdict = try Everything.verdict(of: law, on: "broken.\(law.rawValue)")
        #expect(verdict.checked > 0 && verdict.violations.count == 1, "\(verdict.violations)")
    }
}

/// Counts what is alive in its process: run by itself.
@Suite struct EffectKeepingTests {
    @Test func noEffectKeepsAnything() throws {
        let registry = try Everything.registry()
        for entry in registry.all where !entry.declaration.id.hasPrefix("law.") {
            let example = try Subject.all(in: [LawDocument(exampleOf: entry.declaration, folder: Everything.folder)], registry)
            let own = try #require(example[entry.declaration.id])
            let verdict = Law.leaks.verdict(of: entry.declaration, on: own, registry)
            for violation in verdict.violations { Issue.record("\(violation)") }
        }
        let broken = try Everything.verdict(of: .leaks, on: "broken.leaks")
        #expect(broken.violations.count == 1, "\(broken.violations)")
    }
}

extension Law {
    /// Those that can be tried beside other tests.
    static let inCompany = allCases.filter { $0 != .leaks }
}

/// All effects and documents there are.
enum Everything {
    static let folder = beside(#filePath, "../../Pipelines")

    /// The bundled effects, and those of the example plugins, loaded into this process.
    static func registry() throws -> Registry {
        let folder = String(cString: try #require(getenv("LABELPIPE_EXAMPLE_PLUGINS"), "Scripts/test builds them"))
        let loaded = try ["long-shadow", "neon-glow"].map { name in
            let plugin = try LoadedPlugin.load("\(folder)/\(name).so")
            return ForeignPlugin(file: plugin.file, facts: plugin.facts).plugin(Unwatched())
        }
        return try Registry.bundled(and: [lawPlugin] + loaded)
    }

    static func subjects(_ registry: Registry) throws -> [String: [Subject]] {
        let sign = beside(#filePath, "../../Plugins/Examples/sign.json")
        var documents = try GoldenCase.forLaws(Registry.bundled())
        documents.append(LawDocument(name: "sign", text: String(decoding: try readFile(sign), as: UTF8.self), folder: folder))
        for id in ["shadow.long", "glow.neon"] {
            documents.append(LawDocument(exampleOf: try #require(registry[id]?.declaration), folder: folder))
        }
        return try Subject.all(in: documents, registry)
    }

    /// Of one of the effects that are made to break a law, by its example.
    static func verdict(of law: Law, on id: String) throws -> Law.Verdict {
        try Draw.prepare()
        let registry = try Registry.bundled(and: [lawPlugin, brokenPlugin])
        let declaration = try #require(registry[id]?.declaration)
        let subjects = try Subject.all(in: [LawDocument(exampleOf: declaration)], registry)
        return law.verdict(of: declaration, on: subjects[id] ?? [], registry)
    }
}

extension String {
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(width - count, 1)) }
}
