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

    init(linker: Linker, order: [Int]) {
        (self.linker, self.order) = (linker, order)
        kinds = Array(repeating: [], count: linker.drafts.count)
        dependences = Array(repeating: [], count: linker.drafts.count)
    }

    mutating func check() {
        for index in order { check(index) }
    }

    private mutating func check(_ index: Int) {
        let draft = linker.drafts[index]
        let declaration = draft.facts.declaration
        var dependence = draft.arguments.dependence
        var first: Kinds = []
        for (number, edges) in linker.inputs[index].enumerated() {
            let input = declaration.inputs[number]
            // Where it goes depends on the size of what it goes on.
            if input.measuredBy != nil { dependence.insert(.size) }
            for edge in edges {
                let kind = kinds[edge.node]
                if number == 0 || declaration.id == Choice.declaration.id { first.formUnion(kind) }
                dependence.formUnion(dependences[edge.node])
                if let entry = edge.entry {
                    dependence.formUnion(entry.arguments?.dependence ?? [])
                    dependence.formUnion(entry.condition?.dependence ?? [])
                }
                switch input.accepts {
                case .colour where kind.contains(.coverage): reportCoverage(edge.node, into: index, input)
                case .coverage where kind.contains(.colour): reportColour(edge.node, into: index, input)
                default: break
                }
            }
        }
        if declaration.id == Language.source { dependence.insert(.pixels) }
        dependences[index] = dependence
        switch declaration.output {
        case .coverage: kinds[index] = .coverage
        case .colour: kinds[index] = .colour
        // Nothing there to be the same as: that was reported.
        case .sameAsInput: kinds[index] = first
        }
    }

    func checkOutput(_ node: Int, _ output: ArgumentList) {
        guard kinds[node].contains(.coverage) else { return }
        let draft = linker.drafts[node]
        report(
            "needs-colour", draft, at: draft.pointer,
            expected: "colour as \(output.pointer == "/output" ? "the output" : "output \(output.pointer)")",
            got: coverage(draft),
            help: KindChecker.fill)
    }

    private static let fill = "add { \"effect\": \"fill.solid\", \"color\": … } before it"

    private func coverage(_ draft: Compiler.Draft) -> String {
        draft.facts.id == Choice.declaration.id
            ? "coverage, where \"when\" leaves this step out" : "coverage (a mask without colour) from \(draft.facts.id)"
    }

    private func reportCoverage(_ node: Int, into index: Int, _ input: Input) {
        let draft = linker.drafts[index]
        report(
            "needs-colour", draft, at: draft.pointer, expected: "colour as \(draft.facts.id)'s \(Quoted.text(input.name))",
            got: coverage(linker.drafts[node]), help: KindChecker.fill)
    }

    private func reportColour(_ node: Int, into index: Int, _ input: Input) {
        let draft = linker.drafts[index]
        report(
            "needs-coverage", draft, at: draft.pointer,
            expected: "coverage (a mask or shape) as \(draft.facts.id)'s \(Quoted.text(input.name))",
            got: "colour from \(linker.drafts[node].facts.id)",
            help: "take the mask from before its fill, or add { \"effect\": \"mask.alpha\" } before it")
    }

    private func report(
        _ code: String, _ draft: Compiler.Draft, at pointer: JSONPointer, expected: String, got: String, help: String
    ) {
        linker.compiler.report(
            Diagnostic(
                code, file: draft.file, position: draft.position, pointer: pointer, expected: expected, got: got,
                help: [help]))
    }
}
