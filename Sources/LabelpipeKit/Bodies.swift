import Outline

// What effects do to the bodies of a layer.

extension Layer {
    /// A layer that is not painted yet.
    ///
    /// - Parameters:
    ///   - outline: its silhouette; nil: the edge of the coverage.
    ///   - boxes: what a later fill is laid out in; nil: the frame.
    ///   - fade: how it fades out.
    public init(
        _ coverage: Coverage, outline: Outline?, frame: Rect, boxes: FillBoxes? = nil, fade: Fade? = nil,
        text: TextFacts? = nil
    ) {
        let body = Body(
            contents: [.fill(coverage, nil)], outline: outline, boxes: boxes ?? FillBoxes(text: frame), fade: fade)
        self.init(marks: [.body(body)], kind: .coverage, frame: frame, text: text, outline: outline)
    }

    /// Where the layer is: its area if it is not painted yet, else its alpha.
    public var coverage: Coverage {
        guard marks.count == 1, case .body(let body) = marks[0], body.finishes.isEmpty, body.contents.count == 1,
            body.fade == nil, case .fill(let coverage, nil) = body.contents[0]
        else { return .alpha(marks) }
        return coverage.transformed(by: body.transform)
    }

    /// How the layer's one body fades out, in the layer's plane; and the layer without that.
    public var fade: Fade? {
        guard marks.count == 1, case .body(let body) = marks[0] else { return nil }
        return body.fade?.transformed(by: body.transform)
    }

    public var unfaded: Layer {
        guard marks.count == 1, case .body(var body) = marks[0], body.fade != nil else { return self }
        var layer = self
        body.fade = nil
        layer.marks = [.body(body)]
        return layer
    }

    /// What a fill of the whole layer is laid out in: the boxes of its one body, else the frame.
    public var boxes: FillBoxes {
        guard marks.count == 1, case .body(let body) = marks[0] else { return FillBoxes(text: frame) }
        return body.boxes.transformed(by: body.transform)
    }

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

    /// Puts a finish on the silhouette of all that lies above the layer's drop shadows, as one union.
    ///
    /// Where the layer is one body, its list grows; several marks, or a body that was turned or scaled, become the
    /// contents of a new one, so that lengths and directions are those of the layer's plane.
    ///
    /// - Parameter finish: its paint is laid out for the body it is given, its lengths are the layer's.
    public func finished(_ finish: (Body) -> Finish) -> Layer {
        guard let first = marks.firstIndex(where: { !$0.isShadow }) else { return self }
        let solid = Array(marks[first...])
        var body: Body
        var made: Finish
        if solid.count == 1, case .body(let only) = solid[0] {
            made = finish(only)
            body = only
            if !only.transform.isTranslation {
                // What is added fades with the rest.
                var inner = only
                inner.fade = nil
                body = Body(
                    contents: [.marks([.body(inner)])], outline: only.silhouette?.transformed(by: only.transform),
                    boxes: only.boxes.transformed(by: only.transform), fade: only.fade?.transformed(by: only.transform))
                if case .stroke(var stroke) = made {
                    stroke.paint = stroke.paint.transformed(by: only.transform)
                    made = .stroke(stroke)
                }
            }
        } else {
            body = Body(contents: [.marks(solid)], outline: outline, boxes: FillBoxes(text: frame))
            made = finish(body)
        }
        var layer = self
        if case .stroke(var stroke) = made {
            stroke.edge = body.silhouette.map(stroke.silhouette)
            made = .stroke(stroke)
            layer.outline = stroke.edge?.transformed(by: body.transform)
        }
        body.finishes.append(made)
        layer.marks = marks[..<first] + [.body(body)]
        return layer
    }
}
