import LabelpipeDrawing
import LabelpipeKit
import Outline

/// Lays one layer on another: into a picture's pixels, or as a group on top of marks.
struct Overlay {
    let opacity: Double
    let blend: BlendMode
    let space: BlendSpace

    /// - Parameters:
    ///   - scale: of the label, about its plane's origin.
    ///   - shift: from the label's plane to the base's, after that. px
    func draw(_ label: Layer, scale: Double, at shift: Vector, on base: Layer) throws -> Layer {
        let placed = label.transformed(by: Affine.scale(scale).then(.translation(shift)))
        var layer = base
        if let picture = base.picture {
            let shrunk = label.transformed(by: .scale(scale))
            let key = label.identity.map { "\($0) \(scale) \(shift.dx) \(shift.dy)" }
            let drawn = try Placing.draw(
                shrunk.marks, at: shift, opacity: opacity, blend: blend, space: space, onto: picture, cache: LabelCache.shared,
                key: key)
            layer = Layer(drawn)
        } else if !placed.marks.isEmpty {
            layer.marks += [.group(Group(marks: placed.marks, opacity: opacity, blend: blend, space: space))]
            layer.outline = base.outline.flatMap { below in placed.outline.map { .union([below, $0]) } }
        }
        layer.text = placed.text ?? base.text
        return layer
    }

    /// The same at all places of a lattice. Marks become pixels for it: their frame, grown by their reach.
    ///
    /// - Parameters:
    ///   - tile: tile (0, 0) from the top left of the base's frame.
    ///   - key: names it; nil: it will not recur.
    func `repeat`(_ tile: Layer, key: String?, _ lattice: Tiling.Lattice, on base: Layer) throws -> Layer {
        var origin = Vector.zero
        var page = base.picture
        if page == nil {
            let box = base.frame.roundedOut.union(base.reach)
            if box.isEmpty { return base }
            page = Picture(try base.image(in: box))
            origin = Vector(dx: Double(box.x), dy: Double(box.y))
        }
        guard let page else { return base }
        let corner = Point(x: origin.dx, y: origin.dy)
        let shift = base.frame.point(.topLeft) - corner
        let drawn = try Tiling.draw(
            tile.moved(by: shift.wholePixels).marks, lattice, opacity: opacity, blend: blend, space: space, onto: page,
            cache: LabelCache.shared, key: base.picture == nil ? nil : key)
        var layer = Layer(drawn).moved(by: origin)
        layer.frame = base.frame
        layer.text = tile.text ?? base.text
        return layer
    }
}
