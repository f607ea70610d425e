/// The exact share of every pixel that polygons cover.
public struct CoverageRasterizer: Sendable {
    private let polygons: Polygons

    /// The box of what was given, transformed.
    public let bounds: Rect

    public init(_ polygons: Polygons, transform: Affine = .identity, clip: Region? = nil) {
        self.polygons = polygons.transformed(by: transform)
        bounds = self.polygons.bounds
    }

    /// Whether no pixel of `region` can be covered. **Cost**: next to nothing.
    public func isEmpty(in region: Region) -> Bool {
        !bounds.roundedOut.intersection(region).isEmpty
    }

    /// Writes the coverage, 0…1, of every pixel of `region`.
    public func coverage(in region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) {
    }
}
