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
        return DrawingError(
            "font-missing", .missing, asked.isEmpty ? "no font is named in \"\(list)\"" : "no font is installed for \(names)",
            about: "font",
            help: asked.lazy.compactMap { Advice(on: $0, fonts).text }.first ?? "labelpipe fonts lists what is installed")
    }

    /// What was probably meant by an entry that is not known.
    private struct Advice {
        let text: String?

        init(on entry: String, _ fonts: FontBook) {
            // Names of PostScript have hyphens: `DejaVuSans-Bold`.
            let words = entry.split(separator: entry.contains(" ") ? " " : "-")
            var text: String?
            for count in stride(from: words.count - 1, to: 0, by: -1) where text == nil {
                let family = words[..<count].joined(separator: " ")
                guard let (name, standing) = Advice.family(family, fonts) else { continue }
                text = Advice.styled(name, standing, words[count...])
            }
            let whole = nearestName(to: entry, in: fonts.families.all).map { "did you mean \"\($0)\"?" }
            self.text = text ?? whole ?? Advice.anyFamily(words)
        }

        /// As it is installed, and how it is there; nil: it only nearly is called so.
        private static func family(_ name: String, _ fonts: FontBook) -> (name: String, standing: String?)? {
            if let own = fonts.families.spelling(of: name) { return (own, "installed") }
            if generic.contains(name.lowercased()) || fonts.alias(of: name) != nil { return (name, "known") }
            return nearestName(to: name, in: fonts.families.all).map { ($0, nil) }
        }

        /// A family that is there, followed by words of style, or by what was to be one.
        private static func styled(_ family: String, _ standing: String?, _ words: ArraySlice<Substring>) -> String? {
            let rest = words.joined(separator: " ")
            if let style = FontStyle(words: words) {
                let weight = style.weight.map { ", or \"\(family)\" with \"weight\": \($0)" } ?? ""
                return "did you mean \"\(family) \(rest)\"\(weight)?"
            }
            // Of a name that is only near, the rest has to make sense.
            guard let standing else { return nil }
            if let number = Int(rest), number > 0 {
                let key = (100...1000).contains(number) ? "weight" : "size"
                return "\"\(family)\" is \(standing): write \"font\": \"\(family)\" and \"\(key)\": \(number)"
            }
            let meant = words.compactMap { word in
                FontStyle(words: [word]) == nil ? nearestName(to: String(word), in: FontStyle.words) : String(word)
            }
            return meant.count == words.count
                ? "did you mean \"\(([family] + meant).joined(separator: " "))\"?"
                : "\"\(family)\" is \(standing), but \"\(rest)\" is no style"
        }

        /// Of a family that nobody has: its style may be drawn with another.
        private static func anyFamily(_ words: [Substring]) -> String? {
            let count = words.reversed().prefix { FontStyle(words: [$0]) != nil }.count
            guard count > 0, count < words.count, let style = FontStyle(words: words.suffix(count)) else { return nil }
            let weight = style.weight.map { ", or \"sans-serif\" with \"weight\": \($0)" } ?? ""
            let family = words.dropLast(count).joined(separator: " ")
            return "\"\(family)\" is not installed; \"sans-serif \(words.suffix(count).joined(separator: " "))\"\(weight), is"
        }
    }
}
