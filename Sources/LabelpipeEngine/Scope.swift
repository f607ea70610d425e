import Diagnostics
import LabelpipeKit

/// One use of a document: its parameters with their values there.
final class Scope: Sendable {
    struct Binding: Sendable {
        enum Content: Sendable {
            case absent
            case term(Term, Kind)
            /// The value a choice maps to: read by the kind of the place that uses it.
            case chosen(JSONValue)
            /// Has no value yet: `check` looks at the rest all the same.
            case open
        }
        let content: Content
        /// What the user wrote for a choice: a word, or a list of words.
        var words: JSONValue?
        /// What relative paths in it are beside.
        var folder: String
        /// Of how many values it is made, and how deep they lie inside each other.
        var parts = 1
        var depth = 1
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

    /// The scope that a template keeps: no more than it asks for, so that documents with many parameters stay small.
    func keeping(_ fields: [String]) -> Scope {
        var kept: [String: Binding] = [:]
        for field in fields { kept[field] = bindings[field] }
        return Scope(document: document, bindings: kept, scale: scale, folder: folder)
    }
}
