/// Completion for bash, from the declarations.
enum BashCompletion {
    static var script: String {
        """
        # Completion of labelpipe for bash; made by: labelpipe completions bash
        _labelpipe() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
            local each last= flags takes document= effect=
            COMPREPLY=()
            # bash parts --flag=word at the equals sign.
            if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
            if ((COMP_CWORD == 1)); then
                mapfile -t COMPREPLY < <(compgen -W '\(Subcommand.all.map(\.name).joined(separator: " ")) --help --version' -- "$word")
                return
            fi
            case $command in
        \(flags.joined(separator: "\n"))
            esac
            for each in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
                if [[ $each != -* && " $takes " != *" $last "* ]]; then
                    [[ $each == *.json && -z $document ]] && document=$each
                    [[ -z $effect ]] && effect=$each
                fi
                last=$each
            done
            case "$command $before" in
        \(values.joined(separator: "\n"))
            esac
            if [[ $word == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
                return
            fi
            case $command in
        \(operands.joined(separator: "\n"))
            esac
        }
        _labelpipe_words() {
            mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
        }
        _labelpipe_asked() {
            _labelpipe_words "$("${COMP_WORDS[0]}" completions "${@:2}" 2>/dev/null | cut -f 1)" "$1"
        }
        _labelpipe_files() {
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$1")
        }
        complete -F _labelpipe labelpipe

        """
    }

    private static var flags: [String] {
        Subcommand.all.map { subcommand in
            "        \(subcommand.name)) flags='\(subcommand.allFlags.map { "--\($0.name)" }.joined(separator: " "))'"
                + " takes='\(subcommand.flagsBeforeValues.joined(separator: " "))' ;;"
        }
    }

    /// What stands behind flags that take a value.
    private static var values: [String] {
        Subcommand.all.flatMap { subcommand in
            subcommand.allFlags.filter(\.mayHaveValue).map { flag in
                var patterns = ["\"\(subcommand.name) --\(flag.name)\""]
                if let letter = flag.letter { patterns.append("\"\(subcommand.name) -\(letter)\"") }
                let action =
                    switch flag.completed {
                    case .words(let words): "_labelpipe_words '\(words.joined(separator: " "))' \"$word\""
                    case .files: "_labelpipe_files \"$word\""
                    case .settings:
                        "_labelpipe_asked \"$word\" settings \"$document\"; compopt -o nospace 2>/dev/null"
                    case .nothing: ":"
                    }
                return "        \(patterns.joined(separator: " | "))) \(action); return ;;"
            }
        }
    }

    private static var operands: [String] {
        Subcommand.all.map { subcommand in
            let action =
                switch subcommand.operands {
                case .none: ":"
                case .files: "_labelpipe_files \"$word\""
                case .effect:
                    "if [[ -z $effect ]]; then _labelpipe_asked \"$word\" effects; else _labelpipe_asked \"$word\" parameters \"$effect\"; fi"
                case .words(let words): "_labelpipe_words '\(words.joined(separator: " "))' \"$word\""
                case .wordOrFiles(let word):
                    "if [[ -z $effect ]]; then _labelpipe_words '\(word)' \"$word\"; else _labelpipe_files \"$word\"; fi"
                }
            return "        \(subcommand.name)) \(action) ;;"
        }
    }
}
