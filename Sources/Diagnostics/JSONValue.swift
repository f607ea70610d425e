/// A JSON value and where it stands in its file.
///
/// Numbers keep the text they were written with, objects the order of their members.
public struct JSONValue: Sendable {
    /// What a value is.
    public enum Content: Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number, always finite, and its text in the document.
        case number(Double, text: String)
        /// A text, its escapes resolved.
        case string(String)
        /// A list.
        case array([JSONValue])
        /// An object; no key twice.
        case object([Member])
    }

    /// A key of an object and its value.
    public struct Member: Sendable {
        /// The key, its escapes resolved.
        public let key: String
        /// Where the key stands, quotes included.
        public let keyRange: SourceRange
        /// What it is set to.
        public let value: JSONValue

        /// A member; one made in code stands nowhere.
        public init(key: String, keyRange: SourceRange = .none, value: JSONValue) {
            self.key = key
            self.keyRange = keyRange
            self.value = value
        }
    }

    /// What the value is.
    public let content: Content
    /// Where it stands in its file; `none` when it was made in code.
    public let range: SourceRange

    /// A value; one made in code stands nowhere.
    public init(_ content: Content, range: SourceRange = .none) {
        self.content = content
        self.range = range
    }

    /// A number made in code. One that is not finite becomes `null`: JSON has no text for it.
    public init(_ number: Double) {
        self.init(number.isFinite ? .number(number, text: JSONWriter.text(of: number)) : .null)
    }

    /// A whole number made in code.
    public init(_ number: Int) {
        self.init(.number(Double(number), text: String(number)))
    }
}

// MARK: - Looking into it

extension JSONValue {
    /// The value of a member; nil when this is no object or has no such key.
    ///
    /// **Cost.** Looks through the members one by one.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = content else { return nil }
        // By index: a closure would be given a copy of each.
        for index in members.indices where members[index].key == key { return members[index].value }
        return nil
    }

    /// A member with its key's place; nil when this is no object or has no such key.
    public func member(_ key: String) -> Member? {
        guard case .object(let members) = content else { return nil }
        for index in members.indices where members[index].key == key { return members[index] }
        return nil
    }

    /// The value that a pointer, relative to this one, points to.
    public subscript(pointer pointer: JSONPointer) -> JSONValue? {
        var value = self
        for token in pointer.tokens {
            switch value.content {
            case .object:
                guard let next = value[token] else { return nil }
                value = next
            case .array(let elements):
                // "01" and "+1" are not indices: only what an index is written as.
                guard let index = Int(token), String(index) == token, elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    /// The members of an object in their order; nil for anything else.
    public var members: [Member]? {
        if case .object(let members) = content { members } else { nil }
    }

    /// The elements of a list; nil for anything else.
    public var elements: [JSONValue]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// The characters of a text; nil for anything else.
    public var string: String? {
        if case .string(let text) = content { text } else { nil }
    }

    /// A number's value; nil for anything else.
    public var double: Double? {
        if case .number(let number, _) = content { number } else { nil }
    }

    /// A number that is whole, `4` or `4.0` or `4e0`, and that an `Int` holds exactly; nil for anything else.
    public var integer: Int? {
        guard case .number(let number, let text) = content else { return nil }
        return Int(text) ?? Int(exactly: number)
    }

    /// True or false; nil for anything else.
    public var bool: Bool? {
        if case .bool(let flag) = content { flag } else { nil }
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = content { true } else { false }
    }

    /// The kind of value, as messages call it.
    public var typeName: String {
        switch content {
        case .null: "null"
        case .bool: "true or false"
        case .number: "number"
        case .string: "text"
        case .array: "list"
        case .object: "object"
        }
    }

    /// The value as a message names what it *got*: `-3 (number)`, `"5%" (text)`, `true`, `[1,2] (list)`; what is long is shortened.
    public var got: String {
        switch content {
        case .null, .bool: return compact
        case .number(_, let text): return (text.utf8.count <= 40 ? text : text.prefix(40) + "…") + " (number)"
        case .string(let text): return Quoted.text(text) + " (text)"
        case .array(let elements):
            let isShort = elements.count <= 8 && elements.allSatisfy { $0.members == nil && $0.elements == nil }
            let text = isShort ? Quoted.onOneLine(compact) : ""
            return isShort && text.unicodeScalars.count <= 60 ? text + " (list)" : "a list of \(elements.count)"
        case .object(let members):
            let names = members.prefix(4).map { Quoted.text($0.key, limit: 20) }
            if names.isEmpty { return "{} (object)" }
            return "an object with " + names.joined(separator: ", ") + (members.count > 4 ? ", …" : "")
        }
    }

    /// The value as JSON text on one line, without blanks.
    public var compact: String {
        var writer = JSONWriter()
        writer.value(self)
        return writer.text
    }
}

// MARK: - Made in code

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral text: String) { self.init(.string(text)) }
    /// A number.
    public init(floatLiteral number: Double) { self.init(number) }
    /// A whole number.
    public init(integerLiteral number: Int) { self.init(number) }
    /// `true` or `false`.
    public init(booleanLiteral flag: Bool) { self.init(.bool(flag)) }
    /// A list.
    public init(arrayLiteral elements: JSONValue...) { self.init(.array(elements)) }
    /// An object, its members in the order written.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(.object(members.map { Member(key: $0.0, value: $0.1) }))
    }
    /// `null`.
    public init(nilLiteral: ()) { self.init(.null) }
}
