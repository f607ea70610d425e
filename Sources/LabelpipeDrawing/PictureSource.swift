import LabelpipeKit
import Outline
import Synchronization
import Vips

/// A picture's pixels as they are drawn with: premultiplied sRGB, of its first page, as stored (not turned).
final class PictureSource: Sendable {
    let width: Int
    let height: Int
    private let image: Image
    /// Of a sample.
    private let full: Float

    /// **Errors**: a picture that libvips cannot convert to sRGB.
    init(_ picture: Picture) throws {
        let converted = try picture.firstPage.inSRGB()
        image = converted.image
        full = converted.full
        (width, height) = (image.width, image.height)
    }

    /// The pixels of a region, which is cut to the picture.
    func canvas(_ region: Region) throws -> Canvas {
        let region = region.intersection(Region(x: 0, y: 0, width: width, height: height))
        let canvas = Canvas(region)
        if region.isEmpty { return canvas }
        let bands = image.bands
        let rowBytes = region.width * image.bytesPerPixel
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: rowBytes * region.height, alignment: 16)
        defer { bytes.deallocate() }
        try image.read(
            PixelBox(left: region.x, top: region.y, width: region.width, height: region.height), into: bytes, rowStride: rowBytes)
        for row in 0..<region.height {
            let out = canvas.pixels + row * canvas.stride
            switch image.format {
            case .uchar: expand(bytes + row * rowBytes, UInt8.self, bands, out, region.width)
            case .ushort: expand(bytes + row * rowBytes, UInt16.self, bands, out, region.width)
            default: expand(bytes + row * rowBytes, bands, out, region.width)
            }
        }
        return canvas
    }

    @inline(__always)
    private func expand<Sample: FixedWidthInteger>(
        _ bytes: UnsafeMutableRawPointer, _ type: Sample.Type, _ bands: Int, _ out: UnsafeMutablePointer<Pixel>, _ count: Int
    ) {
        let samples = bytes.assumingMemoryBound(to: type)
        let k = 1 / full
        for i in 0..<count {
            let p = samples + i &* bands
            out[i] = pixel(bands) { Float(p[$0]) * k }
        }
    }

    private func expand(_ bytes: UnsafeMutableRawPointer, _ bands: Int, _ out: UnsafeMutablePointer<Pixel>, _ count: Int) {
        let samples = bytes.assumingMemoryBound(to: Float.self)
        let k = 1 / full
        for i in 0..<count {
            let p = samples + i &* bands
            out[i] = clamped(pixel(bands) { p[$0] * k }, 0, 1)
        }
    }

    @inline(__always)
    private func pixel(_ bands: Int, _ sample: (Int) -> Float) -> Pixel {
        switch bands {
        case 1: return Pixel(repeating: sample(0)).alpha(1)
        case 2: return Pixel(repeating: sample(0)).alpha(sample(1)).premultiplied
        case 3: return Pixel(sample(0), sample(1), sample(2), 1)
        default: return Pixel(sample(0), sample(1), sample(2), sample(3)).premultiplied
        }
    }
}

extension Picture {
    /// The first page, as stored.
    var firstPage: Image {
        get throws {
            if pageCount == 1 { return image }
            return try image.extractArea(PixelBox(left: 0, top: 0, width: image.width, height: storedHeight))
        }
    }

    /// Samples are finer than 8 bit.
    var isDeep: Bool { image.format != .uchar && image.format != .char }
}

extension Image {
    /// Grey or sRGB with or without alpha, 8 bit, 16 bit or float, and the value of a full sample.
    func inSRGB() throws -> (image: Image, full: Float) {
        var image = self
        var kind = likelyInterpretation
        let colours = bands - (hasAlpha ? 1 : 0)
        if kind == .multiband || kind == .rgb {
            kind = colours >= 3 ? (format == .ushort ? .rgb16 : .srgb) : (format == .ushort ? .grey16 : .bw)
            image = try image.copy(interpretation: kind)
        }
        let deep = format != .uchar && format != .char
        if hasProfile, kind != .scrgb, let converted = try? image.iccTransform(to: "srgb", depth: deep ? 16 : 8) {
            // Where the profile does not fit the picture it is as good as absent.
            image = converted
        } else if kind == .cmyk {
            image = try image.iccTransform(to: "srgb", assumed: "cmyk", depth: deep ? 16 : 8)
        } else if ![.srgb, .rgb16, .bw, .grey16].contains(kind) {
            image = try image.colourspace(deep ? .rgb16 : .srgb)
        }
        let full = Float(image.fullIntensity)
        if image.bands > 4 { image = try image.extractBand(0, count: image.hasAlpha ? 4 : 3) }
        switch image.format {
        case .uchar, .ushort, .float: break
        default: image = try image.cast(.float)
        }
        return (image, full)
    }
}
