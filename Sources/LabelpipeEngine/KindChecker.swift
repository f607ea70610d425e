import Diagnostics
import LabelpipeKit

/// What layers may be: a step that each picture may leave out can give either.
struct Kinds: OptionSet {
    let rawValue: UInt8
    static let coverage = Kinds(rawValue: 1)
    static let colour = Kinds(rawValue: 2)
}

/// Checks coverage and colour along the edges, and finds out what each node depends on.
struct KindChecker {
    let linker: Linker
    let order: [Int]
    private(set) var kinds: [Kinds]
    private(set) var dependences: [Dependence]
    /// The masks that were found where colour is wanted, and what was said of them: one step mends all of it.
    private var unfilled: [Int: Diagnostic] = [:]

    init(linker: Linker, order: [Int]) {
        (self.linker, self.order) = (linker, order)
        kinds = Array(repeating: [], count: linker.drafts.count)
        dependences = Array(repeating: [], count: linker.drafts.count)
    }

    /// - Parameter outputs: the nodes that are saved, with what is said of how.
    mutating func check(outputs: [(node: Int, arguments: ArgumentList)]) {
        for index in order { check(index) }
        for output in outputs { checkOutput(output.node, output.arguments) }
        for (_, finding) in unfilled.sorted(by: { $0.key < $1.key }) { linker.compiler.report(finding) }
    }

    private mutating func check(_ index: Int) {
        let draft = linker.drafts[index]
        let facts = draft.facts
        let isChoice = facts === linker.compiler.choice
        var dependence = draft.arguments.dependence
        var first: Kinds = []
        // By number, here and below: copies of all edges would be a good part of checking a large graph.
        for number in linker.inputs[index].indices {
            // Where it goes depends on the size of what it goes on.
            if facts.declaration.inputs[number].measuredBy != nil { dependence.insert(.size) }
            let accepts = facts.declaration.inputs[number].accepts
            for place in linker.inputs[index][number].indices {
                let node = linker.inputs[index][number][place].node
                let kind = kinds[node]
                if number == 0 || isChoice { first.formUnion(kind) }
                dependence.formUnion(dependences[node])
                if let entry = linker.inputs[index][number][place].entry {
                    dependence.formUnion(entry.arguments?.dependence ?? [])
                    dependence.formUnion(entry.condition?.dependence ?? [])
                }
                switch accepts {
                case .colour where kind.contains(.coverage):
                    reportCoverage(
                        node, at: draft, expected: "colour as \(facts.id)'s \(Quoted.text(facts.inputNames[number]))")
                case .coverage where kind.contains(.colour):
                    reportColour(node, into: index, facts.declaration.inputs[number])
                default: break
                }
            }
        }
        if facts.id == Language.source { dependence.insert(.pixels) }
        dependences[index] = dependence
        switch facts.declaration.output {
        case .coverage: kinds[index] = draft.isColoured ? [] : .coverage
        case .colour: kinds[index] = .colour
        // Nothing there to be the same as: that was reported.
        case .sameAsInput: kinds[index] = first
        }
    }

    private mutating func checkOutput(_ node: Int, _ output: ArgumentList) {
        guard kinds[node].contains(.coverage) else { return }
        let draft = linker.drafts[node]
        reportCoverage(
            node, at: draft, expected: "colour as \(output.pointer == "/output" ? "the output" : "output \(output.pointer)")",
            help: KindChecker.fillBehind)
    }

    private static let fill = "add { \"effect\": \"fill.solid\", \"color\": … } before it"
    /// Of an output, where the finding stands at what gives the mask.
    private static let fillBehind = "add { \"effect\": \"fill.solid\", \"color\": … } behind it"

    private func coverage(_ draft: Compiler.Draft) -> String {
        draft.facts.id == Choice.declaration.id
            ? "coverage, where \"when\" leaves this step out" : "coverage (a mask without colour) from \(draft.facts.id)"
    }

    private mutating func reportCoverage(
        _ node: Int, at draft: Compiler.Draft, expected: String, help: String = KindChecker.fill
    ) {
        guard unfilled[node] == nil else {
            let place = "the same at \(draft.pointer)"
            if unfilled[node]?.help.contains(place) == false { unfilled[node]?.help.append(place) }
            return
        }
        unfilled[node] = Diagnostic(
            "needs-colour", file: draft.file, position: draft.position, pointer: draft.pointer, expected: expected,
            got: coverage(linker.drafts[node]), help: [help])
    }

    private func reportColour(_ node: Int, into index: Int, _ input: Input) {
        let draft = linker.drafts[index]
        linker.compiler.report(
            Diagnostic(
                "needs-coverage", file: draft.file, position: draft.position, pointer: draft.pointer,
                expected: "coverage (a mask or shape) as \(draft.facts.id)'s \(Quoted.text(input.name))",
                got: "colour from \(linker.drafts[node].facts.id)",
                help: ["take the mask from before its fill, or add { \"effect\": \"mask.alpha\" } before it"]))
    }
}
