import Diagnostics
import LabelpipeKit

/// One use of a document: its parameters with their values there.
final class Scope: Sendable {
    struct Binding: Sendable {
        enum Content: Sendable {
            case absent
            case term(Term, Kind)
            /// The value a choice maps to: read by the kind of the place that uses it.
            case written(JSONValue)
            /// Has no value yet: `check` looks at the rest all the same.
            case open
        }
        let content: Content
        /// The word that the user wrote for a choice.
        let word: String?

        init(_ content: Content, word: String? = nil) { (self.content, self.word) = (content, word) }
    }

    let document: Document
    let bindings: [String: Binding]
    /// Where px are written, they are this many.
    let scale: Double
    /// What relative paths are beside.
    let folder: String

    init(document: Document, bindings: [String: Binding], scale: Double, folder: String? = nil) {
        (self.document, self.bindings, self.scale) = (document, bindings, scale)
        self.folder = folder ?? document.folder
    }
}
