/// The pages of `--help`, made from the declarations: an example first, one screen.
enum HelpText {
    /// Of the program.
    static var overview: String {
        var text = """
            labelpipe draws labels and watermarks onto pictures, as a pipeline document says.

              labelpipe run --text "© Ann" photos/ --output marked/
              labelpipe run Pipelines/watermark.json photos/ --output marked/

            commands

            """
        let width = Subcommand.all.map(\.name.count).max() ?? 0
        for subcommand in Subcommand.all { text += "  " + padded(subcommand.name, to: width + 2) + subcommand.summary + "\n" }
        if let recipes = DataFolder.pipelines { text += "\ndocuments to use and to copy from: \(recipes)\n" }
        return text + "\nlabelpipe COMMAND --help says more; labelpipe --version.\n"
    }

    /// Of one subcommand.
    static func page(of subcommand: Subcommand) -> String {
        var text = "labelpipe \(subcommand.name): \(subcommand.summary)\n\n"
        for example in subcommand.examples { text += "  labelpipe \(subcommand.name) \(example)".trimmed + "\n" }
        text += "\nusage: labelpipe \(subcommand.name) \(subcommand.arguments)".trimmed + "\n\n"
        for note in subcommand.notes { text += note + "\n" }
        if !subcommand.notes.isEmpty { text += "\n" }
        let flags = subcommand.flags + [.help]
        let width = min(flags.map(\.usage.count).max() ?? 0, 24)
        for flag in flags {
            if flag.usage.count > width { text += "  \(flag.usage)\n" }
            text += "  " + padded(flag.usage.count > width ? "" : flag.usage, to: width + 2) + flag.doc + "\n"
        }
        guard !subcommand.more.isEmpty else { return text }
        return text + "\nmore, told by labelpipe man:\n" + wrapped(subcommand.more.map(\.usage))
    }

    /// Words in lines of at most 100 characters, none of them broken.
    private static func wrapped(_ words: [String]) -> String {
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.count + word.count + 3 <= 100 {
                lines[lines.count - 1] = last + "   " + word
            } else {
                lines.append("  " + word)
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

extension String {
    /// Without blanks at its end.
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
