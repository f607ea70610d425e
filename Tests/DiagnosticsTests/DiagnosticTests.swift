import Diagnostics
import Testing

@Suite struct DiagnosticTests {
    private let unknown = Diagnostic(
        "unknown-effect", file: "watermark.json", position: SourcePosition(line: 6, column: 19, offset: 200),
        pointer: "/output/1/label/0/effect", message: #"unknown effect "text.msak""#, suggestion: "text.mask")
    private let range = Diagnostic(
        "out-of-range", file: "watermark.json", position: SourcePosition(line: 8, column: 46, offset: 300),
        pointer: "/output/1/label/2/width", expected: "a length from 0px to 4096px", got: JSONValue(-3).got,
        help: [#"stroke.outline "width": visible width of the stroke, default 1px  (labelpipe describe stroke.outline)"#])

    @Test("the findings that pipeline.md shows, in its shape and order")
    func shape() {
        let findings: Diagnostics = [range, unknown]
        #expect(
            findings.render() == """
                watermark.json:6:19: error: /output/1/label/0/effect: unknown effect "text.msak"
                  help: did you mean "text.mask"?
                watermark.json:8:46: error: /output/1/label/2/width: expected a length from 0px to 4096px, got -3 (number)
                  help: stroke.outline "width": visible width of the stroke, default 1px  (labelpipe describe stroke.outline)

                """)
    }

    @Test("the same fields as JSON, a line each")
    func json() throws {
        let findings: Diagnostics = [range, unknown, Diagnostic("plain", severity: .note, message: "so", cause: "a\nb")]
        let lines = findings.json().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(
            lines == [
                #"{"severity":"note","code":"plain","message":"so","cause":"a\nb"}"#,
                #"{"severity":"error","code":"unknown-effect","file":"watermark.json","line":6,"column":19,"#
                    + #""pointer":"/output/1/label/0/effect","message":"unknown effect \"text.msak\"","suggestion":"text.mask"}"#,
                #"{"severity":"error","code":"out-of-range","file":"watermark.json","line":8,"column":46,"#
                    + #""pointer":"/output/1/label/2/width","message":"expected a length from 0px to 4096px, got -3 (number)","#
                    + #""expected":"a length from 0px to 4096px","got":"-3 (number)","#
                    + #""help":["stroke.outline \"width\": visible width of the stroke, default 1px  (labelpipe describe stroke.outline)"]}"#,
                "",
            ])
        for line in lines.dropLast() { _ = try JSONValue.parse(Array(line.utf8), file: "line") }
    }

    @Test(
        "what is not known is left out",
        arguments: [
            (Diagnostic("c", message: "m"), "error: m"),
            (Diagnostic("c", severity: .warning, file: "a.json", message: "m"), "a.json: warning: m"),
            (Diagnostic("c", file: "a.json", position: SourcePosition.none, pointer: .root, message: "m"), "a.json: error: m"),
            (Diagnostic("c", pointer: "/a", expected: "a color"), "error: /a: expected a color"),
            (Diagnostic("c", got: "-3 (number)"), "error: unexpected -3 (number)"), (Diagnostic("c"), "error: c"),
            (
                Diagnostic("c", message: "m", help: ["one", "two"], suggestion: "s", cause: "line 1\nline 2\n"),
                "error: m\n  cause: line 1\n         line 2\n  help: did you mean \"s\"?\n  help: one\n  help: two"
            ),
        ])
    func parts(finding: Diagnostic, text: String) {
        #expect(finding.description == text)
    }

    @Test("nothing in a finding can break its line or steer a terminal")
    func controls() {
        let finding = Diagnostic(
            "c", file: "a\u{1B}[2J\n.json", pointer: JSONPointer.root.appending("k\r\u{9B}"), message: "x\u{7}\ny",
            help: ["\u{202E}z"], suggestion: "s\u{7F}")
        #expect(
            finding.description == #"""
                a\u001b[2J\n.json: error: /k\r\u009b: x\u0007\ny
                  help: did you mean "s\u007f"?
                  help: \u202ez
                """#)
    }

    @Test("by file, then by place; the rest in the order made; the same one once")
    func order() {
        func finding(_ file: String?, _ line: Int?, _ message: String) -> Diagnostic {
            Diagnostic("c", file: file, position: line.map { SourcePosition(line: $0, column: 1, offset: 0) }, message: message)
        }
        var findings: Diagnostics = [
            finding("b", 2, "5"), finding("b", 10, "6"), finding("b", 10, "7"), finding("a", 9, "4"), finding(nil, nil, "1"),
            finding("a", nil, "3"), finding("a", nil, "2"),
        ]
        findings.append([finding("b", 2, "5"), finding("b", 10, "0")])
        #expect(findings.all.map(\.message) == ["1", "3", "2", "4", "5", "6", "7", "0"])
        #expect(findings.count == 8)
    }

    @Test("only errors stop")
    func severity() throws {
        var findings: Diagnostics = [
            Diagnostic("w", severity: .warning, message: "m"), Diagnostic("n", severity: .note, message: "m"),
        ]
        try findings.throwIfErrors()
        #expect(!findings.hasErrors && !findings.isEmpty && Diagnostics().isEmpty)
        findings.append(Diagnostic("e", message: "m"))
        let thrown = #expect(throws: Diagnostics.self) { try findings.throwIfErrors() }
        #expect(thrown?.count == 3)
    }
}
