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
            let above = columns.edge(above: top, not: hole)
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
    /// x0, y0, x1, y1 of each edge, and its contour.
    private let edges: [SIMD4<Double>]
    private let contours: [Int32]

    init(_ members: ArraySlice<Int>, of polygons: Polygons, _ boxes: [Box]) {
        var box = Box()
        var count = 0
        var widths = 0.0
        for contour in members {
            box.add(boxes[contour].minX, boxes[contour].minY)
            box.add(boxes[contour].maxX, boxes[contour].maxY)
            let range = polygons.contour(contour)
            count += range.count
            for vertex in range.dropFirst() {
                widths += abs(polygons.coordinates[2 * vertex] - polygons.coordinates[2 * vertex - 2])
            }
        }
        let width = max(box.maxX - box.minX, .leastNormalMagnitude)
        // Columns as wide as the mean edge: an edge is in two of them or so.
        let columns = Int(min(max(Double(count) * width / max(widths, width), 1), Double(max(count / 4, 1))))
        left = box.minX
        columnsPerPixel = Double(columns) / width
        var sizes = [Int](repeating: 0, count: columns)
        let place = Columns.place(left, columnsPerPixel, columns)
        Columns.visit(members, polygons, place) { column, _, _ in sizes[column] += 1 }
        var starts = [0]
        for size in sizes { starts.append(starts[starts.count - 1] + size) }
        var next = starts
        var edges = [SIMD4<Double>](repeating: .zero, count: starts[columns])
        var contours = [Int32](repeating: 0, count: starts[columns])
        Columns.visit(members, polygons, place) { column, contour, edge in
            edges[next[column]] = edge
            contours[next[column]] = Int32(contour)
            next[column] += 1
        }
        self.starts = starts
        self.edges = edges
        self.contours = contours
    }

    private static func place(_ left: Double, _ columnsPerPixel: Double, _ columns: Int) -> (Double) -> Int {
        { x in Int(min(max((x - left) * columnsPerPixel, 0), Double(columns - 1))) }
    }

    private static func visit(
        _ members: ArraySlice<Int>, _ polygons: Polygons, _ place: (Double) -> Int, _ body: (Int, Int, SIMD4<Double>) -> Void
    ) {
        for contour in members {
            let range = polygons.contour(contour)
            var previous = polygons.point(range.upperBound - 1)
            for vertex in range {
                let point = polygons.point(vertex)
                if point.x != previous.x {
                    let edge = SIMD4(previous.x, previous.y, point.x, point.y)
                    for column in place(min(previous.x, point.x))...place(max(previous.x, point.x)) {
                        body(column, contour, edge)
                    }
                }
                previous = point
            }
        }
    }

    /// The contour whose edge is the next one straight above `point`; -1 if there is none.
    func edge(above point: Point, not own: Int) -> Int {
        let column = Columns.place(left, columnsPerPixel, starts.count - 1)(point.x)
        var best = -Double.infinity
        var found = -1
        edges.withUnsafeBufferPointer { edges in
            for index in starts[column]..<starts[column + 1] {
                let edge = edges[index]
                guard min(edge.y, edge.w) <= point.y, max(edge.y, edge.w) > best else { continue }
                guard (edge.x <= point.x) != (edge.z <= point.x), contours[index] != Int32(own) else { continue }
                let y = edge.y + (edge.w - edge.y) * ((point.x - edge.x) / (edge.z - edge.x))
                if y <= point.y && y > best {
                    best = y
                    found = Int(contours[index])
                }
            }
        }
        return found
    }
}
