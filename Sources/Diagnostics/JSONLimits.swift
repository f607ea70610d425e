/// How large a JSON text may be.
public struct JSONLimits: Hashable, Sendable {
    /// **Units.** Bytes.
    public var maximumBytes: Int
    /// How many lists and objects may lie within each other.
    public var maximumDepth: Int

    /// These limits.
    public init(maximumBytes: Int, maximumDepth: Int) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
    }

    /// Those of a pipeline document: 16 MB (16 · 2²⁰ bytes), 128 levels.
    public static let document = JSONLimits(maximumBytes: 16 << 20, maximumDepth: 128)
}
