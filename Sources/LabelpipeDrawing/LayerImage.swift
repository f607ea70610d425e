import LabelpipeKit
import Outline
import Vips

/// Limits of layers that are drawn as pictures of their own, before what is seen of them is known.
package enum DrawnLayers {
    /// The most pixels that such a picture may have: set where effects are applied, since they ask for it.
    package static let mostPixels = TaskLocal<Double>(wrappedValue: .infinity)
}

extension Layer {
    /// The layer as a picture: itself where it is nothing but one, else its frame grown to whole pixels by its reach, transparent.
    ///
    /// **Shape**: sRGB with straight alpha; 8 bit, or 16 bit where a picture in it is finer.
    /// **Errors**: a layer of no extent, or larger than a picture can be; what rendering throws comes when pixels are looked at.
    /// **Cost**: none until it is read.
    package func image() throws -> Picture {
        if let picture { return picture }
        let box = frame.roundedOut.union(reach)
        guard !box.isEmpty else {
            throw DrawingError("empty-picture", "there is nothing to draw: the layer is empty")
        }
        return Picture(try image(in: box))
    }

    /// The pixels of a region of the layer's plane as a picture, whatever the layer is.
    ///
    /// **Errors**: more pixels than allowed.
    package func image(in box: Region) throws -> Image {
        let (area, most) = (Double(box.width) * Double(box.height), DrawnLayers.mostPixels.get())
        guard area <= most else {
            throw DrawingError(
                "too-large",
                "the layer would be drawn as a picture of \(Int(min(area, 1e18))) pixels, and the limit is \(Int(most))",
                help: "--limit-pixels N")
        }
        let deep = marks.contains(where: \.isDeep)
        let rendering = Rendering(marks: marks, clip: box)
        let bands = BandCache<Canvas>(height: max(2, (1 << 18) / box.width / Rendering.tileHeight) * Rendering.tileHeight)
        return try Image.generated(
            width: box.width, height: box.height, bands: 4, format: deep ? .ushort : .uchar,
            interpretation: deep ? .rgb16 : .srgb,
            hint: .fatStrip
        ) { pixels in
            let region = Region(
                x: box.x + pixels.box.left, y: box.y + pixels.box.top, width: pixels.box.width, height: pixels.box.height)
            for band in bands.bands(of: region, in: box) {
                let canvas = try bands.get(band) { try rendering.canvas(band) }
                let part = region.intersection(band)
                for y in part.y..<part.maxY {
                    let source = canvas.row(y) + (part.x - band.x)
                    if deep {
                        write(source, pixels.row(y - region.y, as: UInt16.self), part.width, full: 65535)
                    } else {
                        write(source, pixels.row(y - region.y, as: UInt8.self), part.width, full: 255)
                    }
                }
            }
        }
    }
}

/// Premultiplied floats as straight samples.
@inline(__always)
private func write<Sample: FixedWidthInteger & UnsignedInteger & SIMDScalar>(
    _ source: UnsafePointer<Pixel>, _ out: UnsafeMutablePointer<Sample>, _ count: Int, full: Float
) {
    for i in 0..<count {
        let p = source[i]
        let straight = p.w == 0 ? .zero : p.w == 1 ? p : p.straight
        let samples = SIMD4<Sample>(truncatingIfNeeded: rounded(clamped(straight, 0, 1) * full))
        UnsafeMutableRawPointer(out + 4 &* i).storeBytes(of: samples, as: SIMD4<Sample>.self)
    }
}
