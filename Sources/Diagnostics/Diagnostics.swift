/// All findings of a run. Thrown as a whole, so that a user sees every problem at once.
public struct Diagnostics: Error, Sendable, ExpressibleByArrayLiteral {
    private var found: [Diagnostic] = []
    private var known: Set<Diagnostic> = []

    /// The findings by file and position, those without a place first; where these are the same, in the order they were made.
    ///
    /// **Cost.** Sorts at every call.
    public var all: [Diagnostic] {
        found.indices.sorted { one, other in
            Self.isBefore(found[one], found[other]) ?? (one < other)
        }.map { found[$0] }
    }

    /// No findings yet.
    public init() {}

    /// These findings.
    public init(_ findings: some Sequence<Diagnostic>) {
        for finding in findings { append(finding) }
    }

    /// These findings.
    public init(arrayLiteral findings: Diagnostic...) {
        self.init(findings)
    }

    /// Adds a finding. The same one twice is one: a node used in two places is checked in both.
    public mutating func append(_ finding: Diagnostic) {
        if known.insert(finding).inserted { found.append(finding) }
    }

    /// Adds the findings of another check.
    public mutating func append(_ other: Diagnostics) {
        for finding in other.found { append(finding) }
    }

    /// Whether there is nothing to report.
    public var isEmpty: Bool { found.isEmpty }

    /// How many findings there are.
    public var count: Int { found.count }

    /// Whether one of them is an error; warnings and notes stop nothing.
    public var hasErrors: Bool { found.contains { $0.severity == .error } }

    /// Ends a check that found errors.
    ///
    /// **Errors.** This value, warnings and notes included.
    public func throwIfErrors() throws(Diagnostics) {
        if hasErrors { throw self }
    }

    /// All findings as a user reads them, each ended by a line end; empty when there are none.
    public func render() -> String {
        all.map { $0.description + "\n" }.joined()
    }

    /// All findings as JSON, one object a line: `severity code file line column pointer message expected got help suggestion cause`.
    public func json() -> String {
        var writer = JSONWriter()
        for finding in all {
            finding.write(to: &writer)
            writer.endLine()
        }
        return writer.text
    }

    /// By file and position; nil when neither differs.
    private static func isBefore(_ one: Diagnostic, _ other: Diagnostic) -> Bool? {
        if one.file != other.file {
            guard let a = one.file, let b = other.file else { return one.file == nil }
            return a < b
        }
        let (a, b) = (one.position ?? .none, other.position ?? .none)
        return a == b ? nil : a < b
    }
}

extension Diagnostics: CustomStringConvertible {
    /// What `render()` gives.
    public var description: String { render() }
}
