import Diagnostics
import LabelpipeKit

/// One use of a document: its parameters with their values there.
final class Scope: Sendable {
    struct Binding: Sendable {
        enum Content: Sendable {
            case absent
            case term(Term, Kind)
            /// The value a choice maps to: read by the kind of the place that uses it, in the scope that wrote it.
            case written(JSONValue, JSONPointer)
        }
        let content: Content
        /// The word that the user wrote for a choice.
        let word: String?
    }

    let document: Document
    let bindings: [String: Binding]
    /// Where px are written, they are this many.
    let scale: Double

    init(document: Document, bindings: [String: Binding], scale: Double) {
        (self.document, self.bindings, self.scale) = (document, bindings, scale)
    }
}
