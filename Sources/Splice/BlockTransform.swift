/// The discrete cosine transform of 8×8 blocks in float, orthonormal, rows as vectors.
///
/// The first pass combines rows by the even and odd halves of the cosine matrix; the second multiplies each row with the matrix
/// from the right, so nothing has to be transposed.
///
/// - **Source**: ITU-T T.81, A.3.3.
enum BlockTransform {
    typealias Row = SIMD8<Float>
    typealias Block = (Row, Row, Row, Row, Row, Row, Row, Row)

    // cos(k π / 16) / 2, and cos(π / 4) / 2 for the constant term
    @inline(__always) private static var c1: Float { 0.490_392_640_201_615_2 }
    @inline(__always) private static var c2: Float { 0.461_939_766_255_643_4 }
    @inline(__always) private static var c3: Float { 0.415_734_806_151_272_6 }
    @inline(__always) private static var c4: Float { 0.353_553_390_593_273_8 }
    @inline(__always) private static var c5: Float { 0.277_785_116_509_801_1 }
    @inline(__always) private static var c6: Float { 0.191_341_716_182_544_9 }
    @inline(__always) private static var c7: Float { 0.097_545_161_008_064_13 }

    // The matrix' rows: what each frequency is worth at the eight samples.
    @inline(__always) private static var basis: Block {
        (
            Row(repeating: c4),
            Row(c1, c3, c5, c7, -c7, -c5, -c3, -c1),
            Row(c2, c6, -c6, -c2, -c2, -c6, c6, c2),
            Row(c3, -c7, -c1, -c5, c5, c1, c7, -c3),
            Row(c4, -c4, -c4, c4, c4, -c4, -c4, c4),
            Row(c5, -c1, c7, c3, -c3, -c7, c1, -c5),
            Row(c6, -c2, c2, -c6, -c6, c2, -c2, c6),
            Row(c7, -c5, c3, -c1, c1, -c3, c5, -c7)
        )
    }
    // Its columns: what each sample is worth at the eight frequencies.
    @inline(__always) private static var columns: Block {
        (
            Row(c4, c1, c2, c3, c4, c5, c6, c7),
            Row(c4, c3, c6, -c7, -c4, -c1, -c2, -c5),
            Row(c4, c5, -c6, -c1, -c4, c7, c2, c3),
            Row(c4, c7, -c2, -c5, c4, c3, -c6, -c1),
            Row(c4, -c7, -c2, c5, c4, -c3, -c6, c1),
            Row(c4, -c5, -c6, c1, -c4, -c7, c2, -c3),
            Row(c4, -c3, c6, c7, -c4, c1, -c2, c5),
            Row(c4, -c1, c2, -c3, c4, -c5, c6, -c7)
        )
    }

    @inline(__always)
    private static func product(_ row: Row, _ m: Block) -> Row {
        var sum = m.0 * row[0]
        sum += m.1 * row[1]
        sum += m.2 * row[2]
        sum += m.3 * row[3]
        sum += m.4 * row[4]
        sum += m.5 * row[5]
        sum += m.6 * row[6]
        sum += m.7 * row[7]
        return sum
    }

    @inline(__always)
    private static func rows(_ b: Block, times m: Block) -> Block {
        (
            product(b.0, m), product(b.1, m), product(b.2, m), product(b.3, m),
            product(b.4, m), product(b.5, m), product(b.6, m), product(b.7, m)
        )
    }

    /// Coefficients to samples.
    @inline(__always)
    static func inverse(_ f: Block) -> Block {
        let p = (f.0 + f.4) * c4
        let q = (f.0 - f.4) * c4
        let r = f.2 * c2 + f.6 * c6
        let s = f.2 * c6 - f.6 * c2
        let e0 = p + r
        let e1 = q + s
        let e2 = q - s
        let e3 = p - r
        var o0 = f.1 * c1 + f.3 * c3
        o0 += f.5 * c5 + f.7 * c7
        var o1 = f.1 * c3 - f.3 * c7
        o1 -= f.5 * c1 + f.7 * c5
        var o2 = f.1 * c5 - f.3 * c1
        o2 += f.5 * c7 + f.7 * c3
        var o3 = f.1 * c7 - f.3 * c5
        o3 += f.5 * c3 - f.7 * c1
        return rows((e0 + o0, e1 + o1, e2 + o2, e3 + o3, e3 - o3, e2 - o2, e1 - o1, e0 - o0), times: basis)
    }

    /// Samples to coefficients.
    @inline(__always)
    static func forward(_ x: Block) -> Block {
        let (s0, s1, s2, s3) = (x.0 + x.7, x.1 + x.6, x.2 + x.5, x.3 + x.4)
        let (d0, d1, d2, d3) = (x.0 - x.7, x.1 - x.6, x.2 - x.5, x.3 - x.4)
        let (p, q) = (s0 + s3, s1 + s2)
        let (r, s) = (s0 - s3, s1 - s2)
        var f1 = d0 * c1 + d1 * c3
        f1 += d2 * c5 + d3 * c7
        var f3 = d0 * c3 - d1 * c7
        f3 -= d2 * c1 + d3 * c5
        var f5 = d0 * c5 - d1 * c1
        f5 += d2 * c7 + d3 * c3
        var f7 = d0 * c7 - d1 * c5
        f7 += d2 * c3 - d3 * c1
        return rows(
            ((p + q) * c4, f1, r * c2 + s * c6, f3, (p - q) * c4, f5, r * c6 - s * c2, f7), times: columns)
    }

    /// The nearest whole numbers of values of up to 15 bits. Adding 1.5 · 2²³ leaves them in the low bits of a float, in two's
    /// complement: without SSE 4.1 every other way is a call a lane.
    @inline(__always)
    static func rounded(_ row: Row) -> SIMD8<Int16> {
        unsafeBitCast(row + 12_582_912, to: SIMD16<Int16>.self).evenHalf
    }
}

/// Natural (row by row) index of each coefficient in zigzag order.
///
/// - **Source**: ITU-T T.81, figure A.6.
let naturalOrder: [UInt8] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42,
    49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
]
