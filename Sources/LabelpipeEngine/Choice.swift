import LabelpipeKit

/// Passes on its second input where there is one for this picture, else its first.
struct Choice: Effect {
    static let declaration = EffectDeclaration(
        id: "when", summary: "One layer or the other.",
        inputs: [
            Input("otherwise", .either, doc: "what passes where the step is left out"),
            Input("then", .either, .optional, doc: "what passes else"),
        ],
        output: .sameAsInput, example: "")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer { inputs.optional("then") ?? inputs["otherwise"] }
}
