/// Completion for fish, from the declarations.
enum FishCompletion {
    static var script: String {
        var text = """
            # Completion of labelpipe for fish; made by: labelpipe completions fish
            function __labelpipe_settings
                set -l words (commandline -opc)
                for word in $words
                    if string match -q -- '*.json' $word
                        $words[1] completions settings $word 2>/dev/null
                        return
                    end
                end
            end
            function __labelpipe_operands
                set -l words (commandline -opc)
                set -l takes \(takes)
                set -l last
                for word in $words[3..]
                    if not string match -q -- '-*' $word; and not contains -- "$last" $takes
                        echo $word
                    end
                    set last $word
                end
            end
            function __labelpipe_effect
                set -l program (commandline -opc)[1]
                set -l operands (__labelpipe_operands)
                if test (count $operands) -eq 0
                    $program completions effects 2>/dev/null
                else
                    $program completions parameters $operands[1] 2>/dev/null
                end
            end
            complete -c labelpipe -f
            complete -c labelpipe -n __fish_use_subcommand -l help -d 'what there is'
            complete -c labelpipe -n __fish_use_subcommand -l version -d 'the version'

            """
        for subcommand in Subcommand.all {
            text += "complete -c labelpipe -n __fish_use_subcommand -a \(subcommand.name) -d \(quoted(subcommand.summary))\n"
            let condition = "complete -c labelpipe -n '__fish_seen_subcommand_from \(subcommand.name)'"
            for flag in subcommand.allFlags {
                text += condition + " -l \(flag.name)"
                if let letter = flag.letter { text += " -s \(letter)" }
                switch flag.argument {
                case .none, .optionalChoice: break
                default: text += " -r" + value(flag.completed)
                }
                text += " -d \(quoted(flag.doc))\n"
            }
            text += operands(subcommand, condition)
        }
        return text
    }

    /// Flags that a value follows, whatever the subcommand.
    private static var takes: String {
        var all: [String] = []
        for flag in Subcommand.all.flatMap(\.flagsBeforeValues) where !all.contains(flag) { all.append(flag) }
        return all.joined(separator: " ")
    }

    private static func value(_ completed: Flag.Completed) -> String {
        switch completed {
        case .words(let words): " -f -a '\(words.joined(separator: " "))'"
        case .files: " -F"
        case .settings: " -f -a '(__labelpipe_settings)'"
        case .nothing: " -f"
        }
    }

    private static func operands(_ subcommand: Subcommand, _ condition: String) -> String {
        switch subcommand.operands {
        case .none: ""
        case .files: "\(condition) -F\n"
        case .effect: "\(condition) -a '(__labelpipe_effect)'\n"
        case .words(let words): "\(condition) -a '\(words.joined(separator: " "))'\n"
        case .wordOrFiles(let word): "\(condition) -F -a '\(word)'\n"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = ""
        for character in text {
            if character == "'" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        }
        return "'" + quoted + "'"
    }
}
