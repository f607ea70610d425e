import TestSupport
import Testing

/// Completions as the shells themselves give them, and the manual page as the readers of manual pages see it.
@Suite("Shells") struct ShellTests {
    let bench = Workbench()

    init() throws {
        try writeFile(
            "\(bench.path)/card.json",
            Array(
                """
                { "labelpipe": 1, "parameters": {
                    "owner": { "type": "string", "default": "Ann", "description": "whose it is" },
                    "size": { "type": "length", "default": "4vmin" }, "_inner": { "type": "number", "default": 1 } },
                  "output": { "effect": "image.source" } }
                """.utf8))
        try writeFile("\(bench.path)/a photo.jpg", [])
    }

    /// A line that ends where the cursor stands, and some of what is offered there; `nil`: nothing is.
    static let lines: [(line: String, offered: [String]?, not: String)] = [
        ("labelpipe des", ["describe"], "run"),
        ("labelpipe ", ["run", "check", "describe", "fonts"], "watermark"),
        ("labelpipe run --skip", ["--skip-existing"], "--overwrite"),
        ("labelpipe run card.json --progress p", ["plain"], "auto"),
        ("labelpipe graph card.json --format m", ["mermaid"], "json"),
        ("labelpipe check --format j", ["json"], "mermaid"),
        ("labelpipe describe shadow.", ["shadow.drop", "shadow.inner"], "text.mask"),
        ("labelpipe describe shadow.drop bl", ["blur"], "blend"),
        ("labelpipe describe --format json shadow.inner bl", ["blur", "blend"], "offset"),
        ("labelpipe run card.json --set ", ["owner=", "size="], "_inner"),
        ("labelpipe run card.json --set s", ["size="], "owner"),
        ("labelpipe completions f", ["fish"], "bash"),
        ("labelpipe check car", ["card.json"], "describe"),
        ("labelpipe fonts ch", ["check"], "card.json"),
        ("labelpipe run card.json --jobs ", nil, "card.json"),
    ]

    private func check(_ printed: String, _ line: String, _ offered: [String]?, not: String, _ shell: String) {
        let words = Set(printed.split(whereSeparator: \.isWhitespace).map(String.init))
        for word in offered ?? [] { #expect(words.contains(word), "\(shell): \(line)⇥ offers \(printed)") }
        #expect(!words.contains(not), "\(shell): \(line)⇥ offers \(printed)")
        if offered == nil { #expect(words.isEmpty, "\(shell): \(line)⇥ offers \(printed)") }
    }

    @Test("bash", arguments: lines)
    func bash(line: String, offered: [String]?, not: String) {
        // As readline does it: words parted at blanks, and at the characters of COMP_WORDBREAKS.
        let result = bench.run(
            """
            source <(labelpipe completions bash)
            read -ra COMP_WORDS <<<'\(line)'
            [[ '\(line)' == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _labelpipe || true
            printf '%s\\n' "${COMPREPLY[@]}"
            """)
        #expect(result.code == 0)
        check(result.printed, line, offered, not: not, "bash")
    }

    @Test("bash: a value behind an equals sign, names with blanks, and a script without complaints")
    func bashDetails() {
        let equals = bench.run(
            """
            source <(labelpipe completions bash)
            COMP_WORDS=(labelpipe run --progress = pl) COMP_CWORD=4; _labelpipe || true; echo "${COMPREPLY[@]}"
            COMP_WORDS=(labelpipe run --progress =) COMP_CWORD=3; _labelpipe || true; echo "${COMPREPLY[@]}"
            COMP_WORDS=(labelpipe run card.json a) COMP_CWORD=3; _labelpipe || true; printf '%s|' "${COMPREPLY[@]}"
            """)
        #expect(equals.printed == "plain\nauto plain none\na photo.jpg|")
        #expect(
            bench.run(
                "labelpipe completions bash >c; bash -n c; complete -p labelpipe 2>&1 || true; source c; complete -p labelpipe"
            ).printed.hasSuffix("complete -F _labelpipe labelpipe\n"))
    }

    @Test("fish", arguments: lines)
    func fish(line: String, offered: [String]?, not: String) {
        let result = bench.run(
            """
            mkdir -p .config/fish/completions
            labelpipe completions fish > .config/fish/completions/labelpipe.fish
            fish --no-config -c 'source .config/fish/completions/labelpipe.fish; complete -C "\(line)"'
            """)
        #expect(result.code == 0, "\(result.printed)")
        // A word, a tab, what it means.
        let words = result.printed.split(separator: "\n").map { $0.split(separator: "\t")[0] }.joined(separator: "\n")
        check(words, line, offered, not: not, "fish")
        if line.hasSuffix("shadow.") { #expect(result.printed.contains("shadow.drop\tA shadow cast by the whole layer")) }
    }

    /// A terminal's worth of zsh: completion functions run nowhere else.
    @Test("zsh", arguments: lines)
    func zsh(line: String, offered: [String]?, not: String) {
        let result = bench.run(
            """
            mkdir -p functions
            labelpipe completions zsh > functions/_labelpipe
            zsh -f -c '
                zmodload zsh/zpty
                zpty z "PATH=$PATH zsh -f -i"
                zpty -w z "PROMPT=; unsetopt zle_bracketed_paste 2>/dev/null; setopt no_beep; fpath=($PWD/functions \\$fpath)"
                zpty -w z "autoload -U compinit && compinit -u -D"
                zpty -w z "zstyle \\":completion:*\\" verbose no; zstyle \\":completion:*\\" list-prompt \\"\\"; LISTMAX=1000; stty cols 200 rows 200"
                # What would be added, said instead.
                zpty -w z "compadd() { builtin compadd -O offered \\"\\$@\\"; print -l -- @@\\${^offered}; builtin compadd \\"\\$@\\" }"
                zpty -w z "print READY"
                zpty -r -m z text "*READY*READY*"
                zpty -w -n z "$1"$'"'"'\\t'"'"'
                zpty -w -n z $'"'"'\\C-U'"'"'
                zpty -w z "print FINISHED"
                zpty -r -m z text "*FINISHED*FINISHED*"
                print -r -- "$text"
                zpty -d z
            ' zsh '\(line)' | tr -d '\\r' | sed -n 's/^.*@@//p'
            """)
        #expect(result.code == 0, "\(result.printed)")
        check(result.printed, line, offered, not: not, "zsh")
    }

    @Test("the manual page has no faults, by man and by mandoc")
    func manual() {
        let man = bench.run("labelpipe man > labelpipe.1; man --warnings -E UTF-8 -l -Tutf8 -Z ./labelpipe.1 >/dev/null")
        #expect(man == (0, ""))
        let lint = bench.run("mandoc -Tlint -W warning ./labelpipe.1")
        #expect(lint == (0, ""))
        let shown = bench.run("MANWIDTH=100 man -P cat -l ./labelpipe.1").printed
        for text in ["--skip-existing", "labelpipe describe shadow.drop", "EXIT STATUS", "labelpipe run --text \"© Ann\""] {
            #expect(shown.contains(text), "\(text)")
        }
    }
}
