import LabelpipeKit
import Outline

// Coverage that can be evaluated, by kind.

/// The exact area of an outline in each pixel.
final class OutlineSource: CoverageSource {
    let box: Region
    private enum Means: Sendable {
        indirect case rasterizer(CoverageRasterizer)
        /// Of a small one it is made anew where somebody looks: labels of ten thousand dots would hold more of them than pixels.
        case outline(Outline, Affine, scale: Double)
    }
    private let means: Means
    /// Pixels of the box of an outline that counts as small.
    private static let smallArea = 256

    /// - Parameter scale: what the outline is drawn at, where `transform` is not what decides its precision (shadows on coarse
    ///   cells use the polygons that the fill has anyway).
    init(_ outline: Outline, _ transform: Affine, clip: Region, scale: Double? = nil) {
        let scale = scale ?? transform.maximumScale
        if outline.isPlain {
            let reach = outline.bounds.isNull ? Region.empty : outline.bounds.applying(transform).roundedOut.intersection(clip)
            if OutlineSource.isSmall(reach) {
                box = reach
                means = .outline(outline, transform, scale: scale)
                return
            }
        }
        let rasterizer = CoverageRasterizer(outline.polygons(scale: scale), transform: transform, clip: clip)
        box = rasterizer.bounds.intersection(clip)
        means = OutlineSource.isSmall(box) ? .outline(outline, transform, scale: scale) : .rasterizer(rasterizer)
    }

    private static func isSmall(_ box: Region) -> Bool { box.width <= smallArea && box.width * box.height <= smallArea }

    func coverage(in region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) throws {
        switch means {
        case .rasterizer(let rasterizer): rasterizer.coverage(in: region, into: target, rowStride: rowStride)
        case .outline(let outline, let transform, let scale):
            let polygons = outline.isPlain ? outline.passingPolygons(scale: scale) : outline.polygons(scale: scale)
            CoverageRasterizer(polygons, transform: transform, clip: box)
                .coverage(in: region, into: target, rowStride: rowStride)
        }
    }
}

/// The alpha, or alpha × luminance, of what marks show.
final class MarksSource: CoverageSource {
    enum Reading: Sendable {
        /// Divided by the peak, so that what is most opaque counts as fully covered.
        case alpha(peak: Float)
        /// **Source**: Rec. 709's weights on encoded values, as CSS Masking has it.
        case luminance
    }

    let box: Region
    private let nodes: [any Node]
    private let reading: Reading

    init(_ nodes: [any Node], _ reading: Reading) {
        self.nodes = nodes
        self.reading = reading
        box = nodes.reduce(.empty) { $0.union($1.box) }
    }

    func coverage(in region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) throws {
        for row in 0..<region.height { (target + row &* rowStride).update(repeating: 0, count: region.width) }
        let inside = region.intersection(box)
        if inside.isEmpty { return }
        let canvas = Canvas(inside)
        for node in nodes { try node.draw(on: canvas.target) }
        for y in inside.y..<inside.maxY {
            let source = canvas.row(y)
            let out = target + (y &- region.y) &* rowStride + (inside.x &- region.x)
            switch reading {
            case .alpha(let peak):
                let k = 1 / peak
                for i in 0..<inside.width { out[i] = min(source[i].w * k, 1) }
            case .luminance:
                for i in 0..<inside.width {
                    out[i] = min(max(0.2126 * source[i].x + 0.7152 * source[i].y + 0.0722 * source[i].z, 0), 1)
                }
            }
        }
    }
}

/// Two coverages as one, as if they were independent of each other within a pixel.
final class CombinedSource: CoverageSource {
    let box: Region
    private let a: any CoverageSource
    private let b: any CoverageSource
    private let mode: Combination

    init(_ a: any CoverageSource, _ b: any CoverageSource, _ mode: Combination) {
        (self.a, self.b, self.mode) = (a, b, mode)
        switch mode {
        case .union, .exclude: box = a.box.union(b.box)
        case .subtract: box = a.box
        case .intersect: box = a.box.intersection(b.box)
        }
    }

    func coverage(in region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) throws {
        try a.coverage(in: region, into: target, rowStride: rowStride)
        let other = Mask(region)
        try b.coverage(in: region, into: other.values, rowStride: other.stride)
        for row in 0..<region.height {
            let out = target + row &* rowStride
            let second = other.values + row &* other.stride
            for i in 0..<region.width {
                let (p, q) = (out[i], second[i])
                switch mode {
                case .union: out[i] = p + q - p * q
                case .subtract: out[i] = p * (1 - q)
                case .intersect: out[i] = p * q
                case .exclude: out[i] = p + q - 2 * p * q
                }
            }
        }
    }
}

/// The larger, or the smaller, of two coverages.
final class ExtremeSource: CoverageSource {
    let box: Region
    private let a: any CoverageSource
    private let b: any CoverageSource
    /// What counts as full in `b`.
    private let factor: Float
    private let larger: Bool

    init(_ a: any CoverageSource, _ b: any CoverageSource, times factor: Float, larger: Bool) {
        (self.a, self.b, self.factor, self.larger) = (a, b, factor, larger)
        box = larger ? a.box.union(b.box) : a.box.intersection(b.box)
    }

    func coverage(in region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) throws {
        try a.coverage(in: region, into: target, rowStride: rowStride)
        let other = Mask(region)
        try b.coverage(in: region, into: other.values, rowStride: other.stride)
        for row in 0..<region.height {
            let out = target + row &* rowStride
            let second = other.values + row &* other.stride
            for i in 0..<region.width { out[i] = larger ? max(out[i], second[i] * factor) : min(out[i], second[i] * factor) }
        }
    }
}

/// Where a pixel lies along a line: 0 at its start, 1 at its end; linear in x and y of the device's plane.
struct LinearPlace: Sendable {
    var ax: Double
    var ay: Double
    /// At the centre of pixel (0, 0).
    var c: Double

    /// A line without length has its end everywhere.
    init(start: Point, end: Point, device: Affine) {
        let d = end - start
        let squared = d.dx * d.dx + d.dy * d.dy
        guard squared > 0, let back = device.inverse else {
            (ax, ay, c) = (0, 0, .infinity)
            return
        }
        ax = (back.a * d.dx + back.b * d.dy) / squared
        ay = (back.c * d.dx + back.d * d.dy) / squared
        let origin = back.apply(Point(x: 0.5, y: 0.5)) - start
        c = (origin.dx * d.dx + origin.dy * d.dy) / squared
    }
}
