import Outline
import Synchronization

/// Something that covers a part of each pixel, evaluated where somebody looks.
package protocol CoverageSource: AnyObject, Sendable {
    /// Outside it the coverage is 0.
    var box: Region { get }
    /// Writes every pixel of `region`.
    func coverage(in region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) throws
}

/// The Gaussian of a coverage, within 2/255 of the exact one, in time that does not grow with sigma.
///
/// The source is evaluated on cells of up to sigma / 4 px (for outlines the coverage of a cell *is* the mean of its pixels),
/// filtered there, and brought up where somebody looks.
///
/// **Cost**: the grid once, unless it is huge, then for each region; a region costs its pixels.
package final class Blurred: CoverageSource {
    package let box: Region
    private let x: GaussianAxis
    private let y: GaussianAxis
    private let spline: SplineGrid
    /// Where cell (0, 0) begins: moves with the marks, so that a move by whole pixels changes no value.
    private let originX: Int
    private let originY: Int
    private let source: any CoverageSource
    /// The whole grid, made when it is first needed; nil as long as it is not, or where it would be too large.
    private let grid = Mutex<Mask?>(nil)

    /// Grids above this are made piece by piece. Cells
    private static let largestGrid = 4 << 20

    /// - Parameters:
    ///   - box: what may be asked for, in device px.
    ///   - source: makes the coverage for a map from device px to cells; `clip`: the cells that can be asked for.
    package init(
        sigmaX: Double, sigmaY: Double, originX: Int, originY: Int, box: Region,
        source: (_ cells: Affine, _ clip: Region) throws -> any CoverageSource
    ) rethrows {
        x = GaussianAxis(sigma: sigmaX)
        y = GaussianAxis(sigma: sigmaY)
        spline = SplineGrid(x: x, y: y)
        (self.originX, self.originY) = (originX, originY)
        let (fx, fy) = (1 / Double(x.factor), 1 / Double(y.factor))
        let cells = Affine(a: fx, b: 0, c: 0, d: fy, tx: -Double(originX) * fx, ty: -Double(originY) * fy)
        let margin = max(x.radius, y.radius) + 4
        self.source = try source(cells, box.isEmpty ? .empty : box.rect.applying(cells).roundedOut.grown(by: margin))
        self.box = box
    }

    package func coverage(in region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) throws {
        let inside = region.intersection(box)
        if inside != region {
            for row in 0..<region.height { (target + row &* rowStride).update(repeating: 0, count: region.width) }
        }
        if inside.isEmpty { return }
        let start = target + (inside.y &- region.y) &* rowStride + (inside.x &- region.x)
        let local = inside.offset(dx: -originX, dy: -originY)
        if x.factor == 1, y.factor == 1 {
            try copy(filtered(local), local, into: start, rowStride: rowStride)
        } else {
            spline.upsample(try cells(for: local), region: local, into: start, rowStride: rowStride)
        }
    }

    /// The filtered cells of `region`, in cells.
    private func filtered(_ region: Region) throws -> Mask {
        let padded = Region(
            x: region.x - x.radius, y: region.y - y.radius, width: region.width + 2 * x.radius,
            height: region.height + 2 * y.radius)
        if source.box.intersection(padded).isEmpty { return Mask(region) }
        let input = Mask(padded)
        try source.coverage(in: padded, into: input.values, rowStride: input.stride)
        return Filter.apply(input, x: x, y: y, region: region)
    }

    private func cells(for region: Region) throws -> Mask {
        let whole = spline.cells(for: box.offset(dx: -originX, dy: -originY))
        if whole.width * whole.height > Blurred.largestGrid { return try filtered(spline.cells(for: region)) }
        return try grid.withLock { grid in
            if let grid { return grid }
            let made = try filtered(whole)
            grid = made
            return made
        }
    }

    private func copy(_ mask: Mask, _ region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) {
        for row in 0..<region.height {
            (target + row &* rowStride).update(from: mask.row(region.y &+ row) + (region.x &- mask.region.x), count: region.width)
        }
    }
}
