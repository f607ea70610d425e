/// One finding: what is wrong, where, and what to do about it.
///
/// What is *expected* comes from a declaration and what was *got* from the document; the sentence is made of both. Findings
/// that are not about a value (an unknown name, a ring) have a `message` of their own.
public struct Diagnostic: Error, Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Nothing is done.
        case error
        /// It is done, but perhaps not as meant.
        case warning
        /// Good to know.
        case note
    }

    /// How bad it is.
    public var severity: Severity
    /// The kind of finding, a stable name for programs, `unknown-effect`.
    public var code: String
    /// The file, as the user named it.
    public var file: String?
    /// The place in the file.
    public var position: SourcePosition?
    /// The value in the document.
    public var pointer: JSONPointer?
    /// What a declaration asks for, `a length from 0px to 4096px`.
    public var expected: String?
    /// What the document has, `-3 (number)`; see `JSONValue.got`.
    public var got: String?
    /// What helps, a line each.
    public var help: [String]
    /// The name that was probably meant, bare.
    public var suggestion: String?
    /// What another library said about it, in its own words.
    public var cause: String?

    private var ownMessage: String?

    /// The sentence: the one given, else `expected …, got …`.
    public var message: String {
        get {
            switch (ownMessage, expected, got) {
            case (let message?, _, _): message
            case (nil, let expected?, let got?): "expected \(expected), got \(got)"
            case (nil, let expected?, nil): "expected \(expected)"
            case (nil, nil, let got?): "unexpected \(got)"
            case (nil, nil, nil): code
            }
        }
        set { ownMessage = newValue }
    }

    /// A finding with a sentence of its own, or with what was expected and got.
    public init(
        _ code: String, severity: Severity = .error, file: String? = nil, position: SourcePosition? = nil,
        pointer: JSONPointer? = nil, message: String? = nil, expected: String? = nil, got: String? = nil, help: [String] = [],
        suggestion: String? = nil, cause: String? = nil
    ) {
        self.severity = severity
        self.code = code
        self.file = file
        self.position = position
        self.pointer = pointer
        self.expected = expected
        self.got = got
        self.help = help
        self.suggestion = suggestion
        self.cause = cause
        ownMessage = message
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The finding as a user reads it, without a line end: the line, then `cause:` and `help:` lines indented by two.
    public var description: String {
        var place = file.map(Quoted.onOneLine) ?? ""
        if let position, !position.isNone {
            place += (place.isEmpty ? "" : ":") + "\(position.line):\(position.column)"
        }
        var line = place.isEmpty ? "" : place + ": "
        line += severity.rawValue + ": "
        if let pointer, !pointer.isRoot { line += Quoted.onOneLine(pointer.description) + ": " }
        line += Quoted.onOneLine(message)
        if let cause { Self.add(cause, as: "cause", to: &line) }
        if let suggestion { Self.add("did you mean \(Quoted.text(suggestion))?", as: "help", to: &line) }
        for text in help { Self.add(text, as: "help", to: &line) }
        return line
    }

    /// Adds an indented line; further lines of `text` stand below its first word.
    private static func add(_ text: String, as label: String, to result: inout String) {
        var start = "\n  \(label): "
        for line in text.split(whereSeparator: \.isNewline) {
            result += start + Quoted.onOneLine(String(line))
            start = "\n" + String(repeating: " ", count: label.utf8.count + 4)
        }
    }

    /// Writes the finding as one JSON object; what is absent is left out.
    public func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("severity", severity.rawValue)
            $0.member("code", code)
            if let file { $0.member("file", file) }
            if let position, !position.isNone {
                $0.member("line", position.line)
                $0.member("column", position.column)
            }
            if let pointer { $0.member("pointer", pointer.description) }
            $0.member("message", message)
            if let expected { $0.member("expected", expected) }
            if let got { $0.member("got", got) }
            if !help.isEmpty { $0.member("help", help) }
            if let suggestion { $0.member("suggestion", suggestion) }
            if let cause { $0.member("cause", cause) }
        }
    }
}
