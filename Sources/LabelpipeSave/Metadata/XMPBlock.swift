import CMetadata
import LabelpipeKit

/// XMP, read and edited by exempi.
package enum XMPBlock {
    /// Namespaces whose prefixes documents may write though the picture has none of theirs.
    private static let spaces = [
        "dc": "http://purl.org/dc/elements/1.1/", "photoshop": "http://ns.adobe.com/photoshop/1.0/",
        "xmpRights": "http://ns.adobe.com/xap/1.0/rights/", "exif": "http://ns.adobe.com/exif/1.0/",
        "xmp": "http://ns.adobe.com/xap/1.0/", "tiff": "http://ns.adobe.com/tiff/1.0/",
        "xmpMM": "http://ns.adobe.com/xap/1.0/mm/", "aux": "http://ns.adobe.com/exif/1.0/aux/",
        "crs": "http://ns.adobe.com/camera-raw-settings/1.0/", "pdf": "http://ns.adobe.com/pdf/1.3/",
        "Iptc4xmpCore": "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/",
        "Iptc4xmpExt": "http://iptc.org/std/Iptc4xmpExt/2008-02-29/", "plus": "http://ns.useplus.org/ldf/xmp/1.0/",
        "cc": "http://creativecommons.org/ns#", "lr": "http://ns.adobe.com/lightroom/1.0/",
    ]
    private static let rights = [
        "dc:rights", "dc:creator", "photoshop:Credit", "xmpRights:Marked", "xmpRights:Owner", "xmpRights:UsageTerms",
        "xmpRights:WebStatement",
    ]
    /// Properties that hold texts by language, lists in order, and lists without one.
    private static let alternatives: Set<String> = [
        "dc:rights", "dc:description", "dc:title", "xmpRights:UsageTerms", "exif:UserComment", "tiff:Copyright",
        "tiff:ImageDescription",
    ]
    private static let sequences: Set<String> = ["dc:creator", "dc:date"]
    private static let bags: Set<String> = [
        "dc:subject", "dc:contributor", "dc:language", "dc:publisher", "dc:relation", "dc:type", "xmpRights:Owner",
        "photoshop:SupplementalCategories", "Iptc4xmpCore:Scene", "Iptc4xmpCore:SubjectCode", "Iptc4xmpExt:PersonInImage",
    ]
    private static let arrayForms =
        UInt32(XMP_PROP_VALUE_IS_ARRAY.rawValue) | UInt32(XMP_PROP_ARRAY_IS_ORDERED.rawValue)
        | UInt32(XMP_PROP_ARRAY_IS_ALT.rawValue)

    // Documented to be called once before everything else; safe to call again.
    private static let isReady = xmp_init()

    /// - Parameter orientation: a packet that says another one follows.
    static func edited(
        _ block: [UInt8]?, keep: OutputKeys.MetadataPolicy, set: [String: String], orientation: Int, notes: inout [Note]
    ) -> [UInt8]? {
        if block == nil, set.isEmpty { return nil }
        if keep == .strip, set.isEmpty { return nil }
        if keep == .keep, set.isEmpty, let block, !needsEditing(block, orientation) { return block }
        guard isReady, let old = parsed(block), let made = xmp_new_empty() else {
            notes.append(Note(.warning, "metadata", "the XMP packet cannot be read; it is dropped"))
            return nil
        }
        defer {
            xmp_free(old)
            xmp_free(made)
        }
        var target = made
        switch keep {
        case .strip: break
        case .rights: for name in rights { copy(name, from: old, to: made) }
        case .keep, .noLocation:
            target = old
            if keep == .noLocation { remove(from: old) { $0.hasPrefix("gps") } }
            // A preview without the label.
            remove(from: old) { $0 == "thumbnails" }
            if let (space, name) = split("tiff:Orientation"), xmp_has_property(old, space, name) {
                _ = xmp_set_property(old, space, name, String(orientation), 0)
            }
        }
        for (name, text) in set.sorted(by: { $0.key < $1.key }) where !write(text, to: name, in: target) {
            notes.append(Note(.warning, "metadata", "XMP property \"\(name)\" cannot be written"))
        }
        return serialised(target)
    }

    /// Whether a packet that is kept says something that is not true any more.
    private static func needsEditing(_ block: [UInt8], _ orientation: Int) -> Bool {
        let text = String(decoding: block, as: UTF8.self)
        return text.contains("xmpGImg") || text.contains("Orientation") && orientation == 1
    }

    /// The text of a property, `dc:creator`; the first of a list, the default of several languages. nil where there is none.
    package static func text(_ name: String, in block: [UInt8]) -> String? {
        guard isReady, let packet = parsed(block) else { return nil }
        defer { xmp_free(packet) }
        guard let (space, property) = split(name) else { return nil }
        return text(space, property, in: packet)
    }

    private static func text(_ space: String, _ property: String, in packet: XmpPtr) -> String? {
        guard let value = xmp_string_new() else { return nil }
        defer { xmp_string_free(value) }
        var form: UInt32 = 0
        guard xmp_get_property(packet, space, property, value, &form) else { return nil }
        if form & UInt32(XMP_PROP_ARRAY_IS_ALT.rawValue) != 0,
            xmp_get_localized_text(packet, space, property, "", "x-default", nil, value, nil)
        {
            return String(cString: xmp_string_cstr(value))
        }
        if form & arrayForms != 0 {
            return xmp_get_array_item(packet, space, property, 1, value, nil) ? String(cString: xmp_string_cstr(value)) : nil
        }
        if form & UInt32(XMP_PROP_VALUE_IS_STRUCT.rawValue) != 0 { return nil }
        return String(cString: xmp_string_cstr(value))
    }

    private static func parsed(_ block: [UInt8]?) -> XmpPtr? {
        guard let block else { return xmp_new_empty() }
        return block.withUnsafeBytes { xmp_new($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
    }

    /// The namespace that a prefix stands for: a packet's own, known since it was read, or one of the usual.
    private static func split(_ name: String) -> (space: String, property: String)? {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        if let space = spaces[parts[0]] {
            _ = xmp_register_namespace(space, parts[0], nil)
            return (space, parts[1])
        }
        guard let found = xmp_string_new() else { return nil }
        defer { xmp_string_free(found) }
        guard xmp_prefix_namespace_uri(parts[0], found) else { return nil }
        return (String(cString: xmp_string_cstr(found)), parts[1])
    }

    private static func write(_ text: String, to name: String, in packet: XmpPtr) -> Bool {
        guard let (space, property) = split(name), let old = xmp_string_new() else { return false }
        defer { xmp_string_free(old) }
        var form: UInt32 = 0
        let isThere = xmp_get_property(packet, space, property, old, &form)
        // Other languages, and the others of a list, would say something else.
        _ = xmp_delete_property(packet, space, property)
        let isAlternative = isThere ? form & UInt32(XMP_PROP_ARRAY_IS_ALT.rawValue) != 0 : alternatives.contains(name)
        if isAlternative { return xmp_set_localized_text(packet, space, property, "", "x-default", text, 0) }
        let isOrdered =
            isThere ? form & UInt32(XMP_PROP_ARRAY_IS_ORDERED.rawValue) != 0 : sequences.contains(name)
        if isOrdered {
            return xmp_append_array_item(packet, space, property, UInt32(XMP_PROP_ARRAY_IS_ORDERED.rawValue), text, 0)
        }
        if isThere ? form & arrayForms != 0 : bags.contains(name) {
            return xmp_append_array_item(packet, space, property, UInt32(XMP_PROP_ARRAY_IS_UNORDERED.rawValue), text, 0)
        }
        return xmp_set_property(packet, space, property, text, 0)
    }

    /// Copies a property, whatever its form, item by item.
    private static func copy(_ name: String, from old: XmpPtr, to new: XmpPtr) {
        guard let (space, property) = split(name), let value = xmp_string_new() else { return }
        defer { xmp_string_free(value) }
        var form: UInt32 = 0
        guard xmp_get_property(old, space, property, value, &form) else { return }
        if form & UInt32(XMP_PROP_ARRAY_IS_ALT.rawValue) != 0 {
            if let text = text(space, property, in: old) { _ = write(text, to: name, in: new) }
        } else if form & arrayForms != 0 {
            var index: Int32 = 1
            while xmp_get_array_item(old, space, property, index, value, nil) {
                _ = xmp_append_array_item(new, space, property, form & arrayForms, xmp_string_cstr(value), 0)
                index += 1
            }
        } else {
            _ = xmp_set_property(new, space, property, xmp_string_cstr(value), 0)
        }
    }

    /// Removes the properties whose own names, in lower case and whatever their namespace, are meant.
    private static func remove(from packet: XmpPtr, where isMeant: (String) -> Bool) {
        guard let space = xmp_string_new(), let path = xmp_string_new(), let value = xmp_string_new(),
            let iterator = xmp_iterator_new(packet, nil, nil, XMP_ITER_PROPERTIES)
        else { return }
        var found: [(space: String, path: String)] = []
        while xmp_iterator_next(iterator, space, path, value, nil) {
            let name = String(cString: xmp_string_cstr(path))
            guard let last = name.split(separator: "/").last?.split(separator: ":").last else { continue }
            if isMeant(last.lowercased()) { found.append((String(cString: xmp_string_cstr(space)), name)) }
        }
        xmp_iterator_free(iterator)
        for string in [space, path, value] { xmp_string_free(string) }
        // Backwards: items behind a removed one move up.
        for (space, path) in found.reversed() { _ = xmp_delete_property(packet, space, path) }
    }

    private static func serialised(_ packet: XmpPtr) -> [UInt8]? {
        guard let text = xmp_string_new() else { return nil }
        defer { xmp_string_free(text) }
        guard xmp_serialize(packet, text, UInt32(XMP_SERIAL_USECOMPACTFORMAT), 0) else { return nil }
        return Array(String(cString: xmp_string_cstr(text)).utf8)
    }
}
