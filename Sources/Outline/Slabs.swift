/// Very many points, combined slab by slab.
///
/// Clipper's time grows with the square of a contour's points where the contour is jagged: it walks round all of it at every local
/// extremum. So the plane is cut across its longer side into slabs of some thousands of points, each combined by itself. Outside its
/// slab a contour only has to get from where it leaves to where it comes back, and does so by way of a single point. (Not along the
/// cut: many edges on one line lead Clipper astray.) Of the result what lies in the slab is kept, as runs from one cut to another or
/// back to the same, and a run that ends on a cut goes on with the one that begins there in the next slab. Ends that miss each other
/// by a unit of rounding are joined along the cut, so contours close whatever happens.
struct Slabs {
    /// Points that one run of Clipper takes in its stride.
    static let mostPoints = 16384
    private static let pointsPerSlab = 4096

    /// All coordinates are doubled, and cuts lie at odd ones: no vertex lies on a cut that was not put there by it.
    static let unitsPerUnit: Int64 = 2

    /// Where the cuts are, on the axis along which the slabs lie.
    private let cuts: [Int64]
    private let alongX: Bool
    private var subjects: [ContourSet]
    private var clips: [ContourSet]

    init(_ subject: ContourSet, _ clip: ContourSet, alongX: Bool) {
        self.alongX = alongX
        let axis = alongX ? 0 : 1
        var places = [Int64]()
        places.reserveCapacity(subject.pointCount + clip.pointCount)
        for set in [subject, clip] {
            for index in 0..<set.pointCount { places.append(set.points[2 * index + axis]) }
        }
        places.sort()
        var cuts = [Int64]()
        for index in stride(from: Slabs.pointsPerSlab, to: places.count - Slabs.pointsPerSlab / 2, by: Slabs.pointsPerSlab) {
            // In the widest gap nearby: edges of a unit or two between a vertex and the cut lead Clipper astray.
            var widest = index
            for near in index..<min(index + Slabs.pointsPerSlab / 8, places.count - 1)
            where places[near + 1] - places[near] > places[widest + 1] - places[widest] { widest = near }
            let cut = (places[widest] + places[widest + 1]) / 2 * Slabs.unitsPerUnit + 1
            if cut > cuts.last ?? .min { cuts.append(cut) }
        }
        self.cuts = cuts
        subjects = Slabs.cut(subject, cuts, axis)
        clips = Slabs.cut(clip, cuts, axis)
    }

    /// Nil if Clipper gave up.
    func combined(_ operation: Operation) -> ContourSet? {
        var stitcher = Stitcher(cuts: cuts, axis: alongX ? 0 : 1)
        for slab in 0...cuts.count {
            // A slab is high and narrow; if it is not, its points lie close together and there are few to a row.
            guard let result = clipper(operation, subjects[slab], clips[slab], transposed: !alongX, cleaned: false) else {
                return nil
            }
            stitcher.add(result, slab: slab)
        }
        return stitcher.stitched().cleaned
    }

    /// Each contour's part of every slab: its runs within the slab, and outside it a detour from each to the next. All that counts
    /// inside, how often a place is wound round, is as before.
    private static func cut(_ set: ContourSet, _ cuts: [Int64], _ axis: Int) -> [ContourSet] {
        var slabs = [ContourSet](repeating: ContourSet(), count: cuts.count + 1)
        for slab in slabs.indices { slabs[slab].rule = set.rule }
        // Where the contour left a slab last, and where it came in first: places across the cut.
        var left = [Int64?](repeating: nil, count: slabs.count)
        var came = [Int64?](repeating: nil, count: slabs.count)
        var touched = [Int]()
        for contour in 0..<set.count {
            let range = set.starts[contour]..<set.starts[contour + 1]
            func at(_ vertex: Int, _ axis: Int) -> Int64 { set.points[2 * vertex + axis] * unitsPerUnit }
            var u = at(range.upperBound - 1, axis)
            var v = at(range.upperBound - 1, 1 - axis)
            var slab = Slabs.slab(of: u, cuts)
            touched.append(slab)
            for vertex in range {
                let (nextU, nextV) = (at(vertex, axis), at(vertex, 1 - axis))
                let last = Slabs.slab(of: nextU, cuts, near: slab)
                while slab != last {
                    let up = last > slab
                    let cut = cuts[up ? slab : slab - 1]
                    let crossing = v + Int64((Double(nextV - v) * (Double(cut - u) / Double(nextU - u))).rounded())
                    slabs[slab].add(cut, crossing, axis)
                    left[slab] = crossing
                    slab += up ? 1 : -1
                    if let from = left[slab] {
                        slabs[slab].addDetour(at: cut, from: from, to: crossing, upwards: !up, axis)
                        left[slab] = nil
                    } else {
                        came[slab] = crossing
                        touched.append(slab)
                    }
                    slabs[slab].add(cut, crossing, axis)
                }
                slabs[slab].add(nextU, nextV, axis)
                (u, v) = (nextU, nextV)
            }
            for slab in touched {
                if let from = left[slab], let to = came[slab], let cut = slabs[slab].lastPlace(axis) {
                    slabs[slab].addDetour(at: cut, from: from, to: to, upwards: slab < cuts.count && cut == cuts[slab], axis)
                }
                (left[slab], came[slab]) = (nil, nil)
                slabs[slab].endContour()
            }
            touched.removeAll(keepingCapacity: true)
        }
        return slabs
    }

    private static func slab(of place: Int64, _ cuts: [Int64]) -> Int {
        var (low, high) = (0, cuts.count)
        while low < high {
            let middle = (low + high) / 2
            if cuts[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func slab(of place: Int64, _ cuts: [Int64], near slab: Int) -> Int {
        let above = slab == cuts.count || place < cuts[slab]
        let below = slab == 0 || place > cuts[slab - 1]
        return above && below ? slab : Slabs.slab(of: place, cuts)
    }
}

extension ContourSet {
    /// Adds a vertex given by its place along an axis and across it.
    fileprivate mutating func add(_ along: Int64, _ across: Int64, _ axis: Int) {
        axis == 0 ? add(along, across) : add(across, along)
    }

    /// Goes from one place on a cut to another by way of a point beyond it. Detours within each other do not meet.
    fileprivate mutating func addDetour(at cut: Int64, from: Int64, to: Int64, upwards: Bool, _ axis: Int) {
        let reach = abs(to - from) / 2
        if reach > 0 { add(upwards ? cut + reach : cut - reach, from + (to - from) / 2, axis) }
    }

    /// Where the vertex added last lies along an axis.
    fileprivate func lastPlace(_ axis: Int) -> Int64? { points.isEmpty ? nil : points[points.count - 2 + axis] }
}

/// Joins the results of slabs where they meet on the cuts.
private struct Stitcher {
    private let cuts: [Int64]
    private let axis: Int
    /// Contours that need no joining, and those that are joined.
    private var whole = ContourSet()
    /// Runs of contours from one cut to another, or back to the same.
    private var runs = ContourSet()

    /// A place on a cut.
    private struct Node: Hashable, Comparable {
        let cut: Int
        let across: Int64

        static func < (a: Node, b: Node) -> Bool { a.cut != b.cut ? a.cut < b.cut : a.across < b.across }
    }

    init(cuts: [Int64], axis: Int) {
        self.cuts = cuts
        self.axis = axis
    }

    /// Keeps what lies in the slab.
    mutating func add(_ set: ContourSet, slab: Int) {
        let low = slab > 0 ? cuts[slab - 1] : .min
        let high = slab < cuts.count ? cuts[slab] : .max
        for contour in 0..<set.count {
            let range = set.starts[contour]..<set.starts[contour + 1]
            func along(_ vertex: Int) -> Int64 { set.points[2 * vertex + axis] }
            func across(_ vertex: Int) -> Int64 { set.points[2 * vertex + 1 - axis] }
            func isInside(_ vertex: Int) -> Bool { along(vertex) >= low && along(vertex) <= high }
            guard let outside = range.first(where: { !isInside($0) }) else {
                for vertex in range { whole.add(set.points[2 * vertex], set.points[2 * vertex + 1]) }
                whole.endContour()
                continue
            }
            // Once round from there.
            var vertex = outside
            for _ in range {
                let next = vertex + 1 == range.upperBound ? range.lowerBound : vertex + 1
                func crossing(_ cut: Int64) -> Int64 {
                    let share = Double(cut - along(vertex)) / Double(along(next) - along(vertex))
                    return across(vertex) + Int64((Double(across(next) - across(vertex)) * share).rounded())
                }
                // In by one cut, out by another or the same.
                let entry = along(vertex) < low ? low : high
                let exit = along(next) < low ? low : high
                switch (isInside(vertex), isInside(next)) {
                case (false, true):
                    if along(next) != entry { runs.add(entry, crossing(entry), axis) }
                    runs.add(along(next), across(next), axis)
                case (true, true):
                    runs.add(along(next), across(next), axis)
                case (true, false):
                    if along(vertex) != exit { runs.add(exit, crossing(exit), axis) }
                    runs.endRun()
                case (false, false):
                    if entry != exit {
                        runs.add(entry, crossing(entry), axis)
                        runs.add(exit, crossing(exit), axis)
                        runs.endRun()
                    }
                }
                vertex = next
            }
        }
    }

    mutating func stitched() -> ContourSet {
        joinLooseEnds()
        // Where runs begin, in the order of the cuts.
        let begins = (0..<runs.count).map { node(runs.starts[$0]) }
        let order = begins.indices.sorted { begins[$0] < begins[$1] }
        // At each place as many runs begin as end; who follows whom there is all the same to what is inside.
        var used = [Bool](repeating: false, count: order.count)
        var nextFree = Array(order.indices)
        for first in order.indices where !used[first] {
            var place = first
            while true {
                used[place] = true
                let run = order[place]
                for vertex in runs.starts[run]..<runs.starts[run + 1] - 1 {
                    whole.add(runs.points[2 * vertex], runs.points[2 * vertex + 1])
                }
                let end = node(runs.starts[run + 1] - 1)
                // The first unused run that begins where this one ends.
                var lower = firstPlace(end, begins, order)
                let group = lower
                lower = max(lower, nextFree[min(group, nextFree.count - 1)])
                while lower < order.count && begins[order[lower]] == end && used[lower] { lower += 1 }
                if group < nextFree.count { nextFree[group] = lower }
                guard lower < order.count, begins[order[lower]] == end else { break }
                place = lower
            }
            whole.endContour()
        }
        return whole
    }

    private func node(_ vertex: Int) -> Node {
        let along = runs.points[2 * vertex + axis]
        var (low, high) = (0, cuts.count)
        while low < high {
            let middle = (low + high) / 2
            if cuts[middle] < along { low = middle + 1 } else { high = middle }
        }
        return Node(cut: low, across: runs.points[2 * vertex + 1 - axis])
    }

    private func firstPlace(_ node: Node, _ begins: [Node], _ order: [Int]) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if begins[order[middle]] < node { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Adds runs along the cuts from where more end than begin to where more begin than end.
    private mutating func joinLooseEnds() {
        var ends = [(node: Node, loose: Int)]()
        for run in 0..<runs.count {
            ends.append((node(runs.starts[run]), -1))
            ends.append((node(runs.starts[run + 1] - 1), 1))
        }
        ends.sort { $0.node < $1.node }
        var upwards = 0
        for (end, next) in zip(ends, ends.dropFirst()) {
            upwards += end.loose
            if upwards == 0 || end.node == next.node { continue }
            for _ in 0..<abs(upwards) {
                let (from, to) = upwards > 0 ? (end.node.across, next.node.across) : (next.node.across, end.node.across)
                runs.add(cuts[end.node.cut], from, axis)
                runs.add(cuts[end.node.cut], to, axis)
                runs.endRun()
            }
        }
    }
}

extension ContourSet {
    /// Ends a run; one that only touches a cut is none.
    fileprivate mutating func endRun() {
        if pointCount - starts[count] > 1 { endContour() } else { dropUnended() }
    }
}
