import LabelpipeKit
import Outline
import Vips

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
            throw DrawingError("empty-picture", .picture, "there is nothing to draw: the layer is empty")
        }
        return Picture(try image(in: box))
    }

    /// The pixels of a region of the layer's plane as a picture, whatever the layer is.
    package func image(in box: Region) throws -> Image {
        let deep = marks.contains(where: \.isDeep)
        let rendering = Rendering(marks: marks, clip: box)
        let bands = BandCache<Canvas>(height: max(128, (1 << 20) / box.width))
        return try Image.generated(
            width: box.width, height: box.height, bands: 4, format: deep ? .ushort : .uchar,
            interpretation: deep ? .rgb16 : .srgb,
            hint: .fatStrip
        ) { pixels in
            let region = Region(
                x: box.x + pixels.box.left, y: box.y + pixels.box.top, width: pixels.box.width, height: pixels.box.height)
            for band in bands.bands(of: region, in: box) {
                let canvas = try bands.get(band) {
                    let canvas = Canvas(band)
                    try rendering.draw(band, into: canvas.pixels, rowStride: canvas.stride)
                    return canvas
                }
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
private func write<Sample: FixedWidthInteger & UnsignedInteger>(
    _ source: UnsafePointer<Pixel>, _ out: UnsafeMutablePointer<Sample>, _ count: Int, full: Float
) {
    for i in 0..<count {
        let p = clamped(source[i].straight, 0, 1) * full
        let rounded = p.rounded(.toNearestOrAwayFromZero)
        let sample = out + 4 &* i
        (sample[0], sample[1], sample[2], sample[3]) = (
            Sample(rounded.x), Sample(rounded.y), Sample(rounded.z), Sample(rounded.w)
        )
    }
}
