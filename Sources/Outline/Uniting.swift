extension Polygons {
    /// The union, by the non-zero rule, of contours that may cross themselves and each other.
    ///
    /// - Parameter scale: device px per px.
    func united(scale: Double) -> Polygons {
        Polygons.combine(.union, [self], [], disjoint: false, scale: scale)
    }

    /// The union of shapes each of which is disjoint in itself.
    static func union(_ shapes: [Polygons], scale: Double) -> Polygons {
        shapes.count == 1 ? shapes[0] : combine(.union, shapes, [], disjoint: true, scale: scale)
    }

    /// Combines shapes, cluster by cluster. A cluster that a single disjoint shape has to itself passes through as it is.
    static func combine(
        _ operation: Operation, _ subjects: [Polygons], _ clips: [Polygons], disjoint: Bool, scale: Double
    ) -> Polygons {
        var shapes = [Int]()
        var contours = [Int]()
        var boxes = [Box]()
        let items = subjects + clips
        for (shape, polygons) in items.enumerated() {
            for contour in 0..<polygons.contourCount {
                shapes.append(shape)
                contours.append(contour)
                boxes.append(polygons.box(ofContour: contour))
            }
        }
        let clusters = Clusters(boxes)
        var result = Polygons()
        var subject = ContourSet()
        var clip = ContourSet()
        for cluster in 0..<clusters.count {
            let members = clusters.members(cluster)
            let first = shapes[members.first ?? 0]
            let single = members.allSatisfy { shapes[$0] == first }
            let onlySubject = members.allSatisfy { shapes[$0] < subjects.count }
            if operation == .intersection && (onlySubject || single) { continue }
            if operation == .difference && single && first >= subjects.count { continue }
            if single && disjoint {
                for member in members { result.append(contour: contours[member], of: items[shapes[member]]) }
                continue
            }
            var box = Box()
            for member in members {
                box.add(boxes[member].minX, boxes[member].minY)
                box.add(boxes[member].maxX, boxes[member].maxY)
            }
            var grid = Grid(around: box, scale: scale)
            var done = false
            // Clipper gives up once in a blue moon, on contours that a coarser grid sees differently.
            for _ in 0..<3 where !done {
                subject.removeAll()
                clip.removeAll()
                for member in members {
                    if shapes[member] < subjects.count {
                        subject.append(contour: contours[member], of: items[shapes[member]], grid: grid)
                    } else {
                        clip.append(contour: contours[member], of: items[shapes[member]], grid: grid)
                    }
                }
                done = runClipper(operation, subject, clip, box: box, grid: grid, into: &result)
                grid = grid.coarser
            }
            if !done {
                // Better the shape itself than nothing.
                for member in members where shapes[member] < subjects.count {
                    result.append(contour: contours[member], of: items[shapes[member]])
                }
            }
        }
        return result
    }
}
