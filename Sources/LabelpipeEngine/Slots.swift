import Diagnostics

/// Follows references to the nodes they stand for: names to nodes, and through the borders of documents.
struct Slots {
    /// A node, and the borders on the way to it.
    struct Destination {
        /// nil: broken, or a ring of names; reported.
        var node: Int?
        var crossings: [Compiler.Crossing] = []
    }

    private var known: [Destination?]

    /// - Parameter ring: called with the slots of each ring of names, in order.
    init(_ slots: [Compiler.Slot], ring: ([Int]) -> Void) {
        known = Array(repeating: nil, count: slots.count)
        var isOpen = [Bool](repeating: false, count: slots.count)
        for start in slots.indices where known[start] == nil {
            var trail: [Int] = []
            var next = start
            var end = Destination(node: nil)
            follow: while true {
                if let found = known[next] {
                    end = found
                    break
                }
                if isOpen[next] {
                    ring(Array(trail[(trail.firstIndex(of: next) ?? 0)...]))
                    break
                }
                isOpen[next] = true
                trail.append(next)
                switch slots[next].reference.target {
                case .slot(let other): next = other
                case .node(let node):
                    known[next] = Destination(node: node, crossings: slots[next].reference.crossings)
                    end = known[next] ?? end
                    trail.removeLast()
                    break follow
                case .broken:
                    break follow
                }
            }
            for slot in trail.reversed() {
                end.crossings = Slots.joined(slots[slot].reference.crossings, end.crossings)
                known[slot] = end
            }
        }
    }

    func follow(_ reference: Compiler.Reference) -> Destination {
        switch reference.target {
        case .node(let node): return Destination(node: node, crossings: reference.crossings)
        case .broken: return Destination(node: nil)
        case .slot(let slot):
            guard var end = known[slot] else { return Destination(node: nil) }
            if !reference.crossings.isEmpty { end.crossings = Slots.joined(reference.crossings, end.crossings) }
            return end
        }
    }

    /// Into a document and straight out of it again is no way at all.
    private static func joined(_ first: [Compiler.Crossing], _ rest: [Compiler.Crossing]) -> [Compiler.Crossing] {
        var all = first
        for crossing in rest {
            if case .leave(let use) = crossing, case .enter(use)? = all.last {
                all.removeLast()
            } else {
                all.append(crossing)
            }
        }
        return all
    }
}
