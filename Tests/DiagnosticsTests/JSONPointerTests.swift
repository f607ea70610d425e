import Diagnostics
import Testing

@Suite struct JSONPointerTests {
    @Test(
        "RFC 6901's own examples",
        arguments: [
            ("", []), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/", [""]), ("/a~1b", ["a/b"]), ("/c%d", ["c%d"]),
            ("/e^f", ["e^f"]),
            ("/g|h", ["g|h"]), (#"/i\j"#, [#"i\j"#]), (#"/k"l"#, [#"k"l"#]), ("/ ", [" "]), ("/m~0n", ["m~n"]), ("/~01", ["~1"]),
            ("//", ["", ""]),
        ] as [(String, [String])])
    func text(text: String, tokens: [String]) throws {
        let pointer = try JSONPointer(parsing: text)
        #expect(pointer.tokens == tokens && pointer.count == tokens.count)
        #expect(pointer.description == text)
        #expect(tokens.reduce(.root) { $0.appending($1) } == pointer)
    }

    @Test(
        "what is no pointer",
        arguments: [
            ("a", #"expected a JSON pointer that begins with "/", got "a""#),
            ("/a~", #"expected "~0" for "~" and "~1" for "/" in a JSON pointer, got "/a~""#),
            ("/~2", #"expected "~0" for "~" and "~1" for "/" in a JSON pointer, got "/~2""#),
        ])
    func malformed(text: String, message: String) {
        let error = #expect(throws: Diagnostic.self) { try JSONPointer(parsing: text) }
        #expect(error?.message == message && error?.code == "json-bad-pointer")
    }

    @Test("an index and a key of the same text are one token; other spellings of a number are not")
    func equality() {
        #expect(JSONPointer.root.appending(2) == JSONPointer.root.appending("2"))
        #expect(JSONPointer.root.appending(2).hashValue == JSONPointer.root.appending("2").hashValue)
        for other in ["02", "+2", "-0", "2 ", "99999999999999999999"] {
            #expect(JSONPointer.root.appending(other).last == other)
            #expect(JSONPointer.root.appending(other) != JSONPointer.root.appending(2))
        }
        let shared = JSONPointer.root.appending("a")
        #expect(shared.appending("b") != shared && shared.appending("b") != shared.appending("c"))
        #expect(shared.appending("b").parent == shared && shared.parent == .root && JSONPointer.root.parent == nil)
        #expect(Set(["/a/b", "/a", "/a/b"] as [JSONPointer]).count == 2)
    }

    @Test("a pointer relative to another")
    func relative() {
        let node: JSONPointer = "/nodes/label"
        #expect(node.appending("/2/width" as JSONPointer).description == "/nodes/label/2/width")
        #expect(node.appending(JSONPointer.root) == node && JSONPointer.root.appending(node) == node)
    }

    @Test("a long pointer is made, compared and freed without recursion")
    func long() {
        func make() -> JSONPointer { (0..<1_000_000).reduce(.root) { $0.appending($1) } }
        let (one, other) = (make(), make())
        #expect(one == other && one.hashValue == other.hashValue && one.appending("x") != other)
        // Half of it is still in use when the other half goes.
        var tip = one
        for _ in 0..<500_000 { tip = tip.parent ?? .root }
        #expect(tip.count == 500_000)
    }
}
