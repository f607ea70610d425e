import Diagnostics
import LabelpipeKit

/// Finds lengths in units that have no meaning where they stand, whatever the picture.
struct MeasureChecker {
    let linker: Linker
    let order: [Int]
    let outputs: [Linker.Edge]

    func check() {
        let hasText = textUpstream()
        let hasBase = linker.drafts.contains { $0.facts.id == Language.source || $0.facts.id == Language.canvas }
        let isUnmeasured = hasBase ? [] : unmeasured()
        for index in order {
            let draft = linker.drafts[index]
            let first = draft.facts.emInput
            let hasEm =
                linker.inputs[index].indices.contains(first)
                && (isUnknown(first, of: index) || linker.inputs[index][first].contains { hasText[$0.node] })
            func check(_ list: ArgumentList) {
                // What is constant has no units.
                for number in list.written.indices where !list.written[number].isConstant {
                    let argument = list.written[number]
                    for unit in argument.term.units where unit == .em ? !hasEm : unit.isOfBase && isUnmeasured.contains(index) {
                        report(unit, argument, list, owner: draft.facts.id)
                    }
                }
            }
            check(draft.arguments)
            for input in linker.inputs[index].indices {
                for edge in linker.inputs[index][input].indices {
                    if let list = linker.inputs[index][input][edge].entry?.arguments { check(list) }
                }
            }
        }
    }

    /// Whether a layer can have a text size.
    private func textUpstream() -> [Bool] {
        var hasText = [Bool](repeating: false, count: linker.drafts.count)
        for index in order {
            hasText[index] =
                linker.drafts[index].facts.declaration.givesText
                || linker.inputs[index].contains { $0.contains { hasText[$0.node] } }
                || linker.inputs[index].indices.contains { isUnknown($0, of: index) }
        }
        return hasText
    }

    /// Nothing leads to an input that needs something: what should have was refused, and might have been a text.
    private func isUnknown(_ input: Int, of index: Int) -> Bool {
        guard case .one = linker.drafts[index].facts.declaration.inputs[input].form else { return false }
        return linker.inputs[index][input].isEmpty
    }

    /// The nodes that are reached from an output without becoming the label of anything.
    private func unmeasured() -> Set<Int> {
        var found: Set<Int> = []
        var stack = outputs.filter(\.crossings.isEmpty).map(\.node)
        while let index = stack.popLast() {
            guard found.insert(index).inserted else { continue }
            for (number, edges) in linker.inputs[index].enumerated()
            where linker.drafts[index].facts.declaration.inputs[number].measuredBy == nil {
                stack += edges.filter(\.crossings.isEmpty).map(\.node)
            }
        }
        return found
    }

    private func report(_ unit: LengthUnit, _ argument: Argument, _ list: ArgumentList, owner: String) {
        let declaration = list.declaration(argument)
        linker.compiler.report(
            Diagnostic(
                "no-measure", file: list.document.file, position: argument.written.range.start,
                pointer: list.pointer.appending(declaration.name), message: "\(argument.written.got): \(unit.needs)",
                help: [declaration.helpLine(owner: owner)]))
    }
}
