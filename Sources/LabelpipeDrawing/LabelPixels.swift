import LabelpipeKit
import Outline
import Vips

/// A part of a label in a picture's own encoding, as it is stored.
// @unchecked Sendable: filled by the initialiser, and only read afterwards.
final class LabelPixels: @unchecked Sendable {
    /// In stored coordinates of the page, or of tile (0, 0).
    let region: Region
    let channels: Int
    /// For 8-bit pictures: premultiplied colour and alpha, 65535 is 1. Half the memory, and exact to 1/257 of a level.
    let words: UnsafeMutablePointer<UInt16>?
    /// For all others: straight colour, then alpha.
    let floats: UnsafeMutablePointer<Float>?
    /// Of each row: the first pixel that is not transparent, and the one after the last.
    private(set) var spans: [(start: Int, end: Int)]

    var samples: Int { channels &+ 1 }

    /// - Parameter region: in stored coordinates.
    init(
        _ region: Region, of rendering: Rendering, _ orientation: Orientation, _ encoding: Encoding, opacity: Float, inWords: Bool
    ) throws {
        self.region = region
        channels = encoding.channels
        let count = max(region.width * region.height * (encoding.channels + 1), 1)
        words = inWords ? .allocate(capacity: count) : nil
        floats = inWords ? nil : .allocate(capacity: count)
        spans = [(start: Int, end: Int)](repeating: (0, 0), count: max(region.height, 0))
        // All stored properties are set: a failure below ends in deinit.
        words?.initialize(repeating: 0, count: count)
        floats?.initialize(repeating: 0, count: count)
        let stored = orientation.stored
        let upright = orientation.upright(region)
        let tiles = max(1, (1 << 17) / max(upright.width, 1) / Rendering.tileHeight)
        let height = tiles * Rendering.tileHeight
        for y in stride(from: upright.y, to: upright.maxY, by: height) {
            let strip = Region(x: upright.x, y: y, width: upright.width, height: min(height, upright.maxY - y))
            write(try rendering.canvas(strip).permuted(by: stored), encoding, opacity)
        }
        for row in 0..<region.height { spans[row] = span(row) }
    }

    deinit {
        words?.deallocate()
        floats?.deallocate()
    }

    private func write(_ canvas: Canvas, _ encoding: Encoding, _ opacity: Float) {
        let width = canvas.region.width
        let alphas = UnsafeMutablePointer<Float>.allocate(capacity: width)
        defer { alphas.deallocate() }
        for y in canvas.region.y..<canvas.region.maxY {
            let row = canvas.row(y)
            if let words, encoding.isPlainRGB {
                // Premultiplied sRGB is what is wanted already.
                let out = words + ((y &- region.y) &* region.width &+ canvas.region.x &- region.x) &* 4
                LabelPixels.store(row, opacity: opacity, into: out, width)
                continue
            }
            encoding.encode(row, alphas: alphas, opacity: opacity, count: width)
            let start = ((y &- region.y) &* region.width &+ canvas.region.x &- region.x) &* samples
            if let words { LabelPixels.premultiply(row, alphas, into: words + start, channels, width) }
            if let floats {
                for i in 0..<width where alphas[i] > 0 {
                    let out = floats + start + i &* samples
                    for k in 0..<channels { out[k] = row[i][k] }
                    out[channels] = alphas[i]
                }
            }
        }
    }

    private static func store(
        _ row: UnsafePointer<Pixel>, opacity: Float, into words: UnsafeMutablePointer<UInt16>, _ count: Int
    ) {
        for i in 0..<count where row[i].w != 0 {
            let v = rounded(clamped(row[i] * opacity, 0, 1) * 65535)
            UnsafeMutableRawPointer(words + 4 &* i).storeBytes(
                of: SIMD4<UInt16>(truncatingIfNeeded: v), as: SIMD4<UInt16>.self)
        }
    }

    private static func premultiply(
        _ row: UnsafePointer<Pixel>, _ alphas: UnsafePointer<Float>, into words: UnsafeMutablePointer<UInt16>, _ channels: Int,
        _ count: Int
    ) {
        for i in 0..<count where alphas[i] != 0 {
            let k = alphas[i] * 65535
            let c = rounded(row[i] * k)
            let out = words + i &* (channels &+ 1)
            for lane in 0..<channels { out[lane] = UInt16(truncatingIfNeeded: c[lane]) }
            out[channels] = UInt16(truncatingIfNeeded: rounded(Pixel(repeating: k)).x)
        }
    }

    private func span(_ row: Int) -> (start: Int, end: Int) {
        let first = row &* region.width &* samples &+ channels
        func empty(_ i: Int) -> Bool {
            if let words { return words[first &+ i &* samples] == 0 }
            if let floats { return floats[first &+ i &* samples] == 0 }
            return true
        }
        var (start, end) = (0, region.width)
        while start < end, empty(start) { start &+= 1 }
        while end > start, empty(end &- 1) { end &-= 1 }
        return (start, end)
    }

    /// Straight colour and alpha of a pixel by its index in `region`; CMYK's fourth channel is the last lane.
    @inline(__always)
    func pixel(_ index: Int) -> (colour: Pixel, alpha: Float) {
        if let floats {
            let p = floats + index &* samples
            return (LabelPixels.lanes(channels) { p[$0] }, p[channels])
        }
        guard let words, words[index &* samples &+ channels] > 0 else { return (.zero, 0) }
        let p = words + index &* samples
        let alpha = Float(p[channels])
        return (LabelPixels.lanes(channels) { min(Float(p[$0]) / alpha, 1) }, alpha / 65535)
    }

    /// As many lanes as there are channels, the others 0.
    @inline(__always)
    static func lanes(_ channels: Int, _ sample: (Int) -> Float) -> Pixel {
        switch channels {
        case 1: Pixel(sample(0), 0, 0, 0)
        case 3: Pixel(sample(0), sample(1), sample(2), 0)
        default: Pixel(sample(0), sample(1), sample(2), sample(3))
        }
    }
}
