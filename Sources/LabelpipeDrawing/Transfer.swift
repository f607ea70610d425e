import Glibc

/// Curves and spaces that colours are mixed in.
///
/// **Source**: IEC 61966-2-1 (sRGB), extended to negative values and beyond 1 by its own formula; B. Ottosson, "A perceptual
/// color space for image processing" (Oklab).
enum Transfer {
    /// Encoded sRGB to light.
    @inline(__always)
    static func decode(_ v: Float) -> Float {
        let m = abs(v)
        let light = m <= 0.04045 ? m / 12.92 : powf((m + 0.055) / 1.055, 2.4)
        return v < 0 ? -light : light
    }

    /// Light to encoded sRGB.
    @inline(__always)
    static func encode(_ v: Float) -> Float {
        let m = abs(v)
        let code = m <= 0.0031308 ? m * 12.92 : 1.055 * powf(m, 1 / 2.4) - 0.055
        return v < 0 ? -code : code
    }

    /// The colour channels; alpha stays.
    @inline(__always)
    static func decode(_ p: Pixel) -> Pixel { Pixel(decode(p.x), decode(p.y), decode(p.z), p.w) }
    @inline(__always)
    static func encode(_ p: Pixel) -> Pixel { Pixel(encode(p.x), encode(p.y), encode(p.z), p.w) }

    /// Straight encoded sRGB to Oklab's L, a, b; alpha stays.
    static func oklab(_ p: Pixel) -> Pixel {
        let c = decode(p)
        let l = cbrtf(0.4122214708 * c.x + 0.5363325363 * c.y + 0.0514459929 * c.z)
        let m = cbrtf(0.2119034982 * c.x + 0.6806995451 * c.y + 0.1073969566 * c.z)
        let s = cbrtf(0.0883024619 * c.x + 0.2817188376 * c.y + 0.6299787005 * c.z)
        return Pixel(
            0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
            p.w)
    }

    /// Oklab to straight encoded sRGB, clipped to its gamut.
    static func fromOklab(_ p: Pixel) -> Pixel {
        let l = p.x + 0.3963377774 * p.y + 0.2158037573 * p.z
        let m = p.x - 0.1055613458 * p.y - 0.0638541728 * p.z
        let s = p.x - 0.0894841775 * p.y - 1.2914855480 * p.z
        let (l3, m3, s3) = (l * l * l, m * m * m, s * s * s)
        let light = Pixel(
            4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3,
            -1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3,
            -0.0041960863 * l3 - 0.7034186147 * m3 + 1.7076147010 * s3,
            p.w)
        return clamped(encode(light), 0, 1)
    }
}
