import LabelpipeKit

/// What a comma-separated list of families comes to on this machine.
struct FontChoice {
    /// For Pango, in order; the file's private name first.
    private(set) var families: [String] = []
    private(set) var style = FontStyle()
    /// How each entry was understood.
    private(set) var entries: [Fonts.Entry] = []

    private let hasFile: Bool

    /// What would have been taken instead of the first known one; the rest of a list stands by for what that one lacks.
    var skipped: [String] { hasFile ? [] : entries.prefix { $0.reason == .unknown }.map(\.text) }
    /// The entry that is taken, where fontconfig binds it to another family.
    var alias: Fonts.Entry? { hasFile ? nil : entries.first { $0.reason != .unknown }.flatMap { $0.reason == .alias ? $0 : nil } }

    /// The generic families, and their old short names.
    private static let generic: Set<String> = [
        "sans-serif", "serif", "monospace", "cursive", "fantasy", "system-ui", "ui-sans-serif", "ui-serif", "ui-monospace",
        "ui-rounded", "emoji", "math", "sans", "mono",
    ]

    /// **Errors**: `font-missing`, when no entry is known and no file is given.
    init(_ list: String, in fonts: FontBook) throws {
        var hasStyle = false
        hasFile = fonts.file != nil
        if let file = fonts.file { families.append(file.family) }
        for part in list.split(separator: ",") {
            let entry = FontChoice.unquoted(part)
            if entry.isEmpty { continue }
            guard let (known, style) = FontChoice.known(entry, in: fonts) else {
                entries.append(Fonts.Entry(text: entry, reason: .unknown, family: nil))
                continue
            }
            entries.append(known)
            if !hasStyle { (self.style, hasStyle) = (style, true) }
            if known.reason != .file, let family = known.family, !families.contains(family) { families.append(family) }
        }
        if families.isEmpty { throw FontChoice.missing(list, skipped, in: fonts) }
    }

    /// The longest beginning that is a known family; the rest must be style words.
    private static func known(_ entry: String, in fonts: FontBook) -> (Fonts.Entry, FontStyle)? {
        let words = entry.split(separator: " ")
        for count in stride(from: words.count, to: 0, by: -1) {
            let family = words[..<count].joined(separator: " ")
            let found: (Fonts.Entry.Reason, String)
            if fonts.file?.ownFamilies.contains(family) == true {
                found = (.file, family)
            } else if fonts.families.contains(family) {
                found = (.installed, family)
            } else if generic.contains(family.lowercased()) {
                found = (.generic, family)
            } else if let other = fonts.alias(of: family) {
                found = (.alias, other)
            } else {
                continue
            }
            return FontStyle(words: words[count...]).map { (Fonts.Entry(text: entry, reason: found.0, family: found.1), $0) }
        }
        return nil
    }

    /// Lists are often copied from style sheets.
    private static func unquoted(_ part: Substring) -> String {
        var entry = part.drop { $0 == " " }
        while entry.last == " " { entry.removeLast() }
        if let first = entry.first, first == "\"" || first == "'", entry.count > 1, entry.last == first {
            entry = entry.dropFirst().dropLast()
        }
        return String(entry)
    }

    private static func missing(_ list: String, _ asked: [String], in fonts: FontBook) -> DrawingError {
        let names = asked.map { "\"\($0)\"" }.joined(separator: ", ")
        let help =
            asked.lazy.compactMap { wordsTooMany(in: $0, fonts) }.first
            ?? asked.lazy.compactMap { nearestName(to: $0, in: fonts.families.all).map { "did you mean \"\($0)\"?" } }.first
        return DrawingError(
            "font-missing", .missing, asked.isEmpty ? "no font is named in \"\(list)\"" : "no font is installed for \(names)",
            help: help ?? "labelpipe fonts lists what is installed")
    }

    /// A family that is known, followed by what is no style.
    private static func wordsTooMany(in entry: String, _ fonts: FontBook) -> String? {
        let words = entry.split(separator: " ")
        for count in stride(from: words.count - 1, to: 0, by: -1) {
            let family = words[..<count].joined(separator: " ")
            if fonts.families.contains(family) {
                return "\"\(family)\" is installed, but \"\(words[count...].joined(separator: " "))\" is no style"
            }
        }
        return nil
    }
}
