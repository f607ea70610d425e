/// Writes compact JSON, one text after the other into one buffer: reports, journals, messages between processes.
///
/// Commas come by themselves. The caller opens and closes what belongs together; `object { }` and `array { }` do it for him.
///
/// **Errors.** None: numbers that are not finite, which JSON does not have, are written as `null`.
/// **Cost.** Amortised constant time a byte, no allocation of its own.
public struct JSONWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []
    /// Whether a comma has to come before the next value.
    private var wantsComma = false

    /// An empty buffer.
    public init() {}

    /// What was written so far.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Forgets what was written and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        wantsComma = false
    }

    // MARK: Structure

    /// Opens an object.
    public mutating func beginObject() { open("{") }
    /// Closes an object.
    public mutating func endObject() { close("}") }
    /// Opens a list.
    public mutating func beginArray() { open("[") }
    /// Closes a list.
    public mutating func endArray() { close("]") }

    /// Writes an object whose members `body` writes.
    public mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        beginObject()
        try body(&self)
        endObject()
    }

    /// Writes a list whose elements `body` writes.
    public mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        beginArray()
        try body(&self)
        endArray()
    }

    /// Writes a member's key; its value comes next.
    public mutating func key(_ key: String) {
        string(key)
        bytes.append(UInt8(ascii: ":"))
        wantsComma = false
    }

    /// Ends a line: the next value starts a text of its own, as in JSON lines.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        wantsComma = false
    }

    // MARK: Values

    /// Writes a text.
    public mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { escape($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a byte string, a file's path for one, as a text that `ByteString.bytes(of:)` turns back into the same bytes.
    public mutating func string(bytes path: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        ByteString.write(path, to: &self)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a whole number.
    public mutating func number(_ number: some BinaryInteger) {
        separate()
        bytes.append(contentsOf: String(number).utf8)
    }

    /// Writes a number with the fewest digits that read back as the same one; `null` when it is not finite.
    public mutating func number(_ number: Double) {
        separate()
        bytes.append(contentsOf: Self.text(of: number).utf8)
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes a value as it was parsed: numbers by their own text, members in their order.
    public mutating func value(_ value: JSONValue) {
        // An explicit stack: a value made in code may be nested more deeply than a document may.
        var open: [(container: JSONValue, next: Int)] = []
        var value = value
        while true {
            switch value.content {
            case .null: null()
            case .bool(let flag): bool(flag)
            case .number(_, let text):
                separate()
                bytes.append(contentsOf: text.utf8)
            case .string(let text): string(text)
            case .array:
                beginArray()
                open.append((value, 0))
            case .object:
                beginObject()
                open.append((value, 0))
            }
            search: while true {
                guard let (container, next) = open.last else { return }
                open[open.count - 1].next += 1
                switch container.content {
                case .array(let elements) where next < elements.count:
                    value = elements[next]
                    break search
                case .object(let members) where next < members.count:
                    key(members[next].key)
                    value = members[next].value
                    break search
                case .array: endArray()
                default: endObject()
                }
                open.removeLast()
            }
        }
    }

    // MARK: Members

    /// Writes a member that is a text.
    public mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    /// Writes a member that is a byte string; see `string(bytes:)`.
    public mutating func member(_ name: String, bytes value: [UInt8]) {
        key(name)
        string(bytes: value)
    }

    /// Writes a member that is a whole number.
    public mutating func member(_ name: String, _ value: Int) {
        key(name)
        number(value)
    }

    /// Writes a member that is a number.
    public mutating func member(_ name: String, _ value: Double) {
        key(name)
        number(value)
    }

    /// Writes a member that is true or false.
    public mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// Writes a member that is a list of texts.
    public mutating func member(_ name: String, _ values: [String]) {
        key(name)
        array { for value in values { $0.string(value) } }
    }

    /// Writes a member that was parsed or made before.
    public mutating func member(_ name: String, _ value: JSONValue) {
        key(name)
        self.value(value)
    }

    // MARK: Bytes

    /// A number's text: `4`, not `4.0`.
    static func text(of number: Double) -> String {
        guard number.isFinite else { return "null" }
        // Whole numbers below 2⁵³ are exact; −0 keeps its sign.
        if number == number.rounded(), abs(number) < 0x1p53, number != 0 || number.sign == .plus {
            return String(Int(number))
        }
        return number.description
    }

    private mutating func separate() {
        if wantsComma { bytes.append(UInt8(ascii: ",")) }
        wantsComma = true
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        wantsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        wantsComma = true
    }

    /// Appends UTF-8 with JSON's escapes: runs that need none in one go.
    mutating func escape(_ utf8: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for here in 0..<utf8.count {
            let byte = utf8[here]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F else { continue }
            bytes.append(contentsOf: utf8[start..<here])
            start = here + 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x0C: bytes.append(contentsOf: "\\f".utf8)
            default: unicodeEscape(UInt16(byte))
            }
        }
        bytes.append(contentsOf: utf8[start...])
    }

    mutating func unicodeEscape(_ unit: UInt16) {
        bytes.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] as [UInt16] {
            let digit = UInt8(truncatingIfNeeded: unit >> shift & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
