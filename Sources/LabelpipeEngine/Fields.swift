/// The fields that templates may ask for.
package enum Fields {
    /// Without the families below.
    package static let names = [
        "name", "stem", "ext", "folder", "relative", "index", "count", "width", "height", "page", "date", "modified",
    ]
    package static let families = ["exif.", "iptc.", "xmp.", "row.", "picture."]

    static let help =
        "fields: \(names.joined(separator: " ")), \(families.map { $0 + "…" }.joined(separator: " ")) and the document's parameters"

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
