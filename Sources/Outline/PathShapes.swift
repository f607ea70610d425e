extension Path {
    /// A rectangle with circular corners; the radius is held within half the shorter side.
    public static func rectangle(_ rect: Rect, radius: Double = 0) -> Path {
        var path = Path()
        if rect.isNull { return path }
        let r = min(max(radius, 0), min(rect.width, rect.height) / 2)
        let (left, top, right, bottom) = (rect.minX, rect.minY, rect.maxX, rect.maxY)
        guard r > 0 else {
            path.move(to: Point(x: left, y: top))
            path.line(to: Point(x: right, y: top))
            path.line(to: Point(x: right, y: bottom))
            path.line(to: Point(x: left, y: bottom))
            path.close()
            return path
        }
        path.move(to: Point(x: left + r, y: top))
        path.line(to: Point(x: right - r, y: top))
        path.arc(to: Point(x: right, y: top + r), corner: Point(x: right, y: top))
        path.line(to: Point(x: right, y: bottom - r))
        path.arc(to: Point(x: right - r, y: bottom), corner: Point(x: right, y: bottom))
        path.line(to: Point(x: left + r, y: bottom))
        path.arc(to: Point(x: left, y: bottom - r), corner: Point(x: left, y: bottom))
        path.line(to: Point(x: left, y: top + r))
        path.arc(to: Point(x: left + r, y: top), corner: Point(x: left, y: top))
        path.close()
        return path
    }

    /// The ellipse that touches all four sides.
    public static func ellipse(in rect: Rect) -> Path {
        var path = Path()
        if rect.isNull { return path }
        path.elements.reserveCapacity(10)
        let center = rect.center
        path.move(to: Point(x: center.x, y: rect.minY))
        path.arc(to: Point(x: rect.maxX, y: center.y), corner: Point(x: rect.maxX, y: rect.minY))
        path.arc(to: Point(x: center.x, y: rect.maxY), corner: Point(x: rect.maxX, y: rect.maxY))
        path.arc(to: Point(x: rect.minX, y: center.y), corner: Point(x: rect.minX, y: rect.maxY))
        path.arc(to: Point(x: center.x, y: rect.minY), corner: Point(x: rect.minX, y: rect.minY))
        path.close()
        return path
    }

    /// A quarter of an ellipse from the current point; the tangents of its ends meet in `corner`.
    /// Two cubics of 45°: off the circle by less than 10⁻⁵ of the radius, which one of 90° (2.7 · 10⁻⁴) is not.
    private mutating func arc(to end: Point, corner: Point) {
        let start: Point =
            switch elements.last {
            case .move(let point), .line(let point), .quadratic(_, let point), .cubic(_, _, let point): point
            case .close, nil: .zero
            }
        let center = start + (end - corner)
        let u = start - center
        let v = end - center
        let diagonal = 0.5.squareRoot()
        // 4/3 · tan(45° / 4)
        let handle = 0.265216489839544
        let middle = center + (u + v) * diagonal
        let tangent = (v - u) * (diagonal * handle)
        cubic(start + v * handle, middle - tangent, to: middle)
        cubic(middle + tangent, end + u * handle, to: end)
    }
}
