import CLabelpipePlugin
import LabelpipeDrawing
import LabelpipeKit
import Outline
import Vips

/// A layer as the border has it, and the image that keeps it alive during a call.
struct CallLayer {
    let layer: Layer
    let facts: PluginFacts.InputFacts
    /// What its image covers.
    let box: Region

    init(_ layer: Layer, _ facts: PluginFacts.InputFacts) {
        (self.layer, self.facts) = (layer, facts)
        let all = layer.frame.roundedOut.union(layer.reach)
        box = layer.reach.isEmpty || all.isEmpty ? Region(x: 0, y: 0, width: 0, height: 0) : all
    }

    /// Whether 8 bits a sample are too few for it.
    var isDeep: Bool { layer.marks.contains(where: \.isDeep) }

    /// Without its image, as geometry wants it.
    func described(_ arena: Arena) -> lp_layer {
        var described = lp_layer()
        described.size = UInt32(MemoryLayout<lp_layer>.size)
        described.kind = layer.kind == .coverage ? LP_COVERAGE : LP_COLOUR
        described.depth = isDeep ? 16 : 8
        described.alpha = layer.kind == .coverage ? 0 : facts.alpha
        described.frame = layer.frame.numbers
        described.reach = layer.reach.numbers
        (described.x, described.y) = (Double(box.x), Double(box.y))
        if let text = layer.text {
            described.has_text = 1
            described.em = text.size
            described.baseline = (text.baseline.x, text.baseline.y)
        }
        if let outline = layer.outline { described.outline = arena.outline(outline.polygons()) }
        return described
    }

    /// Float, 0 to 255: colour with four bands, coverage with one. nil where there is nothing to see.
    func image() throws -> Image? {
        guard !box.isEmpty else { return nil }
        let straight = try layer.image(in: box)
        let full: Double = straight.format == .ushort ? 257 : 1
        func scaled(_ image: Image) throws -> Image {
            full == 1 ? image : try Operation("linear").set("in", image).set("a", [1 / full]).set("b", [0.0]).image()
        }
        if layer.kind == .coverage { return try scaled(straight.extractBand(3)).cast(.float).copy(interpretation: .bw) }
        guard facts.alpha == LP_PREMULTIPLIED else { return try scaled(straight).cast(.float).copy(interpretation: .srgb) }
        let most = straight.format == .ushort ? 65535.0 : 255
        let image = try Operation("premultiply").set("in", straight).set("max_alpha", most).image()
        return try scaled(image).copy(interpretation: .srgb)
    }
}

extension Rect {
    var numbers: (Double, Double, Double, Double) { (x, y, width, height) }
}

extension Region {
    var numbers: (Double, Double, Double, Double) { (Double(x), Double(y), Double(width), Double(height)) }
}

extension Arena {
    func outline(_ polygons: Polygons) -> UnsafePointer<lp_outline> {
        var outline = lp_outline()
        outline.size = UInt32(MemoryLayout<lp_outline>.size)
        outline.contour_count = UInt32(polygons.contourCount)
        outline.point_counts = UnsafePointer(copy((0..<polygons.contourCount).map { UInt32(polygons.contour($0).count) }))
        outline.points = UnsafePointer(copy(polygons.coordinates))
        return UnsafePointer(copy([outline]))
    }
}
