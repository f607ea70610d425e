extension Polygons {
    /// The edge of a picture's alpha, sub-pixel exact.
    public static func trace(
        alpha: UnsafePointer<Float>, width: Int, height: Int, rowStride: Int, threshold: Float, origin: Point
    ) -> Polygons {
        .empty
    }
}
