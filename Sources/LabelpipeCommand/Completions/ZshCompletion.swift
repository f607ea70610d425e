/// Completion for zsh, from the declarations.
enum ZshCompletion {
    static var script: String {
        """
        #compdef labelpipe
        # Completion of labelpipe for zsh; made by: labelpipe completions zsh
        _labelpipe_asked() {
            local -a answers
            local answer
            for answer in ${(f)"$($labelpipe_program completions "$@" 2>/dev/null)"}; do
                answers+=("${${answer%%$'\\t'*}//:/\\\\:}:${answer#*$'\\t'}")
            done
            if [[ $1 == settings ]]; then _describe -t settings parameter answers -S ''; else _describe -t words $1 answers; fi
        }
        _labelpipe_settings() {
            local each
            for each in $words; do
                if [[ $each == *.json ]]; then _labelpipe_asked settings $each; return; fi
            done
        }
        _labelpipe_effect() {
            if [[ $1 == first ]]; then _labelpipe_asked effects; else _labelpipe_asked parameters $line[1]; fi
        }
        _labelpipe() {
            local labelpipe_program=$words[1] line
            local -a commands=(
        \(Subcommand.all.map { "        \(quoted("\($0.name):\($0.summary)"))" }.joined(separator: "\n"))
            )
            if ((CURRENT == 2)); then
                _describe -t commands command commands
                return
            fi
            shift words
            ((CURRENT--))
            case $words[1] in
        \(Subcommand.all.map(arguments).joined(separator: "\n"))
            esac
        }
        _labelpipe "$@"

        """
    }

    private static func arguments(of subcommand: Subcommand) -> String {
        let specs = subcommand.allFlags.map(spec) + operands(of: subcommand.operands)
        return "        \(subcommand.name)) _arguments -s -S \(specs.map(quoted).joined(separator: " ")) ;;"
    }

    private static func operands(of operands: Subcommand.Operands) -> [String] {
        switch operands {
        case .none: []
        case .files: ["*:file:_files"]
        case .effect: ["1:effect: _labelpipe_effect first", "*:parameter: _labelpipe_effect rest"]
        case .words(let words): ["1:word:(\(words.joined(separator: " ")))"]
        case .wordOrFiles(let word): ["1:word:(\(word))", "*:file:_files"]
        }
    }

    private static func spec(of flag: Flag) -> String {
        var doc = ""
        for character in flag.doc {
            if "[]\\".contains(character) { doc.append("\\") }
            doc.append(character)
        }
        let start = flag.repeats ? "*" : ""
        switch flag.argument {
        case .none: return "\(start)--\(flag.name)[\(doc)]"
        case .optionalChoice(let words): return "\(start)--\(flag.name)=-[\(doc)]::word:(\(words.joined(separator: " ")))"
        default: break
        }
        let action =
            switch flag.completed {
            case .words(let words): "(\(words.joined(separator: " ")))"
            case .files: "_files"
            case .settings: "_labelpipe_settings"
            case .nothing: " "
            }
        return "\(start)--\(flag.name)=[\(doc)]:value:\(action)"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
