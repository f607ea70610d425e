import LabelpipeKit
import Outline
import Vips

/// A label blended into a picture's own samples.
enum Blending {
    /// - Parameters:
    ///   - region: which part of the label; inside `label.region`.
    ///   - base: the sample where the region's top left pixel comes to lie.
    static func blend(
        _ label: LabelPixels, _ region: Region, onto base: UnsafeMutableRawPointer, rowStride: Int, _ encoding: Encoding,
        _ mode: BlendMode, _ space: BlendSpace
    ) {
        let bytes = encoding.bands * encoding.format.bytesPerSample
        for y in region.y..<region.maxY {
            let row = y &- label.region.y
            let span = label.spans[row]
            let start = max(region.x &- label.region.x, span.start)
            let end = min(region.maxX &- label.region.x, span.end)
            if start >= end { continue }
            let index = row &* label.region.width &+ start
            let out = base + (y &- region.y) &* rowStride + (start &- region.x &+ label.region.x) &* bytes
            let count = end &- start
            if label.words != nil {
                let samples = out.assumingMemoryBound(to: UInt8.self)
                switch (encoding.model, encoding.hasAlpha) {
                case (.grey, false): opaque(label, index, samples, 1, count)
                case (.rgb, false): opaque(label, index, samples, 3, count)
                case (.cmyk, false): opaque(label, index, samples, 4, count)
                case (.grey, true): translucent(label, index, samples, 1, count)
                case (.rgb, true): translucent(label, index, samples, 3, count)
                case (.cmyk, true): translucent(label, index, samples, 4, count)
                }
                continue
            }
            let blender = Blender(encoding: encoding, mode: mode, space: space)
            switch encoding.format {
            case .uchar: blender.row(label, index, out.assumingMemoryBound(to: UInt8.self), count)
            case .ushort: blender.row(label, index, out.assumingMemoryBound(to: UInt16.self), count)
            case .char: blender.wideRow(label, index, out.assumingMemoryBound(to: Int8.self), count)
            case .short: blender.wideRow(label, index, out.assumingMemoryBound(to: Int16.self), count)
            case .uint: blender.wideRow(label, index, out.assumingMemoryBound(to: UInt32.self), count)
            case .int: blender.wideRow(label, index, out.assumingMemoryBound(to: Int32.self), count)
            default: blender.row(label, index, out.assumingMemoryBound(to: Float.self), count)
            }
        }
    }

    /// 8 bit without alpha, normal: base · (1 − α) + label, rounded once.
    @inline(__always)
    private static func opaque(
        _ label: LabelPixels, _ index: Int, _ base: UnsafeMutablePointer<UInt8>, _ channels: Int, _ count: Int
    ) {
        guard let words = label.words else { return }
        var source = UnsafePointer(words + index &* (channels &+ 1))
        var out = base
        for _ in 0..<count {
            let rest = 65535 &- UInt32(source[channels])
            if rest != 65535 {
                for k in 0..<channels {
                    let sum = UInt32(source[k]) &* 255 &+ UInt32(out[k]) &* rest &+ 32767
                    // sum / 65535, exact in this range.
                    out[k] = UInt8(truncatingIfNeeded: (sum &+ 1 &+ ((sum &+ 1) >> 16)) >> 16)
                }
            }
            source += channels &+ 1
            out += channels
        }
    }

    /// 8 bit with straight alpha, normal.
    @inline(__always)
    private static func translucent(
        _ label: LabelPixels, _ index: Int, _ base: UnsafeMutablePointer<UInt8>, _ channels: Int, _ count: Int
    ) {
        guard let words = label.words else { return }
        var source = UnsafePointer(words + index &* (channels &+ 1))
        var out = base
        for _ in 0..<count {
            let a = Float(source[channels]) / 65535
            if a != 0 {
                let below = Float(out[channels]) / 255 * (1 - a)
                let alpha = a + below
                for k in 0..<channels {
                    let sum = Float(source[k]) * (255 / 65535) + Float(out[k]) * below
                    out[k] = UInt8(min(max((sum / alpha).rounded(), 0), 255))
                }
                out[channels] = UInt8(min((alpha * 255).rounded(), 255))
            }
            source += channels &+ 1
            out += channels &+ 1
        }
    }
}

/// Every other case: straight colours from 0 to 1, pixel by pixel.
private struct Blender {
    let encoding: Encoding
    let mode: BlendMode
    let space: BlendSpace

    @inline(__always)
    func row<Sample: BinaryFloatingPoint>(_ label: LabelPixels, _ index: Int, _ base: UnsafeMutablePointer<Sample>, _ count: Int)
    {
        let (k, inverse) = (encoding.full, 1 / encoding.full)
        each(label, index, base, count, read: { Float($0) * inverse }, write: { Sample($0 * k) })
    }

    @inline(__always)
    func row<Sample: FixedWidthInteger>(_ label: LabelPixels, _ index: Int, _ base: UnsafeMutablePointer<Sample>, _ count: Int) {
        let (k, inverse) = (encoding.full, 1 / encoding.full)
        each(
            label, index, base, count, read: { Float($0) * inverse },
            write: { Sample(truncatingIfNeeded: Int32(min(max($0 * k, 0), k) + 0.5)) })
    }

    /// Samples that may be below 0 or of more bits than a float has: those that are blended are rounded to a float's 24.
    func wideRow<Sample: FixedWidthInteger>(
        _ label: LabelPixels, _ index: Int, _ base: UnsafeMutablePointer<Sample>, _ count: Int
    ) {
        let (k, inverse) = (encoding.full, 1 / encoding.full)
        each(
            label, index, base, count, read: { Float($0) * inverse },
            write: { Sample(clamping: Int64((max(min($0, 2), -2) * k).rounded())) })
    }

    @inline(__always)
    private func each<Sample>(
        _ label: LabelPixels, _ index: Int, _ base: UnsafeMutablePointer<Sample>, _ count: Int, read: (Sample) -> Float,
        write: (Float) -> Sample
    ) {
        // Constants, so that each loop is made for its number of channels.
        switch encoding.channels {
        case 1: each(1, label, index, base, count, read, write)
        case 3: each(3, label, index, base, count, read, write)
        default: each(4, label, index, base, count, read, write)
        }
    }

    @inline(__always)
    private func each<Sample>(
        _ channels: Int, _ label: LabelPixels, _ index: Int, _ base: UnsafeMutablePointer<Sample>, _ count: Int,
        _ read: (Sample) -> Float, _ write: (Float) -> Sample
    ) {
        guard let floats = label.floats else { return }
        let isSimple = (mode == .normal && (space == .srgb) != encoding.isLinear) || (mode == .normal && encoding.model == .cmyk)
        let hasAlpha = encoding.hasAlpha
        var out = base
        var source = UnsafePointer(floats + index &* (channels &+ 1))
        for _ in 0..<count {
            let a = source[channels]
            if a != 0 {
                let above = LabelPixels.lanes(channels) { source[$0] }
                let below = LabelPixels.lanes(channels) { read(out[$0]) }
                let b = hasAlpha ? min(max(read(out[channels]), 0), 1) : 1
                let (colour, alpha) = isSimple ? mixed(above, a, below, b) : blend(above, a, below, b)
                out[0] = write(colour.x)
                if channels > 1 { (out[1], out[2]) = (write(colour.y), write(colour.z)) }
                if channels > 3 { out[3] = write(colour.w) }
                if hasAlpha { out[channels] = write(alpha) }
            }
            out += hasAlpha ? channels &+ 1 : channels
            source += channels &+ 1
        }
    }

    /// Straight colours; grey is in the first lane only.
    private func blend(_ above: Pixel, _ a: Float, _ below: Pixel, _ b: Float) -> (Pixel, Float) {
        if encoding.model == .cmyk { return cmyk(above, a, below, b) }
        // Grey is looked at as a colour, since the modes that are not separable need three channels.
        let s = encoding.model == .grey ? Pixel(repeating: above.x) : above
        let c = encoding.model == .grey ? Pixel(repeating: below.x) : below
        switch (encoding.isLinear, space) {
        case (false, .srgb), (true, .linear): return modal(s, a, c, b)
        case (false, .linear):
            if let curves = encoding.converter?.curves {
                let (colour, alpha) = modal(curves.decode(s), a, curves.decode(c), b)
                return (curves.encode(colour), alpha)
            }
            let (colour, alpha) = modal(Transfer.decode(s), a, Transfer.decode(c), b)
            return (Transfer.encode(colour), alpha)
        case (true, .srgb):
            let (colour, alpha) = modal(Transfer.encode(s), a, Transfer.encode(c), b)
            return (Transfer.decode(colour), alpha)
        }
    }

    @inline(__always)
    private func modal(_ above: Pixel, _ a: Float, _ below: Pixel, _ b: Float) -> (Pixel, Float) {
        if mode == .normal { return mixed(above, a, below, b) }
        if mode == .plusLighter {
            let alpha = min(a + b, 1)
            return (pointwiseMin(above * a + below * b, Pixel(repeating: 1)) / alpha, alpha)
        }
        let met = BlendFormula.mix(mode, below: below, above: above)
        return mixed(above * (1 - b) + met * b, a, below, b)
    }

    /// Inks are blended as the light they leave; black follows the separable modes, and the luminosity's owner in the others.
    ///
    /// **Source**: ISO 32000-1, 11.3.5.3.
    @inline(__always)
    private func cmyk(_ above: Pixel, _ a: Float, _ below: Pixel, _ b: Float) -> (Pixel, Float) {
        let one = Pixel(repeating: 1)
        let (s, c) = (one - above, one - below)
        if mode == .plusLighter {
            let (colour, alpha) = modal(s, a, c, b)
            return (one - colour, alpha)
        }
        var met = BlendFormula.mix(mode, below: c, above: s)
        switch mode {
        case .hue, .saturation, .color: met.w = c.w
        case .luminosity: met.w = s.w
        case .colorDodge, .colorBurn, .softLight:
            met.w = BlendFormula.mix(mode, below: Pixel(repeating: c.w), above: Pixel(repeating: s.w)).x
        default: break
        }
        let (colour, alpha) = mixed(s * (1 - b) + met * b, a, c, b)
        return (one - colour, alpha)
    }

    /// Over, on straight colours.
    @inline(__always)
    private func mixed(_ above: Pixel, _ a: Float, _ below: Pixel, _ b: Float) -> (Pixel, Float) {
        // An opaque label is its own colour, to the bit.
        if a >= 1 { return (above, 1) }
        if b >= 1 { return (below + (above - below) * a, 1) }
        let rest = b * (1 - a)
        let alpha = a + rest
        return ((above * a + below * rest) / alpha, alpha)
    }
}
