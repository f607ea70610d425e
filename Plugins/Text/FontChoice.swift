import LabelpipeKit

/// What a comma-separated list of families comes to on this machine.
struct FontChoice {
    /// For Pango, in order; the file's private name first.
    private(set) var families: [String] = []
    private(set) var style = FontStyle()
    /// Entries of which no family is known.
    private(set) var skipped: [String] = []
    /// Families that fontconfig binds to another.
    private(set) var aliases: [(asked: String, drawn: String)] = []

    /// The generic families, and their old short names.
    private static let generic: Set<String> = [
        "sans-serif", "serif", "monospace", "cursive", "fantasy", "system-ui", "ui-sans-serif", "ui-serif", "ui-monospace",
        "ui-rounded", "emoji", "math", "sans", "mono",
    ]

    /// **Errors**: `font-missing`, when no entry is known and no file is given.
    init(_ list: String, in fonts: FontBook) throws {
        var hasStyle = false
        if let file = fonts.file { families.append(file.family) }
        for part in list.split(separator: ",") {
            let entry = FontChoice.unquoted(part)
            if entry.isEmpty { continue }
            guard let (family, style) = FontChoice.known(entry, in: fonts) else {
                skipped.append(entry)
                continue
            }
            if !hasStyle { (self.style, hasStyle) = (style, true) }
            if let file = fonts.file, file.ownFamilies.contains(family), !fonts.families.contains(family) { continue }
            if !families.contains(family) { families.append(family) }
            if !fonts.families.contains(family), !FontChoice.isGeneric(family), let drawn = fonts.alias(of: family) {
                aliases.append((family, drawn))
            }
        }
        if families.isEmpty { throw FontChoice.missing(list, skipped, in: fonts) }
    }

    static func isGeneric(_ family: String) -> Bool { generic.contains(family.lowercased()) }

    /// The longest beginning that is a known family; the rest must be style words.
    private static func known(_ entry: String, in fonts: FontBook) -> (String, FontStyle)? {
        let words = entry.split(separator: " ")
        for count in stride(from: words.count, to: 0, by: -1) {
            let family = words[..<count].joined(separator: " ")
            guard
                fonts.families.contains(family) || isGeneric(family) || fonts.file?.ownFamilies.contains(family) == true
                    || fonts.alias(of: family) != nil
            else { continue }
            return FontStyle(words: words[count...]).map { (family, $0) }
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
        let near = asked.lazy.compactMap { nearestName(to: $0, in: fonts.families.all) }.first
        return DrawingError(
            "font-missing", .missing, asked.isEmpty ? "no font is named in \"\(list)\"" : "no font is installed for \(names)",
            help: near.map { "did you mean \"\($0)\"?" } ?? "labelpipe fonts lists what is installed")
    }
}
