import Outline

extension Path {
    /// A drawn bold, for faces that have none: every edge moves outwards by half of `strength`.
    ///
    /// **Source**: FreeType's FT_Outline_EmboldenXY, without its shift to the right: advances are not changed either.
    func emboldened(by strength: Double) -> Path {
        let contours = controlPolygons()
        let area = contours.reduce(0.0) { $0 + signedArea($1) }
        guard area != 0 else { return self }
        var moved = contours.map { grown($0, by: area > 0 ? strength / 2 : -strength / 2) }[...]
        // Put back in the order they were taken out.
        var points: ArraySlice<Point> = []
        var start = Point.zero
        func next() -> Point { points.popFirst() ?? start }
        var result = Path()
        var isOpen = false
        for element in elements {
            switch element {
            case .move:
                points = moved.popFirst()?[...] ?? []
                start = next()
                result.move(to: start)
                isOpen = true
            case .line: result.line(to: next())
            case .quadratic:
                let control = next()
                result.quadratic(control, to: next())
            case .cubic:
                let (first, second) = (next(), next())
                result.cubic(first, second, to: next())
            case .close where isOpen:
                result.close()
                isOpen = false
            case .close: break
            }
        }
        return result
    }

    /// On- and off-curve points of each contour, in order; a last point on the first is left out.
    private func controlPolygons() -> [[Point]] {
        var contours: [[Point]] = []
        func add(_ more: Point...) { if !contours.isEmpty { contours[contours.count - 1] += more } }
        for element in elements {
            switch element {
            case .move(let point): contours.append([point])
            case .line(let point): add(point)
            case .quadratic(let control, let end): add(control, end)
            case .cubic(let first, let second, let end): add(first, second, end)
            case .close: break
            }
        }
        return contours.map { $0.count > 1 && $0.last == $0.first ? Array($0.dropLast()) : $0 }
    }

    private func signedArea(_ points: [Point]) -> Double {
        var sum = 0.0
        var last = points.last ?? .zero
        for point in points {
            sum += last.x * point.y - point.x * last.y
            last = point
        }
        return sum / 2
    }

    /// `distance` to the left of the way (y down), with FreeType's care for short segments.
    private func grown(_ points: [Point], by distance: Double) -> [Point] {
        let count = points.count
        guard count > 2 else { return points }
        func way(_ from: Int, _ step: Int) -> (Vector, Double) {
            var index = from
            for _ in 0..<count {
                index = (index + step + count) % count
                let vector = step > 0 ? points[index] - points[from] : points[from] - points[index]
                let length = vector.length
                if length > 1e-9 { return (vector * (1 / length), length) }
            }
            return (.zero, 0)
        }
        return points.indices.map { index in
            let (into, lengthIn) = way(index, -1)
            let (out, lengthOut) = way(index, 1)
            let d = into.dx * out.dx + into.dy * out.dy + 1
            // Nearly the way back: there is no outside to move to.
            guard d > 0.0625 else { return points[index] }
            // Outside is on the left of a contour that runs clockwise on screen.
            let normal = Vector(dx: into.dy + out.dy, dy: -(into.dx + out.dx))
            let q = (into.dx * out.dy - into.dy * out.dx) * (distance < 0 ? 1 : -1)
            let shortest = min(lengthIn, lengthOut)
            let amount = abs(distance) * q <= shortest * d ? distance / d : distance.sign == .minus ? -shortest / q : shortest / q
            return points[index] + normal * amount
        }
    }
}
