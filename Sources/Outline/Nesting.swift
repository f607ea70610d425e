/// Which holes belong to which outer edge. A part is an outer edge with its holes; an island in a hole is a part of its own.
struct Parts {
    /// Contour numbers, part after part, each beginning with its outer edge.
    private let members: [Int]
    private let starts: [Int]

    var count: Int { starts.count - 1 }
    func contours(_ part: Int) -> ArraySlice<Int> { members[starts[part]..<starts[part + 1]] }

    init(of polygons: Polygons) {
        let boxes = (0..<polygons.contourCount).map { polygons.box(ofContour: $0) }
        let areas = (0..<polygons.contourCount).map { polygons.signedArea(ofContour: $0) }
        // Parent of each hole; an outer edge is its own; a hole of nothing has none and is dropped.
        var parents = (0..<polygons.contourCount).map { areas[$0] > 0 ? $0 : -1 }
        let clusters = Clusters(boxes)
        for cluster in 0..<clusters.count {
            let members = clusters.members(cluster)
            let outers = members.filter { areas[$0] > 0 }
            let holes = members.filter { areas[$0] < 0 }
            if holes.isEmpty || outers.isEmpty { continue }
            if outers.count == 1 {
                for hole in holes { parents[hole] = outers[0] }
            } else {
                Parts.nest(holes, outers, among: members, of: polygons, boxes, areas, into: &parents)
            }
        }
        var sizes = [Int](repeating: 0, count: polygons.contourCount)
        for parent in parents where parent >= 0 { sizes[parent] += 1 }
        var starts = [0]
        var next = [Int](repeating: 0, count: polygons.contourCount)
        for outer in 0..<polygons.contourCount where sizes[outer] > 0 {
            next[outer] = starts[starts.count - 1]
            starts.append(next[outer] + sizes[outer])
        }
        var list = [Int](repeating: 0, count: starts[starts.count - 1])
        for outer in 0..<polygons.contourCount where parents[outer] == outer {
            list[next[outer]] = outer
            next[outer] += 1
        }
        for hole in 0..<polygons.contourCount where parents[hole] >= 0 && parents[hole] != hole {
            list[next[parents[hole]]] = hole
            next[parents[hole]] += 1
        }
        members = list
        self.starts = starts
    }

    /// Finds the parents of holes: straight up from the topmost vertex of a hole lies the fill around it, and the first edge that a ray
    /// meets there is the parent's, or that of another hole of the same parent, whose top is higher still.
    private static func nest(
        _ holes: [Int], _ outers: [Int], among members: ArraySlice<Int>, of polygons: Polygons, _ boxes: [Box], _ areas: [Double],
        into parents: inout [Int]
    ) {
        let columns = Columns(members, of: polygons, boxes)
        for hole in holes.sorted(by: { boxes[$0].minY < boxes[$1].minY }) {
            let top = topmost(polygons, hole)
            let above = columns.edge(above: top, of: polygons, not: hole)
            let parent = above < 0 ? -1 : parents[above]
            if parent >= 0 && boxes[parent].holds(boxes[hole]) {
                parents[hole] = parent
                continue
            }
            // Contours that touch leave the ray in doubt: the smallest outer edge around the hole, then.
            var best = -1
            for outer in outers where boxes[outer].holds(boxes[hole]) && (best < 0 || areas[outer] < areas[best]) {
                if polygons.winding(ofContour: outer, around: top) != 0 { best = outer }
            }
            parents[hole] = best
        }
    }

    private static func topmost(_ polygons: Polygons, _ contour: Int) -> Point {
        var best = polygons.point(polygons.contour(contour).lowerBound)
        for vertex in polygons.contour(contour) {
            let point = polygons.point(vertex)
            if point.y < best.y || (point.y == best.y && point.x < best.x) { best = point }
        }
        return best
    }
}

extension Box {
    /// Whether `other` lies inside, but for rounding noise.
    fileprivate func holds(_ other: Box) -> Bool {
        let noise = 1e-6 * max(1, maxX - minX, maxY - minY)
        return other.minX >= minX - noise && other.minY >= minY - noise && other.maxX <= maxX + noise
            && other.maxY <= maxY + noise
    }
}

/// Edges by the columns of the plane they pass through.
private struct Columns {
    private let left: Double
    private let columnsPerPixel: Double
    private let starts: [Int]
    /// Contour and second vertex of an edge.
    private let edges: [(contour: Int32, vertex: Int32)]

    init(_ members: ArraySlice<Int>, of polygons: Polygons, _ boxes: [Box]) {
        var box = Box()
        var count = 0
        for contour in members {
            box.add(boxes[contour].minX, boxes[contour].minY)
            box.add(boxes[contour].maxX, boxes[contour].maxY)
            count += polygons.contour(contour).count
        }
        let columns = min(max(count / 4, 1), 1 << 16)
        left = box.minX
        columnsPerPixel = Double(columns) / max(box.maxX - box.minX, .leastNormalMagnitude)
        var sizes = [Int](repeating: 0, count: columns)
        let place = Columns.place(left, columnsPerPixel, columns)
        Columns.visit(members, polygons, place) { column, _, _ in sizes[column] += 1 }
        var starts = [0]
        for size in sizes { starts.append(starts[starts.count - 1] + size) }
        var next = starts
        var edges = [(contour: Int32, vertex: Int32)](repeating: (0, 0), count: starts[columns])
        Columns.visit(members, polygons, place) { column, contour, vertex in
            edges[next[column]] = (Int32(contour), Int32(vertex))
            next[column] += 1
        }
        self.starts = starts
        self.edges = edges
    }

    private static func place(_ left: Double, _ columnsPerPixel: Double, _ columns: Int) -> (Double) -> Int {
        { x in Int(min(max((x - left) * columnsPerPixel, 0), Double(columns - 1))) }
    }

    private static func visit(
        _ members: ArraySlice<Int>, _ polygons: Polygons, _ place: (Double) -> Int, _ body: (Int, Int, Int) -> Void
    ) {
        for contour in members {
            let range = polygons.contour(contour)
            var previous = polygons.coordinates[2 * range.upperBound - 2]
            for vertex in range {
                let x = polygons.coordinates[2 * vertex]
                if x != previous {
                    for column in place(min(previous, x))...place(max(previous, x)) { body(column, contour, vertex) }
                }
                previous = x
            }
        }
    }

    /// The contour whose edge is the next one straight above `point`; -1 if there is none.
    func edge(above point: Point, of polygons: Polygons, not own: Int) -> Int {
        let column = Columns.place(left, columnsPerPixel, starts.count - 1)(point.x)
        var best = -Double.infinity
        var found = -1
        for index in starts[column]..<starts[column + 1] {
            let (contour, vertex) = (Int(edges[index].contour), Int(edges[index].vertex))
            if contour == own { continue }
            let range = polygons.contour(contour)
            let a = polygons.point(vertex == range.lowerBound ? range.upperBound - 1 : vertex - 1)
            let b = polygons.point(vertex)
            guard (a.x <= point.x) != (b.x <= point.x) else { continue }
            let y = a.y + (b.y - a.y) * ((point.x - a.x) / (b.x - a.x))
            if y <= point.y && y > best {
                best = y
                found = contour
            }
        }
        return found
    }
}
