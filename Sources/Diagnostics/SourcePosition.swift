/// A place in a text file.
///
/// **Cost.** Twelve bytes: a document of 16 MB has millions of these. Numbers above 4 294 967 295 stay there.
public struct SourcePosition: Hashable, Sendable, Comparable {
    private var storedLine: UInt32
    private var storedColumn: UInt32
    private var storedOffset: UInt32

    /// A place; 1-based line and column, the offset counted in bytes from 0.
    public init(line: Int, column: Int, offset: Int) {
        storedLine = UInt32(clamping: line)
        storedColumn = UInt32(clamping: column)
        storedOffset = UInt32(clamping: offset)
    }

    /// The place of what stands in no file: a value made in code.
    public static let none = SourcePosition(line: 0, column: 0, offset: 0)

    /// **Units.** Lines, from 1; a line ends at U+000A. 0 for what stands in no file.
    public var line: Int {
        get { Int(storedLine) }
        set { storedLine = UInt32(clamping: newValue) }
    }

    /// **Units.** Unicode scalars, from 1, as compilers and editors count.
    public var column: Int {
        get { Int(storedColumn) }
        set { storedColumn = UInt32(clamping: newValue) }
    }

    /// **Units.** Bytes of UTF-8, from 0.
    public var offset: Int {
        get { Int(storedOffset) }
        set { storedOffset = UInt32(clamping: newValue) }
    }

    /// Whether this is `none`.
    public var isNone: Bool { storedLine == 0 }

    /// Reading order.
    public static func < (one: SourcePosition, other: SourcePosition) -> Bool {
        (one.storedLine, one.storedColumn, one.storedOffset) < (other.storedLine, other.storedColumn, other.storedOffset)
    }
}

/// From a value's first character to just behind its last one.
public struct SourceRange: Hashable, Sendable {
    /// The first character.
    public var start: SourcePosition
    /// Behind the last character.
    public var end: SourcePosition

    /// The characters from `start` to just before `end`.
    public init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = end
    }

    /// The range of what stands in no file: a value made in code.
    public static let none = SourceRange(start: .none, end: .none)

    /// Whether this is `none`.
    public var isNone: Bool { start.isNone }
}
