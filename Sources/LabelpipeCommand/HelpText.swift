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
        let width = Subcommand.all.map { $0.name.count + $0.arguments.count }.max() ?? 0
        for subcommand in Subcommand.all {
            let usage = "\(subcommand.name) \(subcommand.arguments)"
            text += "  " + padded(usage, to: width + 3) + subcommand.summary + "\n"
        }
        return text + "\nlabelpipe COMMAND --help says more; labelpipe --version.\n"
    }

    /// Of one subcommand.
    static func page(of subcommand: Subcommand) -> String {
        var text = "labelpipe \(subcommand.name): \(subcommand.summary)\n\n"
        for example in subcommand.examples { text += "  labelpipe \(subcommand.name) \(example)\n" }
        text += "\nusage: labelpipe \(subcommand.name) \(subcommand.arguments)\n\n"
        for note in subcommand.notes { text += note + "\n" }
        if !subcommand.notes.isEmpty { text += "\n" }
        let usages = subcommand.allFlags.map(\.usage)
        let width = min(usages.map(\.count).max() ?? 0, 26)
        for (flag, usage) in zip(subcommand.allFlags, usages) {
            if usage.count > width {
                text += "  \(usage)\n  " + padded("", to: width + 2) + flag.doc + "\n"
            } else {
                text += "  " + padded(usage, to: width + 2) + flag.doc + "\n"
            }
        }
        return text
    }

    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
