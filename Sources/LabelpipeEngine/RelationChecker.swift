import Diagnostics
import LabelpipeKit

/// Rules between an effect's parameters, which only the effect knows: it is made with the values it will get.
struct RelationChecker {
    let linker: Linker
    let kinds: [Kinds]
    /// Pictures of several shapes: what is wrong for all of them is wrong with the document.
    private static let samples = [
        Measures(base: Context.Base(width: 1000, height: 750), em: 16),
        Measures(base: Context.Base(width: 300, height: 4000, resolution: 300), em: 160),
        Measures(base: Context.Base(width: 20_000, height: 16, resolution: 96), em: 4),
    ]
    /// Nodes that write nothing are all alike.
    private var checked: Set<String> = []

    init(linker: Linker, kinds: [Kinds]) { (self.linker, self.kinds) = (linker, kinds) }

    mutating func check(_ index: Int) {
        let draft = linker.drafts[index]
        if draft.isBroken || draft.facts === linker.compiler.choice { return }
        if draft.arguments.written.isEmpty {
            let connected = linker.inputs[index].map { $0.isEmpty ? "-" : "+" }.joined()
            guard checked.insert(draft.facts.id + connected).inserted else { return }
        }
        let isConstant = draft.arguments.isConstant
        var found: Diagnostic?
        for measures in RelationChecker.samples {
            guard let finding = finding(draft, index, measures) else { return }
            found = finding
            if isConstant { break }
        }
        if let found { linker.compiler.report(found) }
    }

    /// What the effect objects to; nil: nothing, or nothing that can be said without a picture.
    private func finding(_ draft: Compiler.Draft, _ index: Int, _ measures: Measures) -> Diagnostic? {
        let resolver = Resolver(measures: measures, missing: .empty, scale: linker.compiler.scale) { _ in .text("1") }
        var found: Diagnostic
        do {
            let values = try resolver.values(draft.arguments, owner: draft.facts.id).all
            var inputs: [String: LayerKind] = [:]
            for (name, edges) in zip(draft.facts.inputNames, linker.inputs[index]) {
                guard let first = edges.first else { continue }
                inputs[name] = kinds[first.node].contains(.coverage) ? .coverage : .colour
            }
            _ = try draft.facts.make(
                Arguments(values, written: draft.arguments.names, inputs: inputs, at: draft.pointer))
            return nil
        } catch let finding as Diagnostic {
            found = finding
        } catch {
            // What only a picture or a font can decide is decided when there is one.
            return nil
        }
        let tokens = found.pointer?.tokens ?? []
        let argument = tokens.count > draft.pointer.count ? draft.arguments[tokens[draft.pointer.count]] : nil
        // A text that was made up for this says nothing.
        if let argument, !argument.term.templates.isEmpty { return nil }
        if ["out-of-range", "no-measure", "missing-field"].contains(found.code) { return nil }
        found.file = found.file ?? draft.file
        found.pointer = found.pointer ?? draft.pointer
        found.position = found.position ?? draft.arguments.position(of: found.pointer) ?? draft.position
        return found
    }
}
