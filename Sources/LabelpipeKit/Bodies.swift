import Outline

// What effects do to the bodies of a layer.

extension Layer {
    /// Paints what is not painted yet; pictures (emoji among letters) keep their colours.
    public func painted(_ paint: (Body) -> Paint) -> Layer {
        var layer = self
        layer.kind = .colour
        layer.marks = marks.map { mark in
            guard case .body(var body) = mark else { return mark }
            let paint = paint(body)
            body.contents = body.contents.map { content in
                if case .fill(let coverage, nil) = content { .fill(coverage, paint) } else { content }
            }
            return .body(body)
        }
        return layer
    }

    /// Puts a finish on the silhouette of all that is not a drop shadow, as one union.
    ///
    /// Where the layer is one body, its list grows; several marks become the contents of a new one.
    public func finished(_ finish: (Body) -> Finish) -> Layer {
        var layer = self
        let solid = marks.filter { !$0.isShadow }
        guard !solid.isEmpty else { return self }
        var body: Body
        if solid.count == 1, case .body(let only) = solid[0] {
            body = only
        } else {
            body = Body(contents: [.marks(solid)], outline: outline, boxes: FillBoxes(text: frame))
        }
        let made = finish(body)
        body.finishes.append(made)
        layer.marks = marks.filter(\.isShadow) + [.body(body)]
        if case .stroke(let stroke) = made, let silhouette = outline {
            // Scaled layers: the stroke is as wide as its plane is scaled.
            let back = body.transform.inverse ?? .identity
            layer.outline = stroke.silhouette(of: silhouette.transformed(by: back)).transformed(by: body.transform)
        }
        return layer
    }
}
