import CText
import LabelpipeKit
import Outline

/// One face at one setting of its axes, with its metrics and glyphs in em: nothing here depends on the size.
final class Face {
    /// Em to one unit of `hb`. 64 units to one of the font's, so that fractions of varied outlines survive.
    let em: Double
    let hb: OpaquePointer
    /// As fontconfig names it.
    let name: String
    let families: [String]
    let file: String
    /// Nothing bold was found and fontconfig asks for a drawn one.
    let isEmboldened: Bool
    /// Nothing slanted was found and fontconfig asks for a slanted one.
    let isSlanted: Bool
    /// Axes of a variable font, by tag.
    let axes: [(tag: String, range: ClosedRange<Double>)]
    /// Whether HarfBuzz can read the file at all.
    let isReadable: Bool

    var used: UsedFile {
        UsedFile(name: name + (isEmboldened ? ", drawn bold" : "") + (isSlanted ? ", slanted" : ""), path: file)
    }

    /// Above the baseline.
    let ascent: Double
    /// Below the baseline, positive.
    let descent: Double
    let capHeight: Double
    let xHeight: Double
    let underline: Bar
    let strikethrough: Bar
    let space: Double

    let hasPictures: Bool
    let hasLayers: Bool
    /// Colours that are gradients and transforms (COLR version 1).
    let colours: ColourTable?

    private let font: UnsafeMutablePointer<PangoFont>
    private var shapes: [UInt32: GlyphShape] = [:]

    /// A horizontal bar along a line. em, y down from the baseline
    struct Bar {
        let top: Double
        let thickness: Double
    }

    init(_ font: UnsafeMutablePointer<PangoFont>) {
        // Kept: the address is what faces are known by.
        self.font = font
        g_object_ref(font)
        let pattern = lpt_font_pattern(font)
        families = strings(FC_FAMILY, of: pattern)
        file = strings(FC_FILE, of: pattern).first ?? ""
        let style = strings(FC_STYLE, of: pattern).first
        name = strings(FC_FULLNAME, of: pattern).first ?? [families.first, style].compactMap { $0 }.joined(separator: " ")
        var bold: FcBool = 0
        let wantsBold = pattern.map { FcPatternGetBool($0, FC_EMBOLDEN, 0, &bold) == FcResultMatch && bold != 0 } ?? false

        let pango = pango_font_get_hb_font(font)
        let face = hb_font_get_face(pango)
        let hb: OpaquePointer = hb_font_create(face)
        let upem = Double(hb_face_get_upem(face))
        // Not Pango's own scale: what fontconfig makes of the size of bitmap and emoji fonts differs from machine to machine.
        hb_font_set_scale(hb, Int32(upem * 64), Int32(upem * 64))
        hasPictures = hb_ot_color_has_png(face) != 0
        // Pictures stay as they are: their boxes would only become wider.
        isEmboldened = wantsBold && !hasPictures
        let slant = hasPictures ? 0 : hb_font_get_synthetic_slant(pango)
        hb_font_set_synthetic_slant(hb, slant)
        isSlanted = slant != 0
        isReadable = hb_face_get_glyph_count(face) > 0
        axes = Face.axes(of: face)
        var count: UInt32 = 0
        if let coordinates = hb_font_get_var_coords_normalized(pango, &count) {
            hb_font_set_var_coords_normalized(hb, coordinates, count)
        }
        let em = 1 / (upem * 64)
        (self.hb, self.em) = (hb, em)
        hasLayers = hb_ot_color_has_layers(face) != 0
        colours = hasPictures ? nil : ColourTable(Face.colourTable(of: face))

        var extents = hb_font_extents_t()
        let known = hb_font_get_h_extents(hb, &extents) != 0 && extents.ascender - extents.descender > 0
        ascent = known ? Double(extents.ascender) * em : 0.8
        descent = known ? -Double(extents.descender) * em : 0.2

        func metric(_ tag: hb_ot_metrics_tag_t) -> Double? {
            var value: hb_position_t = 0
            return hb_ot_metrics_get_position(hb, tag, &value) != 0 ? Double(value) * em : nil
        }
        /// The top of a flat letter, for fonts that do not say.
        func top(of letter: Unicode.Scalar) -> Double? {
            var glyph: hb_codepoint_t = 0
            var box = hb_glyph_extents_t()
            guard hb_font_get_nominal_glyph(hb, letter.value, &glyph) != 0, hb_font_get_glyph_extents(hb, glyph, &box) != 0,
                box.y_bearing > 0
            else { return nil }
            return Double(box.y_bearing) * em
        }
        capHeight = metric(HB_OT_METRICS_TAG_CAP_HEIGHT).flatMap { $0 > 0 ? $0 : nil } ?? top(of: "H") ?? 0.7
        xHeight = metric(HB_OT_METRICS_TAG_X_HEIGHT).flatMap { $0 > 0 ? $0 : nil } ?? top(of: "x") ?? 0.5
        func bar(_ offset: hb_ot_metrics_tag_t, _ size: hb_ot_metrics_tag_t, otherwise top: Double) -> Bar {
            let thickness = metric(size).flatMap { $0 > 0 ? $0 : nil }
            return Bar(top: (thickness == nil ? nil : metric(offset)).map { -$0 } ?? top, thickness: thickness ?? 0.05)
        }
        underline = bar(HB_OT_METRICS_TAG_UNDERLINE_OFFSET, HB_OT_METRICS_TAG_UNDERLINE_SIZE, otherwise: 0.1)
        strikethrough = bar(HB_OT_METRICS_TAG_STRIKEOUT_OFFSET, HB_OT_METRICS_TAG_STRIKEOUT_SIZE, otherwise: -xHeight / 2 - 0.025)
        var glyph: hb_codepoint_t = 0
        space = hb_font_get_nominal_glyph(hb, 0x20, &glyph) != 0 ? Double(hb_font_get_glyph_h_advance(hb, glyph)) * em : 0.25
    }

    private static func colourTable(of face: OpaquePointer?) -> [UInt8] {
        let tag = "COLR".utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let table = hb_face_reference_table(face, tag)
        defer { hb_blob_destroy(table) }
        var length: UInt32 = 0
        guard let bytes = hb_blob_get_data(table, &length) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(length)))
    }

    private static func axes(of face: OpaquePointer?) -> [(tag: String, range: ClosedRange<Double>)] {
        var count = hb_ot_var_get_axis_count(face)
        if count == 0 { return [] }
        let infos = [hb_ot_var_axis_info_t](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
            hb_ot_var_get_axis_infos(face, 0, &count, buffer.baseAddress)
            initialized = Int(count)
        }
        return infos.map { info in
            let tag = String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: info.tag >> (24 - 8 * $0)) }, as: UTF8.self)
            let (low, high) = (Double(info.min_value), Double(info.max_value))
            return (tag, min(low, high)...max(low, high))
        }
    }

    deinit {
        hb_font_destroy(hb)
        g_object_unref(font)
    }

    func has(_ scalar: Unicode.Scalar) -> Bool {
        var glyph: hb_codepoint_t = 0
        return hb_font_get_nominal_glyph(hb, scalar.value, &glyph) != 0
    }

    /// What a glyph looks like. **Cost**: some µs the first time.
    func shape(_ glyph: UInt32) -> GlyphShape {
        if let known = shapes[glyph] { return known }
        let shape = GlyphShape(glyph, of: self)
        shapes[glyph] = shape
        return shape
    }
}
