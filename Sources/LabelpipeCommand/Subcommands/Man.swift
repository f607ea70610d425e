import LabelpipeBatch

extension Subcommand {
    static let man: Subcommand = Subcommand(
        name: "man", summary: "the manual page, in roff", arguments: "",
        examples: ["| man --local-file -", "> ~/.local/share/man/man1/labelpipe.1"], flags: []
    ) { _, session throws(Stop) in
        session.output.write(ManPage.text)
        return .done
    }
}

/// The manual page, from the declarations, for `man` and `mandoc`.
private enum ManPage {
    static var text: String {
        var page = ".TH LABELPIPE 1 \(date) \"labelpipe \(Version.text)\" \"User Commands\"\n.SH NAME\n"
        page += "labelpipe \\- draw labels and watermarks onto pictures\n.SH SYNOPSIS\n"
        for (index, subcommand) in Subcommand.all.enumerated() {
            page += (index == 0 ? "" : ".br\n") + ".B labelpipe \(roff(subcommand.name))\n"
            if !subcommand.arguments.isEmpty { page += text(subcommand.arguments) }
        }
        page += ".SH DESCRIPTION\n" + text(description)
        page += ".SH COMMANDS\n"
        for subcommand in Subcommand.all {
            page += ".SS labelpipe \(roff("\(subcommand.name) \(subcommand.arguments)"))\n"
            page += text(subcommand.summary.prefix(1).uppercased() + subcommand.summary.dropFirst() + ".")
            for note in subcommand.notes { page += ".PP\n" + text(note) }
            for flag in subcommand.allFlags { page += ".TP\n.B \(roff(flag.usage))\n" + text(flag.doc) }
        }
        page += ".SH EXIT STATUS\n"
        for (code, meaning) in exitCodes { page += ".TP\n.B \(code)\n" + text(meaning) }
        page += ".SH ENVIRONMENT\n"
        for (name, meaning) in environment { page += ".TP\n.B \(name)\n" + text(meaning) }
        page += ".SH EXAMPLES\n"
        for (index, subcommand) in Subcommand.all.enumerated() where !subcommand.examples.isEmpty {
            page += (index == 0 ? "" : ".PP\n") + ".nf\n.RS\n"
            for example in subcommand.examples {
                page += example.isEmpty ? text("labelpipe \(subcommand.name)") : text("labelpipe \(subcommand.name) \(example)")
            }
            page += ".RE\n.fi\n"
        }
        return page
    }

    private static let description =
        "labelpipe draws a document, a small graph of effects written as JSON, onto pictures: one, or a million. "
        + "Inputs are never changed unless they are asked to be, and a picture that failed is named."

    /// Of the version; fixed, so that the page is the same wherever it is made.
    private static let date = "2026-11-30"

    private static let exitCodes = [
        ("0", "all done or skipped"), ("1", "some pictures failed, or a check found something"), ("2", "wrong use"),
        ("3", "the document, rows or parameters are invalid"), ("4", "something installed is missing"),
        ("5", "the output folder, report or journal cannot be written, or the disk is full"),
        ("6", "a limit of the run was reached"),
        ("129, 130, 143", "ended by SIGHUP, SIGINT, SIGTERM"),
    ]

    private static let environment = [
        ("SOURCE_DATE_EPOCH", "seconds since 1970 that {date} tells instead of now"),
        ("TZ", "the time zone of dates"),
        ("FONTCONFIG_FILE", "the configuration that decides which fonts there are"),
    ]

    /// A line of text by itself.
    private static func text(_ text: some StringProtocol) -> String {
        let escaped = roff(text)
        // A line that begins with a dot or an apostrophe would be a request.
        return (escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped) + "\n"
    }

    private static func roff(_ text: some StringProtocol) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "│": escaped += "|"
            case "\"": escaped += "\\(dq"
            default: escaped.append(character)
            }
        }
        while escaped.last == " " { escaped.removeLast() }
        return escaped
    }
}
