/// A label's pixels, ready to be blended: made once, placed as often as wanted.
///
/// Colour is straight (not premultiplied) and in the encoding of the picture it is meant for: grey 1 channel, RGB 3, CMYK 4
/// (as ink: 0 is none); alpha comes last.
///
/// - **Shape**: row-major, `width * height * (channels + 1)` samples.
/// - **Units**: `UInt16` 0…65535, `Float` 0…1.
package final class Stamp: Sendable {
    /// Interleaved samples, alpha last in each pixel.
    package enum Samples: Sendable {
        case u16([UInt16])
        case float([Float])
    }

    package let width: Int
    package let height: Int
    /// Colour channels without alpha: 1, 3 or 4.
    package let channels: Int
    package let samples: Samples
    /// One bit a pixel, set where alpha is above 0; whole words a row. Finding the touched blocks of a tiled label reads these,
    /// not the pixels, once more for every place.
    let visible: [UInt64]
    let visibleStride: Int

    /// - **Errors**: `SpliceError.invalid` when the number of samples or channels does not fit the size.
    package init(width: Int, height: Int, channels: Int, samples: Samples) throws {
        let count =
            switch samples {
            case .u16(let values): values.count
            case .float(let values): values.count
            }
        guard width > 0, height > 0, width <= 1 << 20, height <= 1 << 20, channels == 1 || channels == 3 || channels == 4,
            count == width * height * (channels + 1)
        else { throw SpliceError.invalid("a stamp of \(width)×\(height) with \(channels) channels and \(count) samples") }
        self.width = width
        self.height = height
        self.channels = channels
        self.samples = samples
        visibleStride = (width + 63) / 64
        switch samples {
        case .u16(let values): visible = Self.mask(values, width, height, channels + 1) { $0 > 0 }
        case .float(let values): visible = Self.mask(values, width, height, channels + 1) { $0 > 0 }
        }
    }

    @inline(__always)
    private static func mask<S>(_ values: [S], _ width: Int, _ height: Int, _ step: Int, _ isSet: (S) -> Bool) -> [UInt64] {
        let stride = (width + 63) / 64
        return [UInt64](unsafeUninitializedCapacity: stride * height) { words, count in
            count = stride * height
            values.withUnsafeBufferPointer { values in
                for y in 0..<height {
                    for w in 0..<stride {
                        var word: UInt64 = 0
                        let first = y &* width &+ w &* 64
                        for bit in 0..<min(64, width &- w &* 64) where isSet(values[(first &+ bit &+ 1) &* step &- 1]) {
                            word |= 1 << UInt64(bit)
                        }
                        words[y &* stride &+ w] = word
                    }
                }
            }
        }
    }
}

/// A stamp at its place in the stored picture (EXIF orientation already applied). It may hang over the picture's edges.
///
/// - **Units**: whole px of the stored picture.
package struct Patch: Sendable {
    package var x: Int
    package var y: Int
    package var stamp: Stamp

    package var width: Int { stamp.width }
    package var height: Int { stamp.height }

    package init(x: Int, y: Int, stamp: Stamp) {
        self.x = x
        self.y = y
        self.stamp = stamp
    }
}

/// Which 8×8 px cells of a picture a list of patches touches with alpha above 0.
///
/// - **Cost**: one bit a cell; time by the patches' area, 64 px a step.
struct TouchedCells {
    let columns: Int
    let rows: Int
    let stride: Int
    private(set) var words: [UInt64]

    init(_ patches: [Patch], width: Int, height: Int) {
        columns = (width + 7) / 8
        rows = (height + 7) / 8
        stride = (columns + 63) / 64
        words = [UInt64](repeating: 0, count: stride * rows)
        for patch in patches { mark(patch, width, height) }
    }

    private mutating func mark(_ patch: Patch, _ width: Int, _ height: Int) {
        let stamp = patch.stamp
        let top = max(0, -patch.y)
        let bottom = min(stamp.height, height - patch.y)
        guard top < bottom, patch.x < width, patch.x + stamp.width > 0 else { return }
        let stride = self.stride
        words.withUnsafeMutableBufferPointer { words in
            stamp.visible.withUnsafeBufferPointer { visible in
                for y in top..<bottom {
                    let line = ((y &+ patch.y) >> 3) &* stride
                    for w in 0..<stamp.visibleStride {
                        var bits = visible[y &* stamp.visibleStride &+ w]
                        let x = patch.x &+ w &* 64
                        if bits == 0 || x &+ 63 < 0 || x >= width { continue }
                        if x < 0 { bits &= ~0 << UInt64(-x) }
                        if x &+ 64 > width { bits &= ~0 >> UInt64(x &+ 64 &- width) }
                        while bits != 0 {
                            let cell = (x &+ bits.trailingZeroBitCount) >> 3
                            words[line &+ cell >> 6] |= 1 << UInt64(cell & 63)
                            let next = (cell &+ 1) << 3 &- x  // the first bit of the next cell
                            if next >= 64 { break }
                            bits &= ~0 << UInt64(next)
                        }
                    }
                }
            }
        }
    }

    /// Whether any cell of a block of `width`×`height` cells is touched; cells outside the picture never are.
    @inline(__always)
    func touches(column: Int, row: Int, width: Int, height: Int) -> Bool {
        words.withUnsafeBufferPointer { words in
            var y = row
            while y < min(row &+ height, rows) {
                var x = column
                while x < min(column &+ width, columns) {
                    if words[y &* stride &+ x >> 6] >> UInt64(x & 63) & 1 != 0 { return true }
                    x &+= 1
                }
                y &+= 1
            }
            return false
        }
    }

    /// The touched groups of `width`×`height` cells, row by row.
    func grouped(width: Int, height: Int) -> TouchedCells {
        var groups = TouchedCells([], width: (columns + width - 1) / width * 8, height: (rows + height - 1) / height * 8)
        for y in 0..<rows {
            let line = y / height * groups.stride
            for w in 0..<stride {
                var bits = words[y * stride + w]
                while bits != 0 {
                    let group = (w * 64 + bits.trailingZeroBitCount) / width
                    groups.words[line + group >> 6] |= 1 << UInt64(group & 63)
                    bits &= bits - 1
                }
            }
        }
        return groups
    }

    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// The first touched cell at or after `index`, counted row by row; `columns * rows` when there is none.
    func next(from index: Int) -> Int {
        guard index < columns * rows else { return columns * rows }
        var row = index / columns
        var column = index - row * columns
        while row < rows {
            var w = column >> 6
            var bits = words[row * stride + w] & ~0 << UInt64(column & 63)
            while true {
                if bits != 0 { return row * columns + w * 64 + bits.trailingZeroBitCount }
                w += 1
                if w == stride { break }
                bits = words[row * stride + w]
            }
            row += 1
            column = 0
        }
        return columns * rows
    }
}
