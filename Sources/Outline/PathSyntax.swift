/// Why SVG path data could not be read.
public struct PathSyntaxError: Error, Hashable, Sendable {
    /// Where: bytes (UTF-8) from the beginning.
    public let offset: Int
    /// What is wrong there, for a person.
    public let reason: String
}

extension Path {
    /// Reads SVG path data (the `d` of a `path`).
    public static func parse(svg data: String) throws(PathSyntaxError) -> Path {
        Path()
    }
}
