import LabelpipeKit
import Outline

/// Reads a font's COLR table of version 1: what colour glyphs are painted with.
///
/// Font units, y up. Variations of the paints themselves are left at their default.
/// **Source**: OpenType 1.9.1, "COLR — Color table".
struct ColourTable {
    /// What a paint says, its own offsets resolved.
    indirect enum Entry {
        case layers([Int])
        case solid(ColourStop)
        case linear(Line, Point, Point)
        case radial(Line, Point, Double, Point, Double)
        /// Degrees, counter-clockwise from the right.
        case sweep(Line, Point, start: Double, end: Double)
        case glyph(UInt32, Int)
        case colourGlyph(UInt32)
        case transform(Affine, Int)
        case composite(source: Int, mode: Int, backdrop: Int)
    }

    /// A colour of the palette at a place of a line.
    struct ColourStop {
        var place: Double
        /// 0xFFFF: the text's own colour.
        let index: Int
        let alpha: Double
    }

    struct Line {
        /// 0: the end colours go on.
        let extend: Int
        let stops: [ColourStop]
    }

    private let bytes: [UInt8]
    private let glyphs: Int
    private let layers: Int

    /// Nil: no table, or none of version 1.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.count >= 34, ColourTable.number(bytes, 0, 2) == 1 else { return nil }
        (glyphs, layers) = (ColourTable.number(bytes, 14, 4), ColourTable.number(bytes, 18, 4))
        guard glyphs != 0, glyphs + 4 <= bytes.count else { return nil }
    }

    /// Where the paint of a glyph is; nil: it has none.
    func paint(of glyph: UInt32) -> Int? {
        let count = number(glyphs, 4)
        guard count > 0, glyphs + 4 + 6 * count <= bytes.count else { return nil }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let record = glyphs + 4 + 6 * middle
            let found = number(record, 2)
            if found == Int(glyph) { return glyphs + number(record + 2, 4) }
            if found < Int(glyph) { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// The paint at a place; nil: one that is not known, or cut off.
    func entry(at p: Int) -> Entry? {
        guard p > 0, p + 2 <= bytes.count else { return nil }
        let format = number(p, 1)
        func child(_ at: Int) -> Int { p + number(at, 3) }
        func about(_ at: Int, _ map: Affine) -> Affine { map.about(point(at)) }
        // Formats with an odd number are as the one before, with variations behind.
        switch format {
        case 1:
            let (count, first) = (number(p + 1, 1), number(p + 2, 4))
            guard layers != 0, first + count <= number(layers, 4) else { return nil }
            return .layers((first..<first + count).map { layers + number(layers + 4 + 4 * $0, 4) })
        case 2, 3: return .solid(ColourStop(place: 0, index: number(p + 1, 2), alpha: fraction(p + 3)))
        case 4, 5:
            guard let line = line(child(p + 1), isVarying: format == 5) else { return nil }
            return .linear(line, point(p + 4), ColourTable.end(point(p + 4), point(p + 8), point(p + 12)))
        case 6, 7:
            guard let line = line(child(p + 1), isVarying: format == 7) else { return nil }
            return .radial(line, point(p + 4), Double(number(p + 8, 2)), point(p + 10), Double(number(p + 14, 2)))
        case 8, 9:
            guard let line = line(child(p + 1), isVarying: format == 9) else { return nil }
            return .sweep(line, point(p + 4), start: 180 * (fraction(p + 8) + 1), end: 180 * (fraction(p + 10) + 1))
        case 10: return .glyph(UInt32(number(p + 4, 2)), child(p + 1))
        case 11: return .colourGlyph(UInt32(number(p + 1, 2)))
        case 12, 13:
            let t = child(p + 4)
            func fixed(_ i: Int) -> Double { Double(signed(t + 4 * i, 4)) / 65536 }
            return .transform(
                Affine(a: fixed(0), b: fixed(1), c: fixed(2), d: fixed(3), tx: fixed(4), ty: fixed(5)), child(p + 1))
        case 14, 15: return .transform(.translation(point(p + 4) - .zero), child(p + 1))
        case 16, 17: return .transform(.scale(sx: fraction(p + 4), sy: fraction(p + 6)), child(p + 1))
        case 18, 19: return .transform(about(p + 8, .scale(sx: fraction(p + 4), sy: fraction(p + 6))), child(p + 1))
        case 20, 21: return .transform(.scale(fraction(p + 4)), child(p + 1))
        case 22, 23: return .transform(about(p + 6, .scale(fraction(p + 4))), child(p + 1))
        // A positive turn in a plane whose y points up.
        case 24, 25: return .transform(.rotation(degrees: 180 * fraction(p + 4)), child(p + 1))
        case 26, 27: return .transform(about(p + 6, .rotation(degrees: 180 * fraction(p + 4))), child(p + 1))
        case 28, 29: return .transform(skew(p + 4), child(p + 1))
        case 30, 31: return .transform(about(p + 8, skew(p + 4)), child(p + 1))
        case 32: return .composite(source: child(p + 1), mode: number(p + 4, 1), backdrop: child(p + 5))
        default: return nil
        }
    }

    /// The gradient's lines run along `turn`: where the perpendicular of that meets the line through `end`.
    private static func end(_ start: Point, _ end: Point, _ turn: Point) -> Point {
        let (axis, along) = (end - start, turn - start)
        let square = along.dx * along.dx + along.dy * along.dy
        guard square > 0 else { return end }
        let share = (axis.dx * along.dx + axis.dy * along.dy) / square
        return end + along * -share
    }

    private func line(_ at: Int, isVarying: Bool) -> Line? {
        let (count, size) = (number(at + 1, 2), isVarying ? 10 : 6)
        guard count > 0, at + 3 + count * size <= bytes.count else { return nil }
        let stops = (0..<count).map { i in
            let stop = at + 3 + size * i
            return ColourStop(place: fraction(stop), index: number(stop + 2, 2), alpha: fraction(stop + 4))
        }
        return Line(extend: number(at, 1), stops: stops.sorted { $0.place < $1.place })
    }

    private func skew(_ at: Int) -> Affine {
        func slope(_ at: Int) -> Double {
            // tan, by the turn of an axis.
            let turned = Affine.rotation(degrees: 180 * fraction(at)).apply(Vector(dx: 1, dy: 0))
            return turned.dx == 0 ? 0 : turned.dy / turned.dx
        }
        return Affine(a: 1, b: slope(at + 2), c: -slope(at), d: 1, tx: 0, ty: 0)
    }

    // MARK: Numbers

    /// 0 beyond the table's end.
    private func number(_ at: Int, _ count: Int) -> Int { ColourTable.number(bytes, at, count) }

    private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
        guard at >= 0, at + count <= bytes.count else { return 0 }
        return bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private func signed(_ at: Int, _ count: Int) -> Int {
        let value = number(at, count)
        return value >= 1 << (8 * count - 1) ? value - 1 << (8 * count) : value
    }

    /// A number of 2 and 14 bits.
    private func fraction(_ at: Int) -> Double { Double(signed(at, 2)) / 16384 }

    private func point(_ at: Int) -> Point { Point(x: Double(signed(at, 2)), y: Double(signed(at + 2, 2))) }
}
