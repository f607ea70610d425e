/// The fields that templates may ask for.
package enum Fields {
    /// Without the families below.
    package static let names = [
        "name", "stem", "ext", "folder", "relative", "index", "count", "width", "height", "page", "date", "modified",
    ]
    package static let families = ["exif.", "iptc.", "xmp.", "row.", "picture."]

    static let help =
        "fields: \(names.joined(separator: " ")), \(families.map { $0 + "…" }.joined(separator: " ")) and the document's parameters"

    static let formats =
        "formats: {date:%Y-%m-%d} with strftime's codes for dates, {index:04} and {index:4} for whole numbers; numbers from metadata are printed as they are"

    /// A known field with something behind a colon that is no format; nil for what may be a name of its own.
    static func wrongFormat(_ field: String, known isDeclared: (String) -> Bool) -> (name: String, format: String)? {
        guard let colon = field.firstIndex(of: ":") else { return nil }
        let name = String(field[..<colon])
        // Names of columns and of XMP's properties may have colons.
        guard names.contains(name) || name.hasPrefix("exif.") || name.hasPrefix("iptc.") || isDeclared(name) else { return nil }
        return (name, String(field[field.index(after: colon)...]))
    }

    package static func isKnown(_ name: String) -> Bool {
        if names.contains(name) { return true }
        for family in families where name.hasPrefix(family) && name.count > family.count {
            return family != "picture." || names.contains(String(name.dropFirst(family.count)))
        }
        return false
    }

    /// The fields that can be told without looking into a picture.
    package static func isKnownWithoutPicture(_ name: String) -> Bool {
        if name.hasPrefix("row.") { return true }
        let plain = name.hasPrefix("picture.") ? String(name.dropFirst("picture.".count)) : name
        return ["name", "stem", "folder", "relative", "index", "count", "date"].contains(plain)
    }
}
