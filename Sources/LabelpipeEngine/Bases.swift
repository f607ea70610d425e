import LabelpipeKit

/// What lengths are measured by, at each place of the graph: the picture, what a label is placed on, the input of a
/// document used as an effect.
struct Bases {
    private struct Base: Hashable {
        let size: Context.Base?
        /// Index of the base outside; -1 for the outermost.
        let outside: Int
        /// The use of a document whose input this is; -1 for what a label is placed on.
        let use: Int
    }

    enum Found {
        /// Index of a base.
        case known(Int)
        /// This has to be evaluated first.
        case waits(Evaluation.Place)
    }

    /// A document's use, seen from a base.
    private struct Door: Hashable {
        let use: Int
        let base: Int
    }

    private var all: [Base] = []
    /// What is behind doors, once that is known: documents that use documents lead through the same ones again and again.
    private var entered: [Door: Int] = [:]
    private var indices: [Base: Int] = [:]

    subscript(index: Int) -> Context.Base? { all[index].size }

    private mutating func index(_ base: Base) -> Int {
        if let known = indices[base] { return known }
        all.append(base)
        indices[base] = all.count - 1
        return all.count - 1
    }

    mutating func index(of size: Context.Base?) -> Int { index(Base(size: size, outside: -1, use: -1)) }

    /// What is measured by a layer.
    mutating func index(of layer: Layer, inside outside: Int, use: Int = -1) -> Int {
        let resolution = layer.picture?.resolution ?? all[outside].size?.resolution ?? 72
        let size = Context.Base(width: layer.frame.width, height: layer.frame.height, resolution: resolution)
        return index(Base(size: size, outside: outside, use: use))
    }

    /// The base at the far end of an edge.
    mutating func index(
        behind edge: Plan.Edge, from base: Int, _ plan: Plan, _ results: [Evaluation.Place: Evaluation.Result]
    ) -> Found {
        var base = base
        for crossing in edge.crossings {
            switch crossing {
            case .leave(let use):
                var inside = base
                while inside >= 0, all[inside].use != use { inside = all[inside].outside }
                if inside >= 0 { base = all[inside].outside }
            case .enter(let use):
                guard let measure = plan.measures[use] else { continue }
                let door = Door(use: use, base: base)
                if let known = entered[door] {
                    base = known
                    continue
                }
                switch index(behind: measure, from: base, plan, results) {
                case .waits(let place): return .waits(place)
                case .known(let measured):
                    let place = Evaluation.Place(node: measure.node, base: measured)
                    guard let result = results[place] else { return .waits(place) }
                    base = index(of: result.layer, inside: base, use: use)
                    entered[door] = base
                }
            }
        }
        return .known(base)
    }
}
