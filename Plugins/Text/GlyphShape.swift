import CText
import LabelpipeKit
import Outline
import Vips

/// What one glyph of a face looks like. em, y down, the pen origin at (0, 0)
final class GlyphShape {
    enum Look {
        case outline(Path)
        /// Parts of a colour font's glyph (COLR), bottom to top.
        case parts([ColourPart])
        /// A colour font's picture (CBDT, sbix) as PNG, stretched over the bounds.
        case picture([UInt8])
    }

    let look: Look
    /// Tight; null where nothing is drawn.
    let bounds: Rect
    /// The font has colours for it, and they cannot be drawn.
    let hasLostColours: Bool
    private var decoded: Image?

    /// The picture, decoded once; nil where there is none.
    func image() throws -> Image? {
        guard case .picture(let png) = look else { return nil }
        if decoded == nil { decoded = try ColourPicture.decode(png) }
        return decoded
    }

    init(_ glyph: UInt32, of face: Face) {
        if face.hasPictures, let (png, box) = GlyphShape.picture(glyph, of: face) {
            look = .picture(png)
            bounds = box
            hasLostColours = false
            return
        }
        let painted = face.colours.flatMap { table in
            ColourPaints(
                table: table, palette: GlyphShape.palette(of: face), path: { GlyphShape.path($0, of: face) },
                toEm: .scale(sx: 64 * face.em, sy: -64 * face.em)
            ).parts(of: glyph)
        }
        hasLostColours = painted == nil && face.colours?.paint(of: glyph) != nil
        let parts = painted ?? (face.hasLayers ? GlyphShape.layers(glyph, of: face) : [])
        if !parts.isEmpty {
            look = .parts(parts)
            bounds = parts.reduce(Rect.null) { $0.union($1.bounds) }
            return
        }
        let path = GlyphShape.path(glyph, of: face)
        look = .outline(path)
        bounds = path.bounds
    }

    /// The outline, unhinted.
    static func path(_ glyph: UInt32, of face: Face) -> Path {
        let pen = Pen(em: face.em)
        lpt_draw_glyph(face.hb, glyph, Pen.functions, Unmanaged.passUnretained(pen).toOpaque())
        return face.isEmboldened ? pen.path.emboldened(by: 1 / 24) : pen.path
    }

    private static func picture(_ glyph: UInt32, of face: Face) -> ([UInt8], Rect)? {
        guard let blob = hb_ot_color_glyph_reference_png(face.hb, glyph) else { return nil }
        defer { hb_blob_destroy(blob) }
        var length: UInt32 = 0
        var extents = hb_glyph_extents_t()
        guard let bytes = hb_blob_get_data(blob, &length), length > 0, hb_font_get_glyph_extents(face.hb, glyph, &extents) != 0
        else { return nil }
        let png = [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(length)))
        let box = Rect(
            x: Double(extents.x_bearing) * face.em, y: -Double(extents.y_bearing) * face.em,
            width: Double(extents.width) * face.em, height: -Double(extents.height) * face.em)
        return box.isEmpty ? nil : (png, box)
    }

    private static func layers(_ glyph: UInt32, of face: Face) -> [ColourPart] {
        let hbFace = hb_font_get_face(face.hb)
        var count = hb_ot_color_glyph_get_layers(hbFace, glyph, 0, nil, nil)
        guard count > 0 else { return [] }
        let found = [hb_ot_color_layer_t](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
            hb_ot_color_glyph_get_layers(hbFace, glyph, 0, &count, buffer.baseAddress)
            initialized = Int(count)
        }
        let palette = palette(of: face)
        return found.compactMap { layer in
            let path = GlyphShape.path(layer.glyph, of: face)
            if path.elements.isEmpty { return nil }
            // 0xFFFF: the text's own colour.
            let color = palette.indices.contains(Int(layer.color_index)) ? palette[Int(layer.color_index)] : nil
            return .fill(Outline(path), color.map { .color($0) })
        }
    }

    /// The first palette of a colour font.
    private static func palette(of face: Face) -> [Color] {
        let hbFace = hb_font_get_face(face.hb)
        var size = hb_ot_color_palette_get_colors(hbFace, 0, 0, nil, nil)
        guard size > 0 else { return [] }
        let palette = [hb_color_t](unsafeUninitializedCapacity: Int(size)) { buffer, initialized in
            hb_ot_color_palette_get_colors(hbFace, 0, 0, &size, buffer.baseAddress)
            initialized = Int(size)
        }
        return palette.map { bgra in
            func channel(_ shift: UInt32) -> Double { Double((bgra >> shift) & 0xFF) / 255 }
            return Color(red: channel(8), green: channel(16), blue: channel(24), alpha: channel(0))
        }
    }
}

/// Collects what HarfBuzz draws.
private final class Pen {
    var path = Path()
    private let em: Double

    init(em: Double) { self.em = em }

    func point(_ x: Float, _ y: Float) -> Point { Point(x: Double(x) * em, y: -Double(y) * em) }

    // Unsafe: written once, here, and made immutable; HarfBuzz only reads it after that.
    nonisolated(unsafe) static let functions: OpaquePointer = {
        let functions: OpaquePointer = hb_draw_funcs_create()
        hb_draw_funcs_set_move_to_func(
            functions, { _, data, _, x, y, _ in data.pen?.move(x, y) }, nil, nil)
        hb_draw_funcs_set_line_to_func(
            functions, { _, data, _, x, y, _ in data.pen?.line(x, y) }, nil, nil)
        hb_draw_funcs_set_quadratic_to_func(
            functions, { _, data, _, cx, cy, x, y, _ in data.pen?.quadratic(cx, cy, x, y) }, nil, nil)
        hb_draw_funcs_set_cubic_to_func(
            functions, { _, data, _, ax, ay, bx, by, x, y, _ in data.pen?.cubic(ax, ay, bx, by, x, y) }, nil, nil)
        hb_draw_funcs_set_close_path_func(functions, { _, data, _, _ in data.pen?.path.close() }, nil, nil)
        hb_draw_funcs_make_immutable(functions)
        return functions
    }()

    func move(_ x: Float, _ y: Float) { path.move(to: point(x, y)) }
    func line(_ x: Float, _ y: Float) { path.line(to: point(x, y)) }
    func quadratic(_ cx: Float, _ cy: Float, _ x: Float, _ y: Float) { path.quadratic(point(cx, cy), to: point(x, y)) }
    func cubic(_ ax: Float, _ ay: Float, _ bx: Float, _ by: Float, _ x: Float, _ y: Float) {
        path.cubic(point(ax, ay), point(bx, by), to: point(x, y))
    }
}

extension UnsafeMutableRawPointer? {
    fileprivate var pen: Pen? { map { Unmanaged<Pen>.fromOpaque($0).takeUnretainedValue() } }
}
