import LabelpipeBatch

extension Subcommand {
    static let completions: Subcommand = Subcommand(
        name: "completions", summary: "what a shell completes command lines with", arguments: "bash│zsh│fish",
        examples: ["bash > ~/.local/share/bash-completion/completions/labelpipe"], flags: []
    ) { parsed, session throws(Stop) in
        guard parsed.positional.count == 1, let shell = Shell(rawValue: parsed.positional[0].description) else {
            throw Stop(UsageError("expected bash, zsh or fish"), of: .completions)
        }
        session.output.write(shell.script)
        return .done
    }

    static let man: Subcommand = Subcommand(
        name: "man", summary: "the manual page, in roff", arguments: "", examples: ["> labelpipe.1"], flags: []
    ) { _, session throws(Stop) in
        session.output.write(ManPage.text)
        return .done
    }
}

/// A shell whose completions are made from the declarations.
private enum Shell: String {
    case bash
    case zsh
    case fish

    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: "#compdef labelpipe\nautoload -U +X bashcompinit && bashcompinit\n" + Self.bashScript
        case .fish: Self.fishScript
        }
    }

    private static func words(of flag: Flag) -> [String] {
        switch flag.argument {
        case .choice(let words): words
        default: []
        }
    }

    private static var bashScript: String {
        var cases = ""
        for subcommand in Subcommand.all {
            let flags = subcommand.allFlags.map { "--\($0.name)" }.joined(separator: " ")
            cases += "        \(subcommand.name)) flags=\"\(flags)\" ;;\n"
        }
        var choices: [String] = []
        var seen: Set<String> = []
        for flag in Subcommand.all.flatMap(\.allFlags) where !words(of: flag).isEmpty && seen.insert(flag.name).inserted {
            choices.append(
                "        --\(flag.name)) COMPREPLY=($(compgen -W \"\(words(of: flag).joined(separator: " "))\" -- \"$word\")); return ;;"
            )
        }
        return """
            _labelpipe() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags=""
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W "\(Subcommand.all.map(\.name).joined(separator: " ")) --help --version" -- "$word"))
                    return
                fi
                case $before in
            \(choices.joined(separator: "\n"))
                esac
                case ${COMP_WORDS[1]} in
            \(cases)    esac
                case $word in
                    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
                    *) COMPREPLY=($(compgen -f -- "$word")) ;;
                esac
            }
            complete -o filenames -F _labelpipe labelpipe

            """
    }

    private static var fishScript: String {
        var text = ""
        for subcommand in Subcommand.all {
            text += "complete -c labelpipe -n __fish_use_subcommand -a \(subcommand.name) -d '\(quoted(subcommand.summary))'\n"
            for flag in subcommand.allFlags {
                text += "complete -c labelpipe -n '__fish_seen_subcommand_from \(subcommand.name)' -l \(flag.name)"
                if let letter = flag.letter { text += " -s \(letter)" }
                if flag.takesValue { text += " -r" }
                if !words(of: flag).isEmpty { text += " -f -a '\(words(of: flag).joined(separator: " "))'" }
                text += " -d '\(quoted(flag.doc))'\n"
            }
        }
        return text
    }

    private static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
    }
}

/// The manual page, from the declarations.
private enum ManPage {
    static var text: String {
        var page = ".TH LABELPIPE 1 \"\" \"labelpipe \(Version.text)\"\n.SH NAME\n"
        page += "labelpipe \\- draw labels and watermarks onto pictures\n.SH COMMANDS\n"
        for subcommand in Subcommand.all {
            page += ".SS labelpipe \(roff(subcommand.name)) \(roff(subcommand.arguments))\n\(roff(subcommand.summary)).\n"
            for note in subcommand.notes { page += ".P\n\(roff(note))\n" }
            for flag in subcommand.allFlags { page += ".TP\n.B \(roff(flag.usage))\n\(roff(flag.doc))\n" }
            if !subcommand.examples.isEmpty { page += ".P\nExamples:\n.nf\n" }
            for example in subcommand.examples { page += "labelpipe \(roff(subcommand.name)) \(roff(example))\n" }
            if !subcommand.examples.isEmpty { page += ".fi\n" }
        }
        page += ".SH EXIT STATUS\n"
        for (code, meaning) in exitCodes { page += ".TP\n.B \(code)\n\(roff(meaning))\n" }
        return page
    }

    private static let exitCodes = [
        ("0", "all done or skipped"), ("1", "some pictures failed, or a check found something"), ("2", "wrong use"),
        ("3", "the document, rows or parameters are invalid"), ("4", "something installed is missing"),
        ("5", "the output folder, report or journal cannot be written, or the disk is full"),
        ("6", "a limit of the run was reached"),
        ("130, 143", "ended by SIGINT, SIGTERM"),
    ]

    private static func roff(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\\\"
            case "-": escaped += "\\-"
            default: escaped.append(character)
            }
        }
        // A line that begins with a dot or an apostrophe would be a request.
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}
