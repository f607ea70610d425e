extension JSONValue {
    /// Parses strict JSON in UTF-8, one value with blanks around it.
    ///
    /// What other readers let pass is refused: a key twice, a comma before a closing bracket, comments, a byte-order mark,
    /// ill-formed UTF-8, half surrogate pairs, numbers beyond a `Double`. Keys are the same when Unicode calls them equivalent
    /// (é as one character or as two), since that is how they are looked up.
    ///
    /// **Errors.** One finding, the first, with line and column; its code begins with `json-`.
    /// **Cost.** Linear; the depth of the text costs memory, no stack.
    /// **Source.** RFC 8259.
    public static func parse(
        _ bytes: UnsafeRawBufferPointer, file: String, limits: JSONLimits = .document
    ) throws(Diagnostics) -> JSONValue {
        do throws(Diagnostic) {
            guard bytes.count <= limits.maximumBytes else {
                throw Diagnostic(
                    "json-too-large", expected: "at most \(sizeText(limits.maximumBytes)) of JSON", got: sizeText(bytes.count))
            }
            let utf8 = bytes.bindMemory(to: UInt8.self)
            guard let base = utf8.baseAddress, !utf8.isEmpty else {
                throw Diagnostic(
                    "json-empty", position: SourcePosition(line: 1, column: 1, offset: 0), expected: "a JSON value",
                    got: "an empty file")
            }
            var parser = JSONParser(base: base, end: utf8.count, maximumDepth: limits.maximumDepth)
            return try parser.parse()
        } catch var finding {
            finding.file = file
            throw [finding]
        }
    }

    /// Parses strict JSON in UTF-8; as above.
    public static func parse(
        _ bytes: [UInt8], file: String, limits: JSONLimits = .document
    ) throws(Diagnostics) -> JSONValue {
        // A Result, since the closure's typed error does not pass through `withUnsafeBytes`.
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(Diagnostics) in try parse(buffer, file: file, limits: limits) }
        }.get()
    }

    private static func sizeText(_ bytes: Int) -> String {
        bytes >= 1 << 20 && bytes % (1 << 20) == 0 ? "\(bytes >> 20) MB" : "\(bytes) bytes"
    }
}

/// The parser's state: where it is, and what is open.
///
/// Finished values wait on one stack until the list or object around them ends; `Frame` knows where its own begin.
struct JSONParser {
    private struct Frame {
        let isObject: Bool
        /// The opening bracket.
        let start: SourcePosition
        /// Its first element in `values`.
        let firstValue: Int
        /// Its first key in `keys`.
        let firstKey: Int
        /// Keys to their index in `keys`; only for objects of more than `searched` members.
        var index: [String: Int] = [:]
    }

    private struct Key {
        let text: String
        let range: SourceRange
    }

    /// Below this many keys looking at each is faster than hashing.
    private static let searched = 12

    let base: UnsafePointer<UInt8>
    let end: Int
    let maximumDepth: Int
    var at = 0
    private var line = 1
    /// The offset that column 1 would have if all characters before on this line were one byte long.
    private var columnBase = 0
    private var frames: [Frame] = []
    private var values: [JSONValue] = []
    private var keys: [Key] = []
    /// Whether the innermost list or object waits for a comma or its end, not for a value.
    private var isBetween = false

    init(base: UnsafePointer<UInt8>, end: Int, maximumDepth: Int) {
        self.base = base
        self.end = end
        self.maximumDepth = maximumDepth
    }

    /// The one value of the text.
    mutating func parse() throws(Diagnostic) -> JSONValue {
        try refuseOtherEncodings()
        skipBlanks()
        while true {
            guard var value = try scalarOrOpening() else { continue }
            // A finished value ends as many lists and objects as there are closing brackets behind it.
            while let frame = frames.last {
                values.append(value)
                isBetween = true
                skipBlanks()
                guard at < end else { throw truncated() }
                let byte = base[at]
                if byte == UInt8(ascii: ",") {
                    let comma = position
                    at += 1
                    skipBlanks()
                    if at < end, base[at] == UInt8(ascii: "]") || base[at] == UInt8(ascii: "}") {
                        throw finding(
                            "json-trailing-comma", at: comma, message: "trailing comma before \"\(shownHere)\"")
                    }
                    if frame.isObject { try parseKey() } else { isBetween = false }
                    break
                }
                guard byte == (frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw missingComma(in: frame) }
                at += 1
                value = close(frame)
            }
            if frames.isEmpty {
                skipBlanks()
                guard at == end else {
                    try refuseComment()
                    throw finding("json-after-end", expected: "the end of the file after the value", got: describedHere)
                }
                return value
            }
        }
    }

    // MARK: Lists and objects

    /// A value that is complete; nil when a list or object was opened and its first value comes next.
    private mutating func scalarOrOpening() throws(Diagnostic) -> JSONValue? {
        guard at < end else { throw truncated() }
        let start = position
        switch base[at] {
        case UInt8(ascii: "\""):
            let text = try string()
            return JSONValue(.string(text), range: SourceRange(start: start, end: position))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let content = try number()
            return JSONValue(content, range: SourceRange(start: start, end: position))
        case UInt8(ascii: "{"):
            try open(isObject: true, start)
            guard at < end, base[at] == UInt8(ascii: "}") else {
                try parseKey()
                return nil
            }
        case UInt8(ascii: "["):
            try open(isObject: false, start)
            guard at < end, base[at] == UInt8(ascii: "]") else { return nil }
        default:
            let content = try word()
            return JSONValue(content, range: SourceRange(start: start, end: position))
        }
        at += 1
        return close(frames[frames.count - 1])
    }

    private mutating func open(isObject: Bool, _ start: SourcePosition) throws(Diagnostic) {
        guard frames.count < maximumDepth else {
            // Its pointer would be longer than helpful.
            throw Diagnostic(
                "json-too-deep", position: start, expected: "at most \(maximumDepth) lists and objects within each other",
                got: "one more")
        }
        isBetween = false
        frames.append(Frame(isObject: isObject, start: start, firstValue: values.count, firstKey: keys.count))
        at += 1
        skipBlanks()
    }

    /// Ends the innermost list or object; the closing bracket has been read.
    private mutating func close(_ frame: Frame) -> JSONValue {
        frames.removeLast()
        let range = SourceRange(start: frame.start, end: position)
        guard frame.isObject else {
            // The outermost list takes the stack itself: no copy of what may be all of the document.
            guard frame.firstValue > 0 else {
                var elements: [JSONValue] = []
                swap(&elements, &values)
                return JSONValue(.array(elements), range: range)
            }
            let elements = Array(values[frame.firstValue...])
            values.removeLast(elements.count)
            return JSONValue(.array(elements), range: range)
        }
        let count = keys.count - frame.firstKey
        let members = [Member](unsafeUninitializedCapacity: count) { buffer, initialized in
            for i in 0..<count {
                let key = keys[frame.firstKey + i]
                (buffer.baseAddress! + i).initialize(
                    to: Member(key: key.text, keyRange: key.range, value: values[frame.firstValue + i]))
            }
            initialized = count
        }
        values.removeLast(count)
        keys.removeLast(count)
        return JSONValue(.object(members), range: range)
    }

    private typealias Member = JSONValue.Member

    /// Reads `"key":` and the blanks behind it.
    private mutating func parseKey() throws(Diagnostic) {
        guard at < end else { throw truncated() }
        let start = position
        guard base[at] == UInt8(ascii: "\"") else {
            try refuseComment()
            throw finding(
                "json-bad-key", expected: "a key in double quotes", got: describedHere, help: quotesHelp)
        }
        let text = try string()
        let range = SourceRange(start: start, end: position)
        try refuseDuplicate(text, at: start)
        keys.append(Key(text: text, range: range))
        isBetween = false
        skipBlanks()
        guard at < end else { throw truncated() }
        guard base[at] == UInt8(ascii: ":") else {
            try refuseComment()
            throw finding("json-missing-colon", expected: "\":\" after the key \(Quoted.text(text))", got: describedHere)
        }
        at += 1
        skipBlanks()
    }

    private mutating func refuseDuplicate(_ key: String, at start: SourcePosition) throws(Diagnostic) {
        let last = frames.count - 1
        let first = frames[last].firstKey
        let count = keys.count - first
        var other: Int?
        if count < Self.searched {
            other = (first..<keys.count).first { keys[$0].text == key }
        } else {
            if count == Self.searched {
                for i in first..<keys.count { frames[last].index[keys[i].text] = i }
            }
            other = frames[last].index.updateValue(keys.count, forKey: key)
        }
        guard let other else { return }
        let before = keys[other].range.start
        throw finding(
            "json-duplicate-key", at: start, pointer: pointer(last: key),
            message:
                "duplicate key \(Quoted.text(key)); the first is at \(before.line):\(before.column)")
    }

    // MARK: Words, blanks

    private mutating func word() throws(Diagnostic) -> JSONValue.Content {
        var behind = at
        while behind < end, isLetterOrDigit(base[behind]) { behind += 1 }
        let word = String(decoding: UnsafeBufferPointer(start: base + at, count: behind - at), as: UTF8.self)
        switch word {
        case "true", "false":
            at = behind
            return .bool(word == "true")
        case "null":
            at = behind
            return .null
        default: break
        }
        try refuseComment()
        let expected = "a JSON value"
        switch base[at] {
        case UInt8(ascii: "+"):
            throw finding("json-bad-number", expected: "a number without \"+\"", got: describedHere)
        case UInt8(ascii: "."):
            throw finding("json-bad-number", expected: "a digit before the decimal point", got: describedHere)
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"):
            throw finding("json-unexpected", expected: expected, got: describedHere)
        default: break
        }
        switch word.lowercased() {
        case "nan", "infinity", "inf":
            throw finding(
                "json-bad-number", expected: "a finite number", got: word)
        case "none", "nil", "undefined":
            throw finding("json-bad-word", expected: expected, got: Quoted.text(word), suggestion: "null")
        case "": throw finding("json-unexpected", expected: expected, got: describedHere, help: quotesHelp)
        default:
            let near = Suggestions.nearest(to: word, in: ["true", "false", "null"])
            throw finding(
                "json-bad-word", expected: expected, got: Quoted.text(word),
                help: near == nil ? ["texts stand in double quotes"] : [],
                suggestion: near)
        }
    }

    @inline(__always)
    private mutating func skipBlanks() {
        while at < end {
            switch base[at] {
            case 0x20, 0x09, 0x0D: at += 1
            case 0x0A:
                at += 1
                line += 1
                columnBase = at
            default: return
            }
        }
    }

    // MARK: Places

    /// Where `at` is.
    var position: SourcePosition {
        SourcePosition(line: line, column: at - columnBase + 1, offset: at)
    }

    /// Counts a character of `length` bytes as one column.
    @inline(__always)
    mutating func passCharacter(of length: Int) {
        at += length
        columnBase += length - 1
    }

    /// The pointer of the value that is being read; with `last`, of that member of the innermost object.
    private func pointer(last: String? = nil) -> JSONPointer {
        var result = JSONPointer.root
        for (i, frame) in frames.enumerated() {
            let isInnermost = i == frames.count - 1
            if isInnermost, let last {
                result = result.appending(last)
            } else if isInnermost, isBetween {
                break
            } else if !frame.isObject {
                let behind = isInnermost ? values.count : frames[i + 1].firstValue
                result = result.appending(behind - frame.firstValue)
            } else {
                let behind = isInnermost ? keys.count : frames[i + 1].firstKey
                if behind > frame.firstKey { result = result.appending(keys[behind - 1].text) }
            }
        }
        return result
    }

    // MARK: Findings

    func finding(
        _ code: String, at place: SourcePosition? = nil, pointer: JSONPointer? = nil, message: String? = nil,
        expected: String? = nil, got: String? = nil, help: [String] = [], suggestion: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            code, position: place ?? position, pointer: pointer ?? self.pointer(), message: message, expected: expected, got: got,
            help: help, suggestion: suggestion)
    }

    func truncated() -> Diagnostic {
        guard let frame = frames.last else {
            return finding("json-empty", expected: "a JSON value", got: "the end of the file")
        }
        let bracket = frame.isObject ? "}" : "]"
        return finding(
            "json-truncated", expected: "\"\(bracket)\"", got: "the end of the file", help: [opened(frame)])
    }

    private func opened(_ frame: Frame) -> String {
        "the \(frame.isObject ? "object" : "list") begins at \(frame.start.line):\(frame.start.column)"
    }

    private func missingComma(in frame: Frame) -> Diagnostic {
        do {
            try refuseComment()
        } catch {
            return error
        }
        return finding(
            "json-missing-comma", expected: frame.isObject ? "\",\" or \"}\"" : "\",\" or \"]\"", got: describedHere,
            help: [opened(frame)])
    }

    private func refuseComment() throws(Diagnostic) {
        guard at < end else { return }
        let isComment: Bool
        switch base[at] {
        case UInt8(ascii: "#"): isComment = true
        case UInt8(ascii: "/"): isComment = at + 1 < end && [UInt8(ascii: "/"), UInt8(ascii: "*")].contains(base[at + 1])
        default: isComment = false
        }
        if isComment {
            throw finding(
                "json-comment", message: "a comment, which JSON does not have",
                help: ["write a note as a member whose key starts with \"x-\", { \"x-note\": \"…\" }"])
        }
    }

    private func refuseOtherEncodings() throws(Diagnostic) {
        let help = ["save the file as UTF-8 without a byte-order mark"]
        let start = UnsafeBufferPointer(start: base, count: min(end, 3))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw finding("json-byte-order-mark", message: "the file begins with a byte-order mark", help: help)
        }
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE])
            || (start.count > 1 && start.prefix(2).contains(0))
        {
            throw finding("json-encoding", expected: "UTF-8", got: "a file in UTF-16 or UTF-32", help: help)
        }
    }

    private var quotesHelp: [String] {
        switch scalarHere {
        case "'", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{201E}", "`":
            ["texts and keys stand in straight double quotes, \""]
        default: []
        }
    }

    /// The character at `at`; nil at the end and for ill-formed UTF-8.
    private var scalarHere: Unicode.Scalar? {
        guard at < end else { return nil }
        if base[at] < 0x80 { return Unicode.Scalar(base[at]) }
        let length = UTF8Sequence.length(base, at: at, end: end)
        guard length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: base + at, count: length), as: UTF8.self).unicodeScalars.first
    }

    private var shownHere: String { scalarHere.map { String(Character($0)) } ?? "" }

    /// What stands at `at`, for *got*: a word or number as a whole, else one character.
    private var describedHere: String {
        guard at < end else { return "the end of the file" }
        guard let scalar = scalarHere else { return "the byte \(hex(UInt32(base[at]), digits: 2)), which is not UTF-8" }
        if scalar.value == 0x22 { return "a text" }
        var behind = at
        while behind < end, behind - at < 24, isLetterOrDigit(base[behind]) || [0x2B, 0x2D, 0x2E].contains(base[behind]) {
            behind += 1
        }
        if behind > at {
            return Quoted.text(String(decoding: UnsafeBufferPointer(start: base + at, count: behind - at), as: UTF8.self))
        }
        let isVisible =
            0x21...0x7E ~= scalar.value || scalar.properties.isAlphabetic
            || scalar.properties.generalCategory == .finalPunctuation
            || scalar.properties.generalCategory == .initialPunctuation
        let name = "U+" + hex(scalar.value, digits: 4).dropFirst(2)
        return isVisible ? (scalar.isASCII ? "\"\(scalar)\"" : "\"\(scalar)\" (\(name))") : "the character \(name)"
    }
}

/// Whether a byte can be part of a word.
private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"):
        true
    default: false
    }
}

/// `0xE9`, with at least that many digits.
func hex(_ number: UInt32, digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
