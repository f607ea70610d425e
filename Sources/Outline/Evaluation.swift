extension Outline {
    /// Follows the recipe.
    func evaluate(scale: Double) -> Polygons {
        switch recipe {
        case .paths(let paths):
            var result = Polygons()
            for path in paths { path.flatten(scale: scale, into: &result) }
            return result
        case .deferred(let make):
            return make(scale)
        case .transformed(let source, let affine):
            return source.polygons(scale: scale * affine.maximumScale).transformed(by: affine)
        default:
            return .empty
        }
    }
}
