import LabelpipeKit
import Outline

/// A part of a colour glyph, bottom to top among its like. em, y down
indirect enum ColourPart {
    /// nil: painted like the rest of the text.
    case fill(Outline, Paint?)
    case group([ColourPart], opacity: Double, blend: BlendMode)

    var bounds: Rect {
        switch self {
        case .fill(let outline, _): outline.bounds
        case .group(let parts, _, _): parts.reduce(.null) { $0.union($1.bounds) }
        }
    }

    /// What is drawn, its silhouettes given to `edge`.
    func content(_ place: Affine, cut: Outline?, _ edge: (Outline) -> Void) -> Content {
        switch self {
        case .fill(let outline, let paint):
            let placed = outline.transformed(by: place)
            let seen = cut.map { placed.combined(with: $0, .intersect) } ?? placed
            edge(seen)
            return .fill(.outline(seen), paint?.transformed(by: place))
        case .group(let parts, let opacity, let blend):
            let contents = parts.map { $0.content(place, cut: cut, edge) }
            let body = Body(contents: contents, outline: nil, boxes: FillBoxes(text: .zero))
            return .marks([.group(Group(marks: [.body(body)], opacity: opacity, blend: blend))])
        }
    }
}

/// From a glyph's paints to parts that can be drawn.
///
/// Nil wherever something cannot be: gradients that repeat, radial ones between two centres, the text's own colour with an
/// alpha, and Porter-Duff modes of two pictures.
struct ColourPaints {
    let table: ColourTable
    let palette: [Color]
    /// Glyphs' outlines in em, y down.
    let path: (UInt32) -> Path
    /// Font units to em, y down.
    let toEm: Affine

    /// Fonts are other people's: paints may contain each other.
    private static let depth = 32
    private static let limit = 4096

    func parts(of glyph: UInt32) -> [ColourPart]? {
        guard let paint = table.paint(of: glyph) else { return nil }
        var count = 0
        return parts(paint, .identity, nil, ColourPaints.depth, &count)
    }

    /// - Parameters:
    ///   - map: from the paint's plane to the glyph's, in font units.
    ///   - clip: what the paint is seen through. em
    private func parts(_ at: Int, _ map: Affine, _ clip: Outline?, _ depth: Int, _ count: inout Int) -> [ColourPart]? {
        count += 1
        guard depth > 0, count < ColourPaints.limit, let entry = table.entry(at: at) else { return nil }
        switch entry {
        case .layers(let layers):
            var all: [ColourPart] = []
            for layer in layers {
                guard let parts = parts(layer, map, clip, depth - 1, &count) else { return nil }
                all += parts
            }
            return all
        case .colourGlyph(let glyph):
            guard let paint = table.paint(of: glyph) else { return nil }
            return parts(paint, map, clip, depth - 1, &count)
        case .transform(let own, let child): return parts(child, own.then(map), clip, depth - 1, &count)
        case .glyph(let glyph, let child):
            guard let back = toEm.inverse else { return nil }
            let outline = Outline(path(glyph)).transformed(by: back.then(map).then(toEm))
            let seen = clip.map { outline.combined(with: $0, .intersect) } ?? outline
            return seen.isEmpty ? [] : parts(child, map, seen, depth - 1, &count)
        case .composite(let source, let mode, let backdrop):
            return composite(source, mode, backdrop, map, clip, depth - 1, &count)
        case .solid, .linear, .radial, .sweep:
            // Without a shape round it a paint has no end.
            guard let clip, let ink = ink(entry, map) else { return nil }
            return [.fill(clip, ink.paint)]
        }
    }

    private func composite(
        _ source: Int, _ mode: Int, _ backdrop: Int, _ map: Affine, _ clip: Outline?, _ depth: Int, _ count: inout Int
    ) -> [ColourPart]? {
        func parts(_ at: Int, _ count: inout Int) -> [ColourPart]? { self.parts(at, map, clip, depth, &count) }
        func alpha(_ at: Int) -> Double? {
            if case .solid(let stop)? = table.entry(at: at) { color(stop)?.alpha ?? stop.alpha } else { nil }
        }
        switch mode {
        case 0: return []
        case 1: return parts(source, &count)
        case 2: return parts(backdrop, &count)
        // One inside a plain colour is that one with its alpha.
        case 5: return alpha(backdrop).flatMap { a in parts(source, &count).map { [.group($0, opacity: a, blend: .normal)] } }
        case 6: return alpha(source).flatMap { a in parts(backdrop, &count).map { [.group($0, opacity: a, blend: .normal)] } }
        default: break
        }
        guard let above = parts(source, &count), let below = parts(backdrop, &count) else { return nil }
        if mode == 3 { return below + above }
        if mode == 4 { return above + below }
        guard let blend = ColourPaints.blends[mode] else { return nil }
        return [.group(below + [.group(above, opacity: 1, blend: blend)], opacity: 1, blend: .normal)]
    }

    private static let blends: [Int: BlendMode] = [
        12: .plusLighter, 13: .screen, 14: .overlay, 15: .darken, 16: .lighten, 17: .colorDodge, 18: .colorBurn, 19: .hardLight,
        20: .softLight, 21: .difference, 22: .exclusion, 23: .multiply, 24: .hue, 25: .saturation, 26: .color, 27: .luminosity,
    ]

    // MARK: Colours

    private enum Ink {
        case text
        case paint(Paint)

        var paint: Paint? { if case .paint(let paint) = self { paint } else { nil } }
    }

    private func ink(_ entry: ColourTable.Entry, _ map: Affine) -> Ink? {
        let transform = map.then(toEm)
        func gradient(_ shape: Gradient.Shape, _ stops: [Gradient.Stop]?) -> Ink? {
            stops.map { .paint(.gradient(Gradient(shape: shape, stops: $0, transform: transform))) }
        }
        switch entry {
        case .solid(let stop):
            if stop.index == 0xFFFF { return stop.alpha == 1 ? .text : nil }
            return color(stop).map { .paint(.color($0)) }
        case .linear(let line, let start, let end):
            let (low, high) = ColourPaints.ends(line)
            return gradient(
                .linear(start: start + (end - start) * low, end: start + (end - start) * high),
                stops(line) { ($0 - low) / (high - low) })
        case .radial(let line, let center, let r0, let other, let r1):
            let (low, high) = ColourPaints.ends(line)
            let (inner, outer) = (r0 + (r1 - r0) * low, r0 + (r1 - r0) * high)
            guard center == other, outer > inner, inner >= 0 else { return nil }
            return gradient(.radial(center: center, radius: outer), stops(line) { (r0 + (r1 - r0) * $0) / outer })
        case .sweep(let line, let center, let start, let end):
            // A conic's 0 is upwards on screen, which is a quarter turn before the right in a plane whose y points up.
            return gradient(
                .conic(center: center, angle: 90), stops(line) { min(max((start + (end - start) * $0) / 360, 0), 1) })
        default: return nil
        }
    }

    private static func ends(_ line: ColourTable.Line) -> (Double, Double) {
        let (low, high) = (line.stops.first?.place ?? 0, line.stops.last?.place ?? 1)
        return high > low ? (low, high) : (low, low + 1e-6)
    }

    private func stops(_ line: ColourTable.Line, _ place: (Double) -> Double) -> [Gradient.Stop]? {
        guard line.extend == 0 else { return nil }
        var stops: [Gradient.Stop] = []
        for stop in line.stops {
            guard let color = color(stop) else { return nil }
            stops.append(Gradient.Stop(position: min(max(place(stop.place), stops.last?.position ?? 0), 1), color: color))
        }
        return stops
    }

    private func color(_ stop: ColourTable.ColourStop) -> Color? {
        guard palette.indices.contains(stop.index) else { return nil }
        var color = palette[stop.index]
        color.alpha *= min(max(stop.alpha, 0), 1)
        return color
    }
}
