import Glibc
import TestSupport
import Testing

/// Every command of the documentation is run by the program as it is delivered, and prints what the page says.
@Suite("Documentation") struct GuideTests {
    static let pages: [String] =
        ["README.md", "Pipelines/README.md"]
        + names(in: Workbench.root + "/Documentation").filter { $0.hasSuffix(".md") }.map { "Documentation/\($0)" }

    @Test("a page's commands do what it says", arguments: pages)
    func commands(page: String) throws {
        let file = "\(Workbench.root)/\(page)"
        let text = String(decoding: try readFile(file), as: UTF8.self)
        let guide = try Guide(text)
        let bench = Workbench()
        try bench.fill()
        // The page as it would be with what is printed now.
        var recorded = ""
        var rest = text[...]
        for step in guide.steps {
            switch step {
            case .file(let name, let content):
                try writeFile("\(bench.path)/\(name)", Array(content.utf8))
            case .command(let command, let code, let printed):
                let result = bench.run(command)
                #expect(result.code == code, "\(page): \(command)\n\(result.printed)")
                guard let printed, let place = rest.firstRange(of: "```text\n\(printed)```") else { continue }
                let isRight = Guide.matches(printed: result.printed, printed)
                recorded += rest[..<place.lowerBound] + "```text\n\(isRight ? printed : result.printed)```"
                rest = rest[place.upperBound...]
                if !isRight { Issue.record("\(page): \(command)printed\n\(result.printed)instead of\n\(printed)") }
            }
        }
        if isRecording, recorded + rest != text { try writeFile(file, Array((recorded + rest).utf8)) }
        try pictures(of: page, bench)
    }

    /// The pictures beside a page are what its commands made. `LABELPIPE_RECORD=1` writes them anew, and fails.
    private func pictures(of page: String, _ bench: Workbench) throws {
        let folder = beside("\(Workbench.root)/\(page)", "pictures")
        let made = bench.files(in: ".")
        var text = String(decoding: try readFile("\(Workbench.root)/\(page)"), as: UTF8.self)[...]
        var shown: [String] = []
        while let link = text.firstRange(of: "](pictures/") {
            text = text[link.upperBound...]
            shown.append(String(text.prefix { $0 != ")" }))
        }
        for name in shown {
            let candidates = made.filter { $0.split(separator: "/").last.map(String.init) == name && !$0.hasPrefix("Pipelines/") }
            guard candidates.count == 1 else {
                Issue.record("\(page) shows \(name), which its commands make \(candidates.count) times")
                continue
            }
            let (actual, expected) = ("\(bench.path)/\(candidates[0])", "\(folder)/\(name)")
            let comparison = try? Comparison(Pixels(file: actual), Pixels(file: expected))
            if comparison?.isClose == true { continue }
            Issue.record("\(page): \(name) is not what the page's command makes: \(comparison?.description ?? "unreadable")")
            if isRecording { try writeFile(expected, readFile(actual)) }
        }
    }

    @Test("every picture is shown by some page, and every recipe stands in the README with a command")
    func completeness() throws {
        let readme = String(decoding: try readFile("\(Workbench.root)/Pipelines/README.md"), as: UTF8.self)
        let guide = try Guide(readme)
        let commands = guide.steps.map { step in if case .command(let text, _, _) = step { text } else { "" } }.joined()
        for name in names(in: "\(Workbench.root)/Pipelines") where name.hasSuffix(".json") {
            #expect(commands.contains("Pipelines/\(name) "), "no command of Pipelines/README.md runs \(name)")
        }
        for name in names(in: "\(Workbench.root)/Pipelines") where name.hasSuffix(".csv") || name.hasSuffix(".ndjson") {
            #expect(commands.contains("--rows Pipelines/\(name) "), "no command uses \(name)")
        }
        for name in names(in: "\(Workbench.root)/Pipelines/pictures") {
            #expect(readme.contains("](pictures/\(name))"), "Pipelines/pictures/\(name) is shown nowhere")
        }
    }
}

@Suite("How pages are read") struct GuidePageTests {
    @Test func blocks() throws {
        let guide = try Guide(
            """
            Words.

            ```json a.json
            {}
            ```

            ```sh exit=1
            labelpipe check a.json
            ```

            ```text
            a.json:1:1: …
            ```

            ```json
            { "not": "a file" }
            ```

            ```text
            nothing printed this
            ```
            """)
        #expect(
            guide.steps == [
                .file(name: "a.json", text: "{}\n"),
                .command(text: "labelpipe check a.json\n", code: 1, printed: "a.json:1:1: …\n"),
            ])
        #expect(throws: Guide.Failure.self) { try Guide("```sh\nnever closed\n") }
        #expect(throws: Guide.Failure.self) { try Guide("```sh silently\n```\n") }
    }

    @Test func anything() {
        #expect(Guide.matches(printed: "3 done in 0.5 s\n", "3 done in … s\n"))
        #expect(Guide.matches(printed: "a b c", "…b…"))
        #expect(!Guide.matches(printed: "3 done in 0.5 s; 1 warning\n", "3 done in … s\n"))
        #expect(!Guide.matches(printed: "a\nb\n", "a\n"))
        #expect(!Guide.matches(printed: "ab", "ab…b"))
    }

    /// A page that says something else than what happens must not pass.
    @Test func wrongPagesAreRefused() throws {
        let bench = Workbench()
        #expect(bench.run("labelpipe check nowhere.json").code == 3)
        #expect(bench.run("labelpipe --version; false; echo not reached").code == 1)
        #expect(bench.run("labelpipe --version").printed.hasPrefix("labelpipe "))
    }
}
