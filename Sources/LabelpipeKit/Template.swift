/// Text with `{fields}`.
///
/// ```
/// © {date:%Y} {exif.Artist|row.owner|"Unknown"}   {index:04}   {{literal braces}}
/// ```
public struct Template: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case field(String, FieldFormat?)
        case literal(String)
    }

    enum Part: Hashable, Sendable {
        case text(String)
        /// The first that is present and not empty.
        case first([Source])
    }

    let parts: [Part]
    /// The names it asks for, each once, in order.
    public let fields: [String]

    init(parts: [Part]) {
        self.parts = parts
        var names: [String] = []
        var known: Set<String> = []
        for case .first(let sources) in parts {
            for case .field(let name, _) in sources where known.insert(name).inserted { names.append(name) }
        }
        fields = names
    }

    /// A template that is just this text.
    public init(literal text: String) { self.init(parts: text.isEmpty ? [] : [.text(text)]) }

    /// The text, where it has no fields.
    public var constant: String? {
        fields.isEmpty ? try? filled(missing: .empty) { _ in nil } : nil
    }

    /// Whether it says that something may be empty: `{field|""}`.
    package var hasEmptyLiteral: Bool {
        parts.contains { if case .first(let sources) = $0 { sources.contains(.literal("")) } else { false } }
    }

    /// The fields that stand without an alternative.
    package var needed: [String] {
        parts.compactMap { part in
            guard case .first(let sources) = part, sources.count == 1, case .field(let name, _) = sources[0] else { return nil }
            return name
        }
    }

    /// How many fields are looked up at most to fill it in.
    package var lookups: Int {
        parts.reduce(0) { sum, part in
            if case .first(let sources) = part { sum + sources.count } else { sum }
        }
    }

    /// What happens where no alternative of a field is there.
    public enum Missing: String, CaseIterable, Sendable { case error, empty }

    public struct MissingField: Error, Hashable, Sendable {
        /// The alternatives that were tried.
        public let names: [String]
    }

    /// The text has become longer than any label.
    public struct TooLong: Error, Hashable, Sendable {
        /// **Units**: bytes of UTF-8.
        public static let limit = 1 << 20
    }

    /// Fills the fields in.
    ///
    /// - Parameter lookup: a field's value; nil where there is none. One that is there and empty is not missing, but an
    ///   alternative that is not empty is taken before it.
    /// **Errors**: `MissingField`, unless missing fields are to be empty; `TooLong`.
    public func filled(
        missing: Missing = .error, _ lookup: (String) throws -> FieldValue?
    ) throws -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .first(let sources): text += try first(of: sources, missing: missing, lookup)
            }
            guard text.utf8.count <= TooLong.limit else { throw TooLong() }
        }
        return text
    }

    private func first(
        of sources: [Source], missing: Missing, _ lookup: (String) throws -> FieldValue?
    ) throws -> String {
        var isPresent = false
        for source in sources {
            switch source {
            case .literal(let literal): return literal
            case .field(let name, let format):
                guard let value = try lookup(name) else { continue }
                isPresent = true
                let text = value.text(format)
                if !text.isEmpty { return text }
            }
        }
        if isPresent || missing == .empty { return "" }
        throw MissingField(names: sources.compactMap { if case .field(let name, _) = $0 { name } else { nil } })
    }
}

/// How a template wants a field printed.
enum FieldFormat: Hashable, Sendable {
    /// strftime's, for dates.
    case date(String)
    /// So many digits, the places before them zeros or blanks.
    case digits(Int, zeros: Bool)
}

/// The value of a template's field.
public enum FieldValue: Hashable, Sendable {
    case text(String)
    case integer(Int)
    case date(CalendarDate)

    /// As a template prints it; dates without a format are ISO 8601.
    ///
    /// A format that does not fit the value changes nothing. A date without digits but zeros is a clock that was not set: empty.
    func text(_ format: FieldFormat?) -> String {
        switch (self, format) {
        case (.text(let text), nil): return text
        case (.text(let text), .date(let format)):
            if let date = CalendarDate(text) { return date.formatted(format) }
            let isUnset = !text.isEmpty && text.allSatisfy { "0:-/ T".contains($0) }
            return isUnset ? "" : text
        case (.text(let text), .digits): return Int(text).map { FieldValue.integer($0).text(format) } ?? text
        case (.integer(let n), .digits(let width, let zeros)):
            let digits = String(n.magnitude)
            let padding = String(repeating: zeros ? "0" : " ", count: max(0, width - digits.count))
            return zeros ? (n < 0 ? "-" : "") + padding + digits : padding + (n < 0 ? "-" : "") + digits
        case (.integer(let n), _): return String(n)
        case (.date(let date), .date(let format)): return date.formatted(format)
        case (.date(let date), _): return date.formatted("%Y-%m-%d")
        }
    }
}
