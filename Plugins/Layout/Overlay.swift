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
        if !placed.marks.isEmpty {
            layer.marks += [.group(Group(marks: placed.marks, opacity: opacity, blend: blend, space: space))]
            layer.outline = base.outline.flatMap { below in placed.outline.map { .union([below, $0]) } }
        }
        layer.text = placed.text ?? base.text
        return layer
    }
}
