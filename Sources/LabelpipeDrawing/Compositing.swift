import LabelpipeKit

/// Upper pixels laid onto lower ones, all premultiplied.
package enum Compositing {
    /// `above` over `below`.
    @inline(__always)
    package static func over(_ above: Pixel, _ below: Pixel) -> Pixel { above + below * (1 - above.w) }

    /// Two premultiplied pixels, both in the encoding that the mode works on.
    @inline(__always)
    static func blend(_ mode: BlendMode, _ above: Pixel, _ below: Pixel) -> Pixel {
        if mode == .normal { return over(above, below) }
        if mode == .plusLighter { return pointwiseMin(above + below, Pixel(repeating: 1)) }
        let (s, b) = (above.w, below.w)
        let mixed = BlendFormula.mix(mode, below: below.straight, above: above.straight)
        // co = (1 − αb)·cs + (1 − αs)·cb + αs·αb·B(Cb, Cs)
        var result = above * (1 - b) + below * (1 - s) + mixed * (s * b)
        result.w = s + b - s * b
        return result
    }

    /// Blends a row onto another. Where the upper one is transparent the lower stays as it is, bit for bit.
    package static func blend(
        _ above: UnsafePointer<Pixel>, onto below: UnsafeMutablePointer<Pixel>, count: Int, mode: BlendMode = .normal,
        space: BlendSpace = .srgb
    ) {
        if mode == .normal, space == .srgb {
            for i in 0..<count {
                let s = above[i]
                if s.w != 0 { below[i] = s + below[i] * (1 - s.w) }
            }
            return
        }
        for i in 0..<count where above[i].w != 0 {
            switch space {
            case .srgb: below[i] = blend(mode, above[i], below[i])
            case .linear: below[i] = recoded(blend(mode, decoded(above[i]), decoded(below[i])))
            }
        }
    }

    /// Premultiplied encoded to premultiplied light, and back.
    @inline(__always)
    private static func decoded(_ p: Pixel) -> Pixel { Transfer.decode(p.straight).premultiplied }
    @inline(__always)
    private static func recoded(_ p: Pixel) -> Pixel { Transfer.encode(p.straight).premultiplied }

    /// Times an opacity, and a coverage if there is one.
    static func scale(_ canvas: Canvas, by opacity: Float, _ mask: Mask?) {
        guard let mask else {
            if opacity != 1 { for i in 0..<canvas.count { canvas.pixels[i] *= opacity } }
            return
        }
        for i in 0..<canvas.count { canvas.pixels[i] *= opacity * mask.values[i] }
    }
}
