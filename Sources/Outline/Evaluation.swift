extension Outline {
    /// Follows the recipe.
    func evaluate(scale: Double) -> Polygons {
        switch recipe {
        case .paths(let paths): return Outline.evaluate(paths, scale: scale)
        case .ellipse(let rect): return Outline.evaluate([.ellipse(in: rect)], scale: scale)
        case .deferred(let make):
            return make(scale)
        case .transformed(let source, let affine):
            return source.polygons(scale: scale * affine.maximumScale).transformed(by: affine)
        case .grown(let source, let distance, let join, let miterLimit):
            let detail = join == .round || !source.isDrawn ? 1 : Outline.cornerDetail
            return source.polygons(scale: scale * detail)
                .grown(Growth(distance: distance, join: join, miterLimit: miterLimit, scale: scale), scale: scale)
        case .withoutHoles(let source):
            return source.polygons(scale: scale).withoutHoles(scale: scale)
        case .combined(let one, let other, let mode):
            let operation: Operation =
                switch mode {
                case .union: .union
                case .subtract: .difference
                case .intersect: .intersection
                case .exclude: .exclusion
                }
            return Polygons.combine(
                operation, [one.polygons(scale: scale)], [other.polygons(scale: scale)], disjoint: true, scale: scale)
        case .union(let sources):
            return Polygons.union(sources.map { $0.polygons(scale: scale) }, scale: scale)
        }
    }
}

extension Outline {
    private static func evaluate(_ paths: [Path], scale: Double) -> Polygons {
        let shapes = paths.map { path in
            var contours = Polygons()
            path.flatten(scale: scale, into: &contours)
            return contours.united(scale: scale)
        }
        return Polygons.union(shapes, scale: scale)
    }

    /// How much finer the curves of what gets miters or bevels are. Where curves cross, a corner's directions are those of two chords,
    /// and how far a sharp miter reaches is a large multiple of their error.
    private static let cornerDetail = 16.0

    /// It is as fine as it is asked to be: no edge of a stroke, nothing traced.
    private var isDrawn: Bool {
        switch recipe {
        case .paths, .ellipse: true
        case .deferred, .grown: false
        case .transformed(let source, _), .withoutHoles(let source): source.isDrawn
        case .combined(let one, let other, _): one.isDrawn && other.isDrawn
        case .union(let sources): sources.allSatisfy(\.isDrawn)
        }
    }
}

extension Polygons {
    /// The outer edges alone, united: an island in a hole is swallowed by what fills the hole.
    fileprivate func withoutHoles(scale: Double) -> Polygons {
        var outers = Polygons()
        for index in 0..<contourCount where signedArea(ofContour: index) > 0 { outers.append(contour: index, of: self) }
        return outers.united(scale: scale)
    }
}
