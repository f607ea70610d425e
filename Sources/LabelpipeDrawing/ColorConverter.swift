import CColor
import LabelpipeKit

/// Label colours from sRGB into a picture's own space, by its ICC profile.
///
/// Relative colorimetric, as image editors do by default; with black point compensation into CMYK, whose black is no black.
// @unchecked Sendable: an lcms2 transform is not changed after it is made, and cmsDoTransform may be called from several threads.
final class ColorConverter: @unchecked Sendable {
    /// Colour channels of the result.
    let channels: Int
    /// Between the picture's codes and light; nil where the profile has no such curves.
    let curves: ToneCurves?
    private let transform: cmsHTRANSFORM
    /// CMYK comes in percent.
    private let full: Float

    /// Nil where the profile cannot be used for that many channels: it is as good as absent then.
    init?(profile bytes: [UInt8], channels: Int) {
        guard let own = bytes.withUnsafeBytes({ cmsOpenProfileFromMem($0.baseAddress, cmsUInt32Number($0.count)) }) else {
            return nil
        }
        defer { cmsCloseProfile(own) }
        let space = cmsGetColorSpace(own)
        let wanted = [1: cmsSigGrayData, 3: cmsSigRgbData, 4: cmsSigCmykData][channels]
        guard let wanted, space == wanted, let srgb = cmsCreate_sRGBProfile() else { return nil }
        defer { cmsCloseProfile(srgb) }
        let layout: UInt32 = UInt32([1: PT_GRAY, 3: PT_RGB, 4: PT_CMYK][channels, default: PT_RGB])
        let flags = cmsUInt32Number(cmsFLAGS_NOCACHE) | (channels == 4 ? cmsUInt32Number(cmsFLAGS_BLACKPOINTCOMPENSATION) : 0)
        guard
            let transform = cmsCreateTransform(
                srgb, ColorConverter.floats(UInt32(PT_RGB), 3), own, ColorConverter.floats(layout, UInt32(channels)),
                cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC), flags)
        else { return nil }
        (self.transform, self.channels) = (transform, channels)
        curves = channels == 4 ? nil : ToneCurves(own, channels: channels)
        full = channels == 4 ? 100 : 1
    }

    deinit { cmsDeleteTransform(transform) }

    /// lcms2's format word for 32-bit floats; its macros are not visible from Swift.
    private static func floats(_ colorspace: UInt32, _ channels: UInt32) -> cmsUInt32Number {
        (1 << 22) | (colorspace << 16) | (channels << 3) | 4
    }

    /// Straight sRGB to straight channels of the picture, 0…1; alpha stays.
    ///
    /// Labels have few colours: runs of one are converted once.
    func convert(_ pixels: UnsafeMutablePointer<Pixel>, count: Int) {
        var last = Pixel(repeating: -1)
        var result = Pixel.zero
        for i in 0..<count {
            let p = pixels[i]
            if p.w == 0 { continue }
            let colour = p.alpha(0)
            if colour != last {
                last = colour
                result = convert(colour)
            }
            pixels[i] = channels == 4 ? result : result.alpha(p.w)
        }
    }

    /// One straight colour; channels that the picture has not are 0.
    func convert(_ colour: Pixel) -> Pixel {
        var source = (min(max(colour.x, 0), 1), min(max(colour.y, 0), 1), min(max(colour.z, 0), 1))
        var target = Pixel.zero
        withUnsafeMutableBytes(of: &target) { out in
            withUnsafeBytes(of: &source) { cmsDoTransform(transform, $0.baseAddress, out.baseAddress, 1) }
        }
        return clamped(target * (1 / full), 0, 1)
    }

    /// It changes no colour by as much as half a level of 8 bit: the profile is sRGB, under whatever name.
    var isIdentity: Bool {
        guard channels == 3 else { return false }
        for r in 0..<5 {
            for g in 0..<5 {
                for b in 0..<5 {
                    let colour = Pixel(Float(r) / 4, Float(g) / 4, Float(b) / 4, 0)
                    let difference = convert(colour) - colour
                    if max(abs(difference.x), abs(difference.y), abs(difference.z)) > 0.5 / 255 { return false }
                }
            }
        }
        return true
    }
}
