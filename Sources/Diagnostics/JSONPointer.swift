/// The path of a value in a JSON document, `/nodes/label/2/width`.
///
/// A list linked from the tip to the root, so that the pointers of all values of a document share what they have in common.
/// Two pointers are equal when their texts are: the key `"2"` and the index 2 are one token.
///
/// **Cost.** Appending allocates one small object, whatever the length.
/// **Source.** RFC 6901.
public struct JSONPointer: Hashable, Sendable {
    fileprivate let tip: Step?

    fileprivate init(tip: Step?) { self.tip = tip }

    /// The whole document; its text is empty.
    public static let root = JSONPointer(tip: nil)

    /// The pointer of a member of the object that this one points to.
    public func appending(_ key: String) -> JSONPointer {
        JSONPointer(tip: Step(before: tip, token: Token(key)))
    }

    /// The pointer of an element, counted from 0, of the list that this one points to.
    public func appending(_ index: Int) -> JSONPointer {
        JSONPointer(tip: Step(before: tip, token: .index(index)))
    }

    /// `other`, taken as relative to this one.
    public func appending(_ other: JSONPointer) -> JSONPointer {
        var whole = tip
        for token in other.steps { whole = Step(before: whole, token: token) }
        return JSONPointer(tip: whole)
    }

    /// Whether this is the whole document.
    public var isRoot: Bool { tip == nil }

    /// How many tokens there are.
    public var count: Int { tip?.depth ?? 0 }

    /// The pointer of the object or list that holds this value; nil for the root.
    public var parent: JSONPointer? { tip.map { JSONPointer(tip: $0.before) } }

    /// The last token as written in the document, not escaped; nil for the root.
    public var last: String? { tip?.token.text }

    /// All tokens from the root on, as written in the document, not escaped.
    public var tokens: [String] { steps.map(\.text) }

    /// Reads a pointer's text: empty, or tokens that each begin with `/`; `~1` is a slash and `~0` a tilde.
    ///
    /// **Errors.** `json-bad-pointer`.
    public init(parsing text: String) throws(Diagnostic) {
        guard !text.isEmpty else {
            self = .root
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw Diagnostic("json-bad-pointer", expected: "a JSON pointer that begins with \"/\"", got: Quoted.text(text))
        }
        var tip: Step?
        for token in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let plain = Token.unescaped(token) else {
                throw Diagnostic(
                    "json-bad-pointer", expected: "\"~0\" for \"~\" and \"~1\" for \"/\" in a JSON pointer",
                    got: Quoted.text(text))
            }
            tip = Step(before: tip, token: Token(plain))
        }
        self.tip = tip
    }

    fileprivate var steps: [Token] {
        var result: [Token] = []
        result.reserveCapacity(count)
        var step = tip
        while let here = step {
            result.append(here.token)
            step = here.before
        }
        result.reverse()
        return result
    }

    /// Whether the texts are the same.
    public static func == (one: JSONPointer, other: JSONPointer) -> Bool {
        guard one.count == other.count else { return false }
        var (a, b) = (one.tip, other.tip)
        // What is shared is the same object: the walk ends there.
        while let left = a, let right = b, left !== right {
            guard left.token == right.token else { return false }
            (a, b) = (left.before, right.before)
        }
        return true
    }

    /// Feeds the tokens, last one first.
    public func hash(into hasher: inout Hasher) {
        var step = tip
        while let here = step {
            hasher.combine(here.token)
            step = here.before
        }
        hasher.combine(count)
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer's text, `/nodes/label/2/width`.
    public var description: String {
        var text = ""
        for token in steps {
            text += "/"
            token.escape(into: &text)
        }
        return text
    }
}

extension JSONPointer: ExpressibleByStringLiteral {
    /// A pointer written in code. It must be well-formed: a literal is the programmer's, never a user's.
    public init(stringLiteral text: String) {
        do {
            self = try JSONPointer(parsing: text)
        } catch {
            preconditionFailure(error.message)
        }
    }
}

/// One token of a pointer. What looks like an index is one, so that each token has one form.
private enum Token: Hashable, Sendable {
    case key(String)
    case index(Int)

    init(_ text: String) {
        if let first = text.utf8.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9"), let index = Int(text),
            first != UInt8(ascii: "0") || text.utf8.count == 1
        {
            self = .index(index)
        } else {
            self = .key(text)
        }
    }

    var text: String {
        switch self {
        case .key(let key): key
        case .index(let index): String(index)
        }
    }

    func escape(into result: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "~": result += "~0"
            case "/": result += "~1"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    static func unescaped(_ token: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = token.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.next() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A token and the path to it.
///
/// `@unchecked`: `before` is a variable only for `deinit`, which no other thread can see.
private final class Step: @unchecked Sendable {
    private(set) var before: Step?
    let token: Token
    let depth: Int

    init(before: Step?, token: Token) {
        self.before = before
        self.token = token
        depth = (before?.depth ?? 0) + 1
    }

    /// Frees the path in a loop: left to itself, the runtime would recurse once a token.
    deinit {
        var next = before
        before = nil
        while isKnownUniquelyReferenced(&next) {
            let after = next?.before
            next?.before = nil
            next = after
        }
    }
}
