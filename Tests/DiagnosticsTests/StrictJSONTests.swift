import Diagnostics
import Glibc
import Testing

/// The findings for bytes that must be refused, as a user reads them.
private func refusal(_ bytes: [UInt8], limits: JSONLimits = .document) -> String {
    do throws(Diagnostics) {
        let value = try JSONValue.parse(bytes, file: "a.json", limits: limits)
        return "accepted: \(value.compact)"
    } catch {
        #expect(error.count == 1 && error.all[0].code.hasPrefix("json-"))
        return error.render()
    }
}

private func refusal(_ text: String) -> String { refusal(Array(text.utf8)) }

private func parsed(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8), file: "a.json") }

@Suite("Strict JSON: what is refused, and in which words")
struct RefusalTests {
    @Test(
        "commas, colons, keys, brackets",
        arguments: [
            (#"{"a":1,}"#, #"1:7: error: trailing comma before "}""#),
            ("[1,2,\n]", #"1:5: error: trailing comma before "]""#),
            ("[1,,2]", #"1:4: error: /1: expected a JSON value, got ",""#),
            ("[,1]", #"1:2: error: /0: expected a JSON value, got ",""#),
            ("{,}", #"1:2: error: expected a key in double quotes, got ",""#),
            ("{a:1}", #"1:2: error: expected a key in double quotes, got "a""#),
            ("{1:2}", #"1:2: error: expected a key in double quotes, got "1""#),
            (#"{"a" 1}"#, #"1:6: error: /a: expected ":" after the key "a", got "1""#),
            (#"{"a"=1}"#, #"1:5: error: /a: expected ":" after the key "a", got "=""#),
            (#"{"a":}"#, #"1:6: error: /a: expected a JSON value, got "}""#),
            (
                #"{"b":[{"a":1 "c":2}]}"#,
                #"1:14: error: /b/0: expected "," or "}", got a text"# + "\n  help: the object begins at 1:7"
            ),
            ("[\n 1\n 2\n]", #"3:2: error: expected "," or "]", got "2""# + "\n  help: the list begins at 1:1"),
            ("[1}", #"1:3: error: expected "," or "]", got "}""# + "\n  help: the list begins at 1:1"),
            (#"{"a":1]"#, #"1:7: error: expected "," or "}", got "]""# + "\n  help: the object begins at 1:1"),
            (
                "{'a':1}",
                #"1:2: error: expected a key in double quotes, got "'""#
                    + "\n  help: texts and keys stand in straight double quotes, \""
            ),
            (
                "[“a”]",
                #"1:2: error: /0: expected a JSON value, got "“" (U+201C)"#
                    + "\n  help: texts and keys stand in straight double quotes, \""
            ),
            ("[\u{A0}1]", "1:2: error: /0: expected a JSON value, got the character U+00A0"),
        ])
    func structure(text: String, message: String) {
        #expect(refusal(text) == "a.json:\(message)\n")
    }

    @Test(
        "a key twice names both places",
        arguments: [
            ("{\"a\":1,\n \"b\":2,\n \"a\":3}", #"3:2: error: /a: duplicate key "a"; the first is at 1:2"#),
            (#"{"x":[{"a":1,"\u0061":2}]}"#, #"1:14: error: /x/0/a: duplicate key "a"; the first is at 1:8"#),
            (
                "{\"caf\u{E9}\":1,\"cafe\u{301}\":2}",
                "1:11: error: /cafe\u{301}: duplicate key \"cafe\u{301}\"; the first is at 1:2"
            ),
        ])
    func duplicateKey(text: String, message: String) {
        #expect(refusal(text) == "a.json:\(message)\n")
    }

    @Test("a key twice is found in small and large objects alike", arguments: [2, 11, 12, 13, 14, 1000])
    func duplicateKeyAmongMany(count: Int) throws {
        let members = (0..<count).map { "\"k\($0)\":\($0)" }
        #expect(try parsed("{\(members.joined(separator: ","))}").members?.count == count)
        for twice in [0, count / 2, count - 1] {
            let text = "{\(members.joined(separator: ",")),\n\"k\(twice)\":0}"
            #expect(refusal(text).hasPrefix("a.json:2:1: error: /k\(twice): duplicate key \"k\(twice)\"; the first is at 1:"))
        }
    }

    @Test(
        "comments",
        arguments: [
            ("{\"a\": 1, // note\n\"b\": 2}", "1:10: error: "), ("/* x */ {}", "1:1: error: "), ("{} // end", "1:4: error: "),
            ("[1 # x\n]", "1:4: error: "), ("{ // x\n}", "1:3: error: "), (#"{"a" /* */ : 1}"#, "1:6: error: /a: "),
            ("[/**/]", "1:2: error: /0: "),
        ])
    func comment(text: String, place: String) {
        let help = #"write a note as a member whose key starts with "x-", { "x-note": "…" }"#
        #expect(refusal(text) == "a.json:\(place)a comment, which JSON does not have\n  help: \(help)\n")
    }

    @Test(
        "words",
        arguments: [
            ("True", #"got "True""#, #"did you mean "true"?"#), ("FALSE", #"got "FALSE""#, #"did you mean "false"?"#),
            ("nul", #"got "nul""#, #"did you mean "null"?"#), ("truee", #"got "truee""#, #"did you mean "true"?"#),
            ("None", #"got "None""#, #"did you mean "null"?"#), ("undefined", #"got "undefined""#, #"did you mean "null"?"#),
            ("hello", #"got "hello""#, "texts stand in double quotes"),
        ])
    func word(text: String, got: String, help: String) {
        #expect(refusal(text) == "a.json:1:1: error: expected a JSON value, \(got)\n  help: \(help)\n")
    }

    @Test(
        "numbers",
        arguments: [
            ("01", "a number without leading zeros, got 01"), ("-01", "a number without leading zeros, got -01"),
            ("00", "a number without leading zeros, got 00"), ("+1", #"a number without "+", got "+1""#),
            (".5", #"a digit before the decimal point, got ".5""#), ("-.5", #"a digit after "-", got -.5"#),
            ("5.", "a digit after the decimal point, got 5."), ("1.e3", "a digit after the decimal point, got 1.e3"),
            ("1e", "a digit in the exponent, got 1e"), ("1e+", "a digit in the exponent, got 1e+"),
            ("-", #"a digit after "-", got -"#),
            ("--1", #"a digit after "-", got --1"#), ("0x1F", "a number, got 0x1F"), ("1_000", "a number, got 1_000"),
            ("1.2.3", "a number, got 1.2.3"), ("NaN", "a finite number, got NaN"), ("Infinity", "a finite number, got Infinity"),
            ("-Infinity", "a finite number, got -Infinity"),
            ("1e999", "a number up to 1.7976931348623157e+308, got 1e999"),
            ("-1e309", "a number up to 1.7976931348623157e+308, got -1e309"),
            ("1e99999999999999999999", "a number up to 1.7976931348623157e+308, got 1e99999999999999999999"),
            ("12px", "a number, got 12px\n  help: a value with a unit is a text, \"12px\""),
            ("5%", "a number, got 5%\n  help: a value with a unit is a text, \"5%\""),
        ])
    func number(text: String, message: String) {
        #expect(refusal(text) == "a.json:1:1: error: expected \(message)\n")
    }

    @Test(
        "texts",
        arguments: [
            (
                "[\"a\nb\"]",
                "1:4: error: /0: a line end within a text\n  help: write it as \\n, or close the text that begins at 1:2"
            ),
            (
                "[\"a\r\nb\"]",
                "1:4: error: /0: a line end within a text\n  help: write it as \\n, or close the text that begins at 1:2"
            ),
            ("[\"a\tb\"]", "1:4: error: /0: a tab within a text\n  help: write it as \\t"),
            ("[\"\u{0}\"]", "1:3: error: /0: the control character U+0000 within a text\n  help: write it as \\u0000"),
            ("[\"\\n\u{1F}\"]", "1:5: error: /0: the control character U+001F within a text\n  help: write it as \\u001F"),
            (
                #"["C:\new\Photos"]"#,
                #"1:9: error: /0: expected an escape of JSON, \" \\ \/ \b \f \n \r \t or \uXXXX, got "\P""#
                    + "\n  help: a backslash itself is written \"\\\\\""
            ),
            (#"["\u12g4"]"#, #"1:3: error: /0: "\u" without four hexadecimal digits behind it"#),
            (#"["\u12"]"#, #"1:3: error: /0: "\u" without four hexadecimal digits behind it"#),
        ])
    func text(text: String, message: String) {
        #expect(refusal(text) == "a.json:\(message)\n")
    }

    @Test(
        "half surrogate pairs",
        arguments: [
            (#"["é\ud800b"]"#, "1:4", "D800"), (#"["\ud83d\u0041"]"#, "1:3", "D83D"), (#"["\udc00"]"#, "1:3", "DC00"),
            (#"["\ud83d"#, "1:3", "D83D"), (#"["\ud83d\ud83d"]"#, "1:3", "D83D"),
        ])
    func surrogate(text: String, place: String, unit: String) {
        let help = #"write the character itself, or both halves: "\uD83D\uDE00""#
        #expect(refusal(text) == "a.json:\(place): error: /0: \"\\u\(unit)\" is half of a surrogate pair\n  help: \(help)\n")
    }

    @Test(
        "encodings",
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0x7B, 0x7D], "1:1: error: the file begins with a byte-order mark", " without a byte-order mark"),
            ([0xFF, 0xFE, 0x7B, 0], "1:1: error: expected UTF-8, got a file in UTF-16 or UTF-32", " without a byte-order mark"),
            ([0, 0x7B], "1:1: error: expected UTF-8, got a file in UTF-16 or UTF-32", " without a byte-order mark"),
            ([0x22, 0xE9, 0x22], "1:2: error: ill-formed UTF-8: the byte 0xE9 at offset 1", ""),
            // [ " é " , line end " Ã
            (
                [0x5B, 0x22, 0xC3, 0xA9, 0x22, 0x2C, 0xA, 0x22, 0xC3, 0x22, 0x5D],
                "2:2: error: /1: ill-formed UTF-8: the byte 0xC3 at offset 8", ""
            ),
            // Overlong, a surrogate, beyond U+10FFFF, cut off.
            ([0x22, 0xC0, 0x80, 0x22], "1:2: error: ill-formed UTF-8: the byte 0xC0 at offset 1", ""),
            ([0x22, 0xE0, 0x9F, 0xBF, 0x22], "1:2: error: ill-formed UTF-8: the byte 0xE0 at offset 1", ""),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], "1:2: error: ill-formed UTF-8: the byte 0xED at offset 1", ""),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], "1:2: error: ill-formed UTF-8: the byte 0xF4 at offset 1", ""),
            ([0x22, 0xF0, 0x9F, 0x98], "1:2: error: ill-formed UTF-8: the byte 0xF0 at offset 1", ""),
        ] as [([UInt8], String, String)])
    func encoding(bytes: [UInt8], message: String, help: String) {
        #expect(refusal(bytes) == "a.json:\(message)\n  help: save the file as UTF-8\(help)\n")
    }

    @Test(
        "something after the value",
        arguments: [
            ("{} x", #"1:4: error: expected the end of the file after the value, got "x""#),
            ("{}\n{}", #"2:1: error: expected the end of the file after the value, got "{""#),
            ("[]]", #"1:3: error: expected the end of the file after the value, got "]""#),
            (#""é" "b""#, "1:5: error: expected the end of the file after the value, got a text"),
            ("{} é", #"1:4: error: expected the end of the file after the value, got "é" (U+00E9)"#),
        ])
    func afterEnd(text: String, message: String) {
        #expect(refusal(text) == "a.json:\(message)\n")
    }

    @Test(
        "input that ends too early",
        arguments: [
            ("", "1:1: error: expected a JSON value, got an empty file"),
            (" \n ", "2:2: error: expected a JSON value, got the end of the file"),
            ("{", "1:2: error: expected \"}\", got the end of the file\n  help: the object begins at 1:1"),
            ("{\"a\"", "1:5: error: /a: expected \"}\", got the end of the file\n  help: the object begins at 1:1"),
            ("{\"a\":", "1:6: error: /a: expected \"}\", got the end of the file\n  help: the object begins at 1:1"),
            ("{\"a\":1", "1:7: error: expected \"}\", got the end of the file\n  help: the object begins at 1:1"),
            ("{\"a\":1,", "1:8: error: expected \"}\", got the end of the file\n  help: the object begins at 1:1"),
            ("[[1],[2", "1:8: error: /1: expected \"]\", got the end of the file\n  help: the list begins at 1:6"),
            ("[\"abc", "1:6: error: /0: expected a closing quote, got the end of the file\n  help: the text begins at 1:2"),
            ("[\"abc\\", "1:6: error: /0: expected a closing quote, got the end of the file\n  help: the text begins at 1:2"),
        ])
    func truncated(text: String, message: String) {
        #expect(refusal(text) == "a.json:\(message)\n")
    }

    @Test("every beginning of a document is refused, and the whole is not")
    func everyBeginning() {
        let whole = Array(#"{"a":[1,-2.5e3,"é\u00e9\ud83d\ude00",{"b":null}],"c":true}"#.utf8)
        for length in 0..<whole.count {
            #expect(refusal(Array(whole[..<length])).hasPrefix("a.json:1:"), "the first \(length) bytes")
        }
        #expect(refusal(whole).hasPrefix("accepted"))
    }

    @Test("128 levels are read and one more is not", arguments: [("[", "]", 1), ("{\"a\":", "}", 5)])
    func depth(open: String, close: String, width: Int) throws {
        func nested(_ levels: Int) -> String {
            String(repeating: open, count: levels - 1) + (open == "[" ? "[]" : "{}") + String(repeating: close, count: levels - 1)
        }
        _ = try parsed(nested(128))
        #expect(
            refusal(nested(129))
                == "a.json:1:\(128 * width + 1): error: expected at most 128 lists and objects within each other, got one more\n")
    }

    @Test("a hundred thousand opening brackets are refused at once")
    func brackets() {
        let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        let start = processorTime()
        let message = refusal(bytes)
        #expect(processorTime() - start < .milliseconds(5))
        #expect(message.contains("expected at most 128 lists and objects"))
        // Without a limit it is a matter of memory only.
        #expect(refusal(bytes, limits: JSONLimits(maximumBytes: 1 << 20, maximumDepth: .max)).contains("got the end of the file"))
    }

    @Test("16 MB are read and a byte more is not")
    func size() {
        var bytes = [UInt8](repeating: UInt8(ascii: " "), count: 16 << 20)
        bytes[0] = UInt8(ascii: "1")
        #expect(refusal(bytes) == "accepted: 1")
        bytes.append(UInt8(ascii: " "))
        #expect(refusal(bytes) == "a.json: error: expected at most 16 MB of JSON, got 16777217 bytes\n")
    }
}

@Suite("Strict JSON: what is read")
struct ValueTests {
    @Test(
        "numbers and their texts",
        arguments: [
            ("0", 0), ("-0", -0.0), ("0.1", 0.1), ("1E2", 100), ("1e-2", 0.01), ("-12.50", -12.5),
            ("9007199254740993", 9_007_199_254_740_992),
            ("0.000000000000000000000000000001", 1e-30), ("123456789012345678", 123_456_789_012_345_680),
            ("5e-324", .leastNonzeroMagnitude),
            ("1e-999", 0),
            ("1.7976931348623157e308", .greatestFiniteMagnitude),
            ("2.2250738585072009e-308", Double.leastNormalMagnitude.nextDown),
            ("0e99999999999999999999", 0),
        ] as [(String, Double)])
    func number(text: String, expected: Double) throws {
        let value = try parsed(text)
        #expect(value.double == expected && value.double?.sign == expected.sign)
        #expect(value.compact == text)
    }

    @Test("random numbers are the nearest doubles")
    func randomNumbers() throws {
        let seed = UInt64(truncatingIfNeeded: ContinuousClock.now.hashValue)
        print("seed of randomNumbers: \(seed)")
        var random = SplitMix(state: seed)
        for _ in 0..<20_000 {
            let text = randomNumber(&random)
            let read = try parsed(text).double
            #expect(read == Double(text), "\(text)")
        }
    }

    @Test(
        "texts",
        arguments: [
            (#""""#, ""), (#""© Ann""#, "© Ann"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u00e9\u00E9\ud83d\ude00\u0000""#, "éé😀\u{0}"), ("\"\u{7F}\u{2028}\u{10FFFF}\"", "\u{7F}\u{2028}\u{10FFFF}"),
            (#""a\nbé\u2028c😀d""#, "a\nbé\u{2028}c😀d"), ("\"\u{FEFF}\"", "\u{FEFF}"),
        ])
    func text(text: String, expected: String) throws {
        let value = try parsed(text)
        #expect(value.string.map { Array($0.utf8) } == Array(expected.utf8))
        #expect(try parsed(value.compact).string.map { Array($0.utf8) } == Array(expected.utf8))
    }

    @Test("blanks of JSON, and no others, lie around values")
    func blanks() throws {
        #expect(try parsed(" \t\r\n[ \n1 ,\t{ \"a\" : \r\n[ ] } ] \n").compact == #"[1,{"a":[]}]"#)
    }

    @Test("values know their line, column in characters, and offset in bytes")
    func positions() throws {
        let document = try parsed("{\n  \"😀é\": [true, \"é\", {\"a\":\r\n-1.5}],\n\t\"b\": null\n}")
        let list = try #require(document.member("😀é"))
        #expect(list.keyRange.start == SourcePosition(line: 2, column: 3, offset: 4))
        #expect(list.keyRange.end == SourcePosition(line: 2, column: 7, offset: 12))
        #expect(list.value.range.start == SourcePosition(line: 2, column: 9, offset: 14))
        let number = try #require(document["😀é"]?.elements?[2]["a"])
        #expect(number.range.start == SourcePosition(line: 3, column: 1, offset: 34))
        #expect(number.range.end == SourcePosition(line: 3, column: 5, offset: 38))
        #expect(list.value.range.end.column == 7)
        #expect(list.value.elements?[1].range.start.column == 16 && list.value.elements?[2].range.start.column == 21)
        #expect(document["b"]?.range.start == SourcePosition(line: 4, column: 7, offset: 48))
        #expect(document.range.end == SourcePosition(line: 5, column: 2, offset: 54))
    }

    @Test("members are found by key, pointer and kind, and by no other kind")
    func access() throws {
        let document = try parsed(#"{"a":[1,{"b/c":"x"}],"n":null,"t":true,"i":4e0,"":0}"#)
        #expect(document[pointer: "/a/1/b~1c"]?.string == "x")
        #expect(document[pointer: "/"]?.integer == 0 && document[pointer: .root]?.members?.count == 5)
        #expect(document[pointer: "/a/2"] == nil && document[pointer: "/a/-"] == nil && document[pointer: "/t/x"] == nil)
        #expect(document["n"]?.isNull == true && document["t"]?.bool == true && document["i"]?.integer == 4)
        #expect(document["a"]?["x"] == nil && document["t"]?.double == nil && document["n"]?.string == nil)
        #expect(document.elements == nil && document["missing"] == nil)
        let kinds =
            ["a", "n", "t", "i"].map { document[$0]?.typeName } + [document.typeName, document[pointer: "/a/1/b~1c"]?.typeName]
        #expect(kinds == ["list", "null", "true or false", "number", "object", "text"])
    }

    @Test(
        "values as messages name them",
        arguments: [
            ("-3", "-3 (number)"), ("1.50", "1.50 (number)"), (#""5%""#, #""5%" (text)"#), ("true", "true"), ("null", "null"),
            (#"[1,"a"]"#, #"[1,"a"] (list)"#), ("[]", "[] (list)"), ("[[1],2]", "a list of 2"), ("{}", "{} (object)"),
            (#"{"effect":"x","a":1}"#, #"an object with "effect", "a""#),
            (#"{"a":1,"b":1,"c":1,"d":1,"e":1}"#, #"an object with "a", "b", "c", "d", …"#),
            ("\"\(String(repeating: "é", count: 61))\"", "\"\(String(repeating: "é", count: 60))…\" (text)"),
            ("\"\(String(repeating: "é", count: 60))\"", "\"\(String(repeating: "é", count: 60))\" (text)"),
            ("\"\\u001b[31m\u{202E}\"", #""\u001b[31m\u202e" (text)"#),
        ])
    func got(text: String, expected: String) throws {
        #expect(try parsed(text).got == expected)
    }

    @Test("values made in code are the same as those read, and stand nowhere")
    func madeInCode() {
        let value: JSONValue = ["a": [1, 2.5, -0.0, "x\n", true, nil], "b": [:], "c": []]
        #expect(value.compact == #"{"a":[1,2.5,-0.0,"x\n",true,null],"b":{},"c":[]}"#)
        #expect(value.range.isNone && JSONValue(Double.nan).isNull)
    }

    @Test("nesting made in code is written without recursion")
    func deepInCode() {
        var value: JSONValue = []
        for _ in 0..<5000 { value = [value] }
        #expect(value.compact.utf8.count == 2 * 5001)
    }

    @Test("a document of the largest size takes about a second")
    func speed() throws {
        let step = Array(
            "    { \"effect\": \"stroke.outline\", \"width\": \"0.05em\", \"color\": \"#00000080\", \"x\": 12.75 },\n".utf8)
        var bytes = Array("[\n".utf8)
        while bytes.count + step.count + 4 < 16 << 20 { bytes += step }
        bytes += Array("0\n]\n".utf8)
        let start = processorTime()
        let document = try JSONValue.parse(bytes, file: "a.json")
        let time = processorTime() - start
        #expect(document.elements?.last?.integer == 0)
        print("16 MB of JSON: \(time)")
        // Measured at 0.2 s, and at 0.5 s on a crowded machine; what would fail here is a cost that is not linear.
        #expect(time < .seconds(3))
    }
}

/// What this thread has used: other tests run beside this one.
private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// A number's text, with a fraction and an exponent or without.
private func randomNumber(_ random: inout SplitMix) -> String {
    var text = String(random.next() >> UInt64.random(in: 0..<64, using: &random))
    if Bool.random(using: &random) { text += ".\(random.next() >> 32)" }
    if Bool.random(using: &random) { text += "e\(Int.random(in: -340...280, using: &random))" }
    return text
}

/// Reproducible random numbers.
///
/// **Source.** SplitMix64 (Steele, Lea, Flood 2014).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
