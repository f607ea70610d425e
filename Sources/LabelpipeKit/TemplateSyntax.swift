extension Template {
    public struct SyntaxError: Error, Hashable, Sendable {
        /// What was expected, in words.
        public let expected: String
        public let got: String
        /// Characters before the mistake.
        public let offset: Int
    }

    /// Reads a template.
    ///
    /// `{field:format|other|"literal"}`, and `{{` `}}` for braces. A date's format on the last alternative is that of all that
    /// have none.
    /// **Errors**: `SyntaxError` for a brace that is not closed, a lone `}`, a field without a name, an odd format.
    public init(_ text: String) throws(SyntaxError) {
        var reader = TemplateReader(text)
        self.init(parts: try reader.parts())
    }
}

private struct TemplateReader {
    private let text: [Character]
    private var i = 0
    /// Where the field that is being read begins.
    private var open = 0

    init(_ text: String) { self.text = Array(text) }

    mutating func parts() throws(Template.SyntaxError) -> [Template.Part] {
        var parts: [Template.Part] = []
        var literal = ""
        while i < text.count {
            let c = text[i]
            if c == "{" || c == "}", i + 1 < text.count, text[i + 1] == c {
                literal.append(c)
                i += 2
            } else if c == "{" {
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                parts.append(.first(try alternatives()))
            } else if c == "}" {
                throw Template.SyntaxError(expected: "}} for a brace that is text", got: "a lone }", offset: i)
            } else {
                literal.append(c)
                i += 1
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        return parts
    }

    /// From the opening brace to behind the closing one.
    private mutating func alternatives() throws(Template.SyntaxError) -> [Template.Source] {
        open = i
        i += 1
        var sources: [Template.Source] = []
        while true {
            sources.append(try alternative())
            let end = text[i]
            i += 1
            if end == "}" { break }
        }
        guard case .field(_, .date(let format)?) = sources.last else { return sources }
        return sources.map { source in
            if case .field(let name, nil) = source { .field(name, .date(format)) } else { source }
        }
    }

    /// Up to the `|` or `}` behind it.
    private mutating func alternative() throws(Template.SyntaxError) -> Template.Source {
        while i < text.count, text[i].isWhitespace { i += 1 }
        if i < text.count, text[i] == "\"" { return .literal(try literal()) }
        let start = i
        var name = ""
        while i < text.count, text[i] != "|", text[i] != "}" {
            if text[i] == "{" { throw Template.SyntaxError(expected: "a field's name", got: "{ inside a field", offset: i) }
            name.append(text[i])
            i += 1
        }
        guard i < text.count else { throw unclosed() }
        name = name.trimmed
        guard !name.isEmpty else {
            throw Template.SyntaxError(
                expected: "a field's name, or a text in quotes", got: text[i] == "|" ? "nothing before |" : "nothing before }",
                offset: start)
        }
        return try field(name, at: start)
    }

    private mutating func literal() throws(Template.SyntaxError) -> String {
        guard let close = text[(i + 1)...].firstIndex(of: "\"") else { throw unclosed() }
        let literal = String(text[(i + 1)..<close])
        i = close + 1
        while i < text.count, text[i].isWhitespace { i += 1 }
        guard i < text.count else { throw unclosed() }
        guard text[i] == "|" || text[i] == "}" else {
            throw Template.SyntaxError(expected: "| or } behind the text in quotes", got: String(text[i]), offset: i)
        }
        return literal
    }

    private func unclosed() -> Template.SyntaxError {
        Template.SyntaxError(expected: "} at the end of a field", got: "the end of the text", offset: open)
    }

    /// A colon starts a format only before `%` or before nothing but digits: `xmp.dc:creator` has one in its name.
    private func field(_ text: String, at offset: Int) throws(Template.SyntaxError) -> Template.Source {
        var rest = text[...]
        while let colon = rest.firstIndex(of: ":") {
            let format = rest[rest.index(after: colon)...]
            let name = String(text[..<colon]).trimmed
            let isDate = format.hasPrefix("%")
            if isDate || !format.isEmpty && format.utf8.allSatisfy({ (48...57).contains($0) }) {
                guard !name.isEmpty else {
                    throw Template.SyntaxError(expected: "a field's name before the colon", got: "nothing", offset: offset)
                }
                if let wrong = isDate ? CalendarDate.unknownCode(in: format) : nil {
                    throw Template.SyntaxError(
                        expected: "a code of a date (%Y %m %d %H %M %S %B %b %A %a %j …; %% is a percent sign)", got: wrong,
                        offset: offset)
                }
                if isDate { return .field(name, .date(String(format))) }
                guard let width = Int(format), (1...64).contains(width) else {
                    throw Template.SyntaxError(expected: "a width from 1 to 64", got: String(format), offset: offset)
                }
                return .field(name, .digits(width, zeros: format.hasPrefix("0")))
            }
            rest = format
        }
        return .field(text, nil)
    }
}
