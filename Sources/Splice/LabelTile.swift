/// The label over one MCU: what of the picture shines through each px, and what colour is added, in the picture's components.
///
/// Patches are composed here in drawing order, px by px: `through` becomes the product of all (1 - alpha), `added` the
/// premultiplied, level-shifted colour over it. Beyond the picture's right and lower edge both repeat the last column and row,
/// as encoders pad.
///
/// - **Cost**: the px of the patches in this MCU; memory of one MCU.
final class LabelTile {
    let width: Int
    let height: Int
    private let pictureWidth: Int
    private let pictureHeight: Int
    private let mapping: Mapping
    private let components: Int
    private let patches: [Patch]
    private var row = -1
    private var inRow: [Patch] = []
    let through: UnsafeMutablePointer<Float>
    /// A plane after the other.
    let added: UnsafeMutablePointer<Float>

    /// From a patch's channels to the components of the picture, level-shifted by 128.
    enum Mapping {
        case grey, greyFromRGB, yCbCr, yCbCrFromGrey, rgb, rgbFromGrey, cmyk, cmykInverted, ycck

        init?(channels: Int, colour: JPEGHeader.Colour, inverted: Bool) {
            switch (channels, colour) {
            case (1, .grey): self = .grey
            case (3, .grey): self = .greyFromRGB
            case (3, .yCbCr): self = .yCbCr
            case (1, .yCbCr): self = .yCbCrFromGrey
            case (3, .rgb): self = .rgb
            case (1, .rgb): self = .rgbFromGrey
            case (4, .cmyk): self = inverted ? .cmykInverted : .cmyk
            case (4, .ycck): self = .ycck
            default: return nil
            }
        }
    }

    /// - Errors: `SpliceError.invalid` when a patch's channels do not fit the picture's colours or patches differ in theirs.
    init(_ patches: [Patch], _ header: JPEGHeader, width: Int, height: Int) throws {
        self.width = width
        self.height = height
        pictureWidth = header.width
        pictureHeight = header.height
        components = header.components.count
        self.patches = patches
        let channels = patches.first?.stamp.channels ?? header.colour.channels
        guard let mapping = Mapping(channels: channels, colour: header.colour, inverted: header.isInverted),
            patches.allSatisfy({ $0.stamp.channels == channels })
        else { throw SpliceError.invalid("a label of \(channels) channels on a picture of \(header.colour.channels)") }
        self.mapping = mapping
        through = .allocate(capacity: width * height)
        added = .allocate(capacity: width * height * 4)
    }

    deinit {
        through.deallocate()
        added.deallocate()
    }

    /// Composes the label over the MCU whose left upper px is (x, y). Rows of MCUs come in order.
    func compose(x: Int, y: Int) {
        if y != row {
            row = y
            inRow = patches.filter { $0.y < y + height && $0.y + $0.stamp.height > y }
        }
        through.update(repeating: 1, count: width * height)
        added.update(repeating: 0, count: width * height * components)
        let right = min(width, pictureWidth - x)
        let bottom = min(height, pictureHeight - y)
        for patch in inRow where patch.x < x + right && patch.x + patch.stamp.width > x {
            let columns = max(0, patch.x - x)..<min(right, patch.x + patch.stamp.width - x)
            let rows = max(0, patch.y - y)..<min(bottom, patch.y + patch.stamp.height - y)
            if rows.isEmpty { continue }
            let first = ((y - patch.y) * patch.stamp.width + x - patch.x) * (patch.stamp.channels + 1)
            switch patch.stamp.samples {
            case .u16(let samples):
                samples.withUnsafeBufferPointer {
                    add($0.baseAddress!, first, patch.stamp.width, columns, rows, scale: 1 / 65535)
                }
            case .float(let samples):
                samples.withUnsafeBufferPointer { add($0.baseAddress!, first, patch.stamp.width, columns, rows, scale: 1) }
            }
        }
        if right < width || bottom < height { pad(right, bottom) }
    }

    private func pad(_ right: Int, _ bottom: Int) {
        for plane in 0...components {
            let values = plane == 0 ? through : added + (plane - 1) * width * height
            for y in 0..<bottom where right < width {
                (values + y * width + right).update(repeating: values[y * width + right - 1], count: width - right)
            }
            for y in bottom..<height {
                (values + y * width).update(from: values + (bottom - 1) * width, count: width)
            }
        }
    }

    private func add<S: StampSample>(
        _ samples: UnsafePointer<S>, _ first: Int, _ stride: Int, _ columns: Range<Int>, _ rows: Range<Int>, scale: Float
    ) {
        switch mapping {
        case .grey: add(samples, first, stride, columns, rows, scale, 1, 1) { [$0[0] - 128, 0, 0, 0] }
        case .greyFromRGB: add(samples, first, stride, columns, rows, scale, 3, 1) { [luma($0) - 128, 0, 0, 0] }
        case .yCbCr: add(samples, first, stride, columns, rows, scale, 3, 3) { yCbCr($0) }
        case .yCbCrFromGrey: add(samples, first, stride, columns, rows, scale, 1, 3) { [$0[0] - 128, 0, 0, 0] }
        case .rgb: add(samples, first, stride, columns, rows, scale, 3, 3) { $0 - 128 }
        case .rgbFromGrey: add(samples, first, stride, columns, rows, scale, 1, 3) { SIMD4(repeating: $0[0] - 128) }
        case .cmyk: add(samples, first, stride, columns, rows, scale, 4, 4) { $0 - 128 }
        case .cmykInverted: add(samples, first, stride, columns, rows, scale, 4, 4) { 127 - $0 }
        case .ycck:
            // YCCK is the YCbCr of the ink's amount; black is stored as Adobe does, inverted.
            add(samples, first, stride, columns, rows, scale, 4, 4) { ink in
                var mapped = yCbCr(ink)
                mapped[3] = 127 - ink[3]
                return mapped
            }
        }
    }

    @inline(__always)
    private func add<S: StampSample>(
        _ samples: UnsafePointer<S>, _ first: Int, _ stride: Int, _ columns: Range<Int>, _ rows: Range<Int>, _ scale: Float,
        _ channels: Int, _ planes: Int, _ mapped: (SIMD4<Float>) -> SIMD4<Float>
    ) {
        let step = channels &+ 1
        let plane = width &* height
        for y in rows {
            var pixel = samples + (first &+ (y &* stride &+ columns.lowerBound) &* step)
            var at = y &* width &+ columns.lowerBound
            for _ in columns {
                let alpha = min(pixel[channels].float * scale, 1)
                if alpha > 0 {
                    var colour = SIMD4<Float>()
                    for channel in 0..<channels { colour[channel] = pixel[channel].float }
                    let value = mapped(colour * (255 * scale)) * alpha
                    let rest = 1 - alpha
                    through[at] *= rest
                    for each in 0..<planes { added[each &* plane &+ at] = added[each &* plane &+ at] * rest + value[each] }
                }
                pixel += step
                at &+= 1
            }
        }
    }
}

/// A type that label samples come in.
protocol StampSample {
    var float: Float { get }
}

extension UInt16: StampSample {
    @inline(__always) var float: Float { Float(self) }
}

extension Float: StampSample {
    @inline(__always) var float: Float { self }
}

// ITU-R BT.601 luma and colour differences over the full range, as JFIF has them; RGB 0…255, level-shifted.

@inline(__always)
private func luma(_ rgb: SIMD4<Float>) -> Float { 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] }

@inline(__always)
private func yCbCr(_ rgb: SIMD4<Float>) -> SIMD4<Float> {
    let red = SIMD4<Float>(0.299, -0.168_735_892, 0.5, 0)
    let green = SIMD4<Float>(0.587, -0.331_264_108, -0.418_687_589, 0)
    let blue = SIMD4<Float>(0.114, 0.5, -0.081_312_411, 0)
    return red * rgb[0] + green * rgb[1] + blue * rgb[2] - SIMD4<Float>(128, 0, 0, 0)
}
