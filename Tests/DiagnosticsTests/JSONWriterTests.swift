import Diagnostics
import Testing

@Suite struct JSONWriterTests {
    @Test("commas, members, lines")
    func structure() {
        var writer = JSONWriter()
        writer.object {
            $0.member("a", 1)
            $0.member("b", ["x", "y"])
            $0.key("c")
            $0.array {
                $0.null()
                $0.object { _ in }
                $0.array { $0.bool(false) }
                $0.number(0.5)
                $0.number(UInt64.max)
            }
            $0.member("d", true)
            $0.member("e", ["f": [1.50, "g"]] as JSONValue)
        }
        writer.endLine()
        writer.array { _ in }
        #expect(
            writer.text == #"{"a":1,"b":["x","y"],"c":[null,{},[false],0.5,18446744073709551615],"d":true,"e":{"f":[1.5,"g"]}}"#
                + "\n[]")
        writer.removeAll()
        writer.string("x")
        #expect(writer.text == #""x""#)
    }

    @Test(
        "numbers",
        arguments: [
            (4, "4"), (-0.0, "-0.0"), (0.1, "0.1"), (1e15, "1000000000000000"), (1e21, "1e+21"), (1e-7, "1e-07"), (.nan, "null"),
            (.infinity, "null"), (0x1p53, "9007199254740992.0"), (.leastNonzeroMagnitude, "5e-324"),
        ] as [(Double, String)])
    func number(value: Double, text: String) throws {
        var writer = JSONWriter()
        writer.number(value)
        #expect(writer.text == text)
        if value.isFinite { #expect(try JSONValue.parse(writer.bytes, file: "").double == value) }
    }

    @Test("every character is read back as it was")
    func characters() throws {
        var all = ""
        for value in (0...0x2FFF as ClosedRange<UInt32>).map({ $0 }) + [0xEFE9, 0xFEFF, 0xFFFF, 0x1F600, 0x10FFFF] {
            if let scalar = Unicode.Scalar(value) { all.unicodeScalars.append(scalar) }
        }
        var writer = JSONWriter()
        writer.string(all)
        #expect(!writer.bytes.contains { $0 < 0x20 || $0 == 0x7F })
        let read = try JSONValue.parse(writer.bytes, file: "").string
        #expect(read.map { Array($0.unicodeScalars) } == Array(all.unicodeScalars))
    }

    @Test(
        "byte strings",
        arguments: [
            (Array("IMG é.jpg".utf8), #""IMG é.jpg""#), (Array("IMG_".utf8) + [0xE9] + Array(".jpg".utf8), #""IMG_\uefe9.jpg""#),
            ([], #""""#), ([0xFF, 0xFE], #""\uefff\ueffe""#),
            // U+EFE9 itself, so that it is not taken for the byte E9.
            ([0xEE, 0xBF, 0xA9], #""\uefee\uefbf\uefa9""#), ([0x22, 0x0A, 0xC3], #""\"\n\uefc3""#),
        ] as [([UInt8], String)])
    func bytes(bytes: [UInt8], text: String) throws {
        var writer = JSONWriter()
        writer.string(bytes: bytes)
        #expect(writer.text == text)
        let read = try #require(try JSONValue.parse(writer.bytes, file: "").string)
        #expect(ByteString.bytes(of: read) == bytes)
        #expect(ByteString.text(of: bytes) == read)
    }

    @Test("random bytes come back, and different ones stay different")
    func randomBytes() throws {
        let seed = UInt64(truncatingIfNeeded: ContinuousClock.now.hashValue)
        print("seed of randomBytes: \(seed)")
        var random = SplitMix(state: seed)
        // Bytes that begin, continue or break sequences, those of U+EF80…U+EFFF among them.
        let bytes: [UInt8] = [0x00, 0x22, 0x41, 0x5C, 0x80, 0xA9, 0xBE, 0xBF, 0xC3, 0xE0, 0xED, 0xEE, 0xEF, 0xF0, 0xF4, 0xFF]
        for _ in 0..<20_000 {
            let path = (0..<Int.random(in: 0...9, using: &random)).map { _ in bytes.randomElement(using: &random) ?? 0 }
            var writer = JSONWriter()
            writer.string(bytes: path)
            let read = try #require(try JSONValue.parse(writer.bytes, file: "").string)
            #expect(ByteString.bytes(of: read) == path, "\(path)")
            #expect(ByteString.text(of: path) == read, "\(path)")
        }
    }
}
