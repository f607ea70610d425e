/// An option of a subcommand, declared once: GLib's parser, help, completions and the man page are made from it.
package struct Flag: Sendable {
    /// What follows the flag.
    enum Argument: Sendable {
        /// Nothing: it is there or not.
        case none
        /// A text or path, called so in help.
        case value(String)
        /// One of these words.
        case choice([String])
        /// Nothing, or `=WORD` with one of these.
        case optionalChoice([String])
        /// A whole number.
        case integer(String, ClosedRange<Int>)
        /// A number.
        case number(String, ClosedRange<Double>)
    }

    /// Without the dashes.
    package let name: String
    let letter: Character?
    let argument: Argument
    /// Whether it may be given more than once.
    let repeats: Bool
    /// One line.
    let doc: String

    /// A switch.
    init(_ name: String, _ doc: String) {
        self.init(name, nil, .none, doc)
    }

    /// A switch with a letter.
    init(_ name: String, _ letter: Character, _ doc: String) {
        self.init(name, letter, .none, doc)
    }

    init(_ name: String, _ letter: Character?, _ argument: Argument, repeats: Bool = false, _ doc: String) {
        self.name = name
        self.letter = letter
        self.argument = argument
        self.repeats = repeats
        self.doc = doc
    }

    var takesValue: Bool {
        switch argument {
        case .none, .optionalChoice: false
        default: true
        }
    }

    /// Whether a shell may complete a value behind it, or behind its equals sign.
    var mayHaveValue: Bool {
        if case .none = argument { false } else { true }
    }

    /// What a shell completes its value with.
    enum Completed: Equatable, Sendable {
        case nothing
        case files
        /// Parameters of the document on the line.
        case settings
        case words([String])
    }

    var completed: Completed {
        switch argument {
        case .choice(let words), .optionalChoice(let words): .words(words)
        case .value("PATH"), .value("FILE"), .value("DIR"): .files
        case .value("NAME=VALUE"): .settings
        case .none, .value, .integer, .number: .nothing
        }
    }

    /// `-o, --output PATH`
    var usage: String {
        (letter.map { "-\($0), " } ?? "") + "--\(name)" + placeholder
    }

    private var placeholder: String {
        switch argument {
        case .none: ""
        case .value(let name), .integer(let name, _), .number(let name, _): " \(name)"
        case .choice(let words): " " + words.joined(separator: "│")
        case .optionalChoice(let words): "[=\(words.joined(separator: "│"))]"
        }
    }
}

/// Of every subcommand.
extension Flag {
    static let help = Flag("help", "h", "this page")
}
