import Diagnostics
import LabelpipeKit

/// What the compiler reads a document into.
extension Compiler {
    /// What a node written somewhere leads to.
    struct Reference: Sendable {
        enum Target: Sendable {
            /// Index into `drafts`.
            case node(Int)
            /// Index into `slots`: known when that has been read.
            case slot(Int)
            /// Could not be read, which has been reported.
            case broken
        }
        let target: Target
        /// The borders of documents on the way there.
        var crossings: [Crossing] = []

        static let broken = Reference(target: .broken)
        static func node(_ index: Int) -> Reference { Reference(target: .node(index)) }
        static func slot(_ index: Int) -> Reference { Reference(target: .slot(index)) }
    }

    /// The border of a document used as an effect. Inside, lengths are measured by its input.
    enum Crossing: Hashable, Sendable {
        case enter(use: Int)
        case leave(use: Int)
    }

    /// A document in use: as the run's own, or as an effect of another.
    final class Instance {
        let scope: Scope
        /// What its `image.source` is; nil: the run's picture.
        let input: Reference?
        let isEffect: Bool
        /// The files that lead to it, outermost first.
        let ancestry: [SourceFile]
        var names: [String: Reference] = [:]
        var sortedNames: [String] = []
        var usesSource = false

        init(scope: Scope, input: Reference?, isEffect: Bool, ancestry: [SourceFile]) {
            (self.scope, self.input, self.isEffect, self.ancestry) = (scope, input, isEffect, ancestry)
        }

        var document: Document { scope.document }
    }

    /// What is read later, into its slot.
    struct Pending {
        let slot: Int
        let value: JSONValue
        let pointer: JSONPointer
        let instance: Instance
        let name: String?
    }

    struct Slot {
        var reference = Reference.broken
        /// The id in `nodes` that it stands for, and where that is.
        let name: String?
        let document: Document
        let position: SourcePosition
    }

    struct DraftEdge {
        let reference: Reference
        /// Of an entry of a list: its keys, and when it is there.
        var entry: Entry?
    }

    /// What an entry of a list says besides its node.
    final class Entry: Sendable {
        let arguments: ArgumentList?
        /// Left out where this is not so; decided for each picture.
        let condition: Term?
        /// As it is written, `$name`.
        let when: String?

        init(arguments: ArgumentList?, condition: Term?, when: String?) {
            (self.arguments, self.condition, self.when) = (arguments, condition, when)
        }
    }

    /// A node as it was read. An object: the lists of a large graph grow by copying.
    final class Draft: Sendable {
        let facts: EffectFacts
        let arguments: ArgumentList
        let position: SourcePosition
        let name: String?
        /// Something in it was refused.
        let isBroken: Bool
        /// A mask that was given a colour: what is wrong is that, and not that it has none.
        let isColoured: Bool

        init(
            facts: EffectFacts, arguments: ArgumentList, position: SourcePosition, name: String?, isBroken: Bool,
            isColoured: Bool = false
        ) {
            (self.facts, self.arguments, self.position) = (facts, arguments, position)
            (self.name, self.isBroken, self.isColoured) = (name, isBroken, isColoured)
        }

        var pointer: JSONPointer { arguments.pointer }
        var file: String { arguments.document.file }
    }

    /// A document used as an effect.
    struct Use {
        let input: Reference
    }

    /// A node of the run's own document that is another document.
    struct Component {
        /// As the node writes it.
        let effect: String
        let document: Document
        /// Of the node.
        let pointer: JSONPointer
        let output: Reference
    }
}
