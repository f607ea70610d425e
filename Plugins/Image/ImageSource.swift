import LabelpipeKit

/// The picture of the run: what labels are placed on.
///
/// It is opened when it is looked at, row by row where the format allows, and never changed in place. Inside a
/// document that another one uses as an effect it is that node's `input`.
///
///     [ { "effect": "image.source" }, { "effect": "layout.place", "label": "mark" } ]
///
/// **See also**: `image.load` for a logo, `image.canvas` for a picture made from nothing.
struct ImageSource: Effect {
    static let declaration = EffectDeclaration(
        id: "image.source",
        summary: "The input picture, upright, with all its pages and frames.",
        output: .colour,
        parameters: [page],
        example: """
            { "effect": "image.source" }
            """)

    private static let page = Parameter<Value>.value(
        "page", .either([.integer, .choice(["all"])]), default: "all", range: 1...1_000_000,
        doc: "the only page or frame to use, counted from 1, or all of them")

    private let page: Int?

    init(_ arguments: Arguments) {
        page = if case .number(let number) = arguments[Self.page] { Int(number) } else { nil }
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        Layer(try context.source(page))
    }
}
