import CMetadata
import LabelpipeKit

/// XMP, edited by exempi.
enum XMPBlock {
    private static let spaces = [
        "dc": "http://purl.org/dc/elements/1.1/", "photoshop": "http://ns.adobe.com/photoshop/1.0/",
        "xmpRights": "http://ns.adobe.com/xap/1.0/rights/", "exif": "http://ns.adobe.com/exif/1.0/",
        "xmp": "http://ns.adobe.com/xap/1.0/", "tiff": "http://ns.adobe.com/tiff/1.0/",
        "Iptc4xmpCore": "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/",
    ]
    private static let rights = [
        ("dc", "rights"), ("dc", "creator"), ("photoshop", "Credit"), ("xmpRights", "Marked"), ("xmpRights", "Owner"),
        ("xmpRights", "UsageTerms"), ("xmpRights", "WebStatement"),
    ]
    /// Properties that hold their text in a list of languages, or of people.
    private static let alternatives: Set<String> = ["dc:rights", "dc:description", "dc:title", "xmpRights:UsageTerms"]
    private static let sequences: Set<String> = ["dc:creator"]

    static func edited(
        _ block: [UInt8]?, keep: OutputKeys.MetadataPolicy, set: [String: String], notes: inout [Note]
    ) -> [UInt8]? {
        if block == nil, set.isEmpty { return nil }
        if keep == .strip, set.isEmpty { return nil }
        guard xmp_init(), let old = parsed(block), let made = xmp_new_empty() else {
            notes.append(Note(.warning, "metadata", "the XMP packet cannot be read; it is dropped"))
            return nil
        }
        defer {
            xmp_free(old)
            xmp_free(made)
        }
        var target = made
        switch keep {
        case .keep: target = old
        case .strip: break
        case .noLocation:
            target = old
            removeLocation(from: old)
        case .rights:
            for (space, name) in rights { copy(space, name, from: old, to: made) }
        }
        for (name, text) in set.sorted(by: { $0.key < $1.key }) where !write(text, to: name, in: target) {
            notes.append(Note(.warning, "metadata", "XMP property \"\(name)\" cannot be written"))
        }
        return serialised(target)
    }

    /// The text of a property, `dc:creator`; the first of a list. nil where there is none.
    static func text(_ name: String, in block: [UInt8]) -> String? {
        guard xmp_init(), let packet = parsed(block), let (space, property) = split(name) else { return nil }
        defer { xmp_free(packet) }
        guard let value = xmp_string_new() else { return nil }
        defer { xmp_string_free(value) }
        if alternatives.contains(name) {
            if xmp_get_localized_text(packet, space, property, "", "x-default", nil, value, nil) {
                return String(cString: xmp_string_cstr(value))
            }
        }
        if xmp_get_array_item(packet, space, property, 1, value, nil) { return String(cString: xmp_string_cstr(value)) }
        if xmp_get_property(packet, space, property, value, nil) { return String(cString: xmp_string_cstr(value)) }
        return nil
    }

    private static func parsed(_ block: [UInt8]?) -> XmpPtr? {
        guard let block else { return xmp_new_empty() }
        return block.withUnsafeBytes { xmp_new($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
    }

    private static func split(_ name: String) -> (space: String, property: String)? {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, let space = spaces[parts[0]] else { return nil }
        _ = xmp_register_namespace(space, parts[0], nil)
        return (space, parts[1])
    }

    private static func write(_ text: String, to name: String, in packet: XmpPtr) -> Bool {
        guard let (space, property) = split(name) else { return false }
        if alternatives.contains(name) {
            return xmp_set_localized_text(packet, space, property, "", "x-default", text, 0)
        }
        if sequences.contains(name) {
            _ = xmp_delete_property(packet, space, property)
            return xmp_append_array_item(packet, space, property, UInt32(XMP_PROP_ARRAY_IS_ORDERED.rawValue), text, 0)
        }
        return xmp_set_property(packet, space, property, text, 0)
    }

    private static func copy(_ prefix: String, _ property: String, from old: XmpPtr, to new: XmpPtr) {
        guard let space = spaces[prefix], let value = xmp_string_new() else { return }
        defer { xmp_string_free(value) }
        let name = prefix + ":" + property
        if alternatives.contains(name) {
            if xmp_get_localized_text(old, space, property, "", "x-default", nil, value, nil) {
                _ = write(String(cString: xmp_string_cstr(value)), to: name, in: new)
            }
        } else if sequences.contains(name) {
            var index: Int32 = 1
            while xmp_get_array_item(old, space, property, index, value, nil) {
                _ = xmp_append_array_item(
                    new, space, property, UInt32(XMP_PROP_ARRAY_IS_ORDERED.rawValue), xmp_string_cstr(value), 0)
                index += 1
            }
        } else if xmp_get_property(old, space, property, value, nil) {
            _ = split(name)
            _ = xmp_set_property(new, space, property, xmp_string_cstr(value), 0)
        }
    }

    private static func removeLocation(from packet: XmpPtr) {
        guard let exif = spaces["exif"] else { return }
        for name in [
            "GPSVersionID", "GPSLatitude", "GPSLongitude", "GPSAltitudeRef", "GPSAltitude", "GPSTimeStamp", "GPSSatellites",
            "GPSStatus", "GPSMeasureMode", "GPSDOP", "GPSSpeedRef", "GPSSpeed", "GPSTrackRef", "GPSTrack",
            "GPSImgDirectionRef", "GPSImgDirection", "GPSMapDatum", "GPSDestLatitude", "GPSDestLongitude",
            "GPSDestBearingRef", "GPSDestBearing", "GPSDestDistanceRef", "GPSDestDistance", "GPSProcessingMethod",
            "GPSAreaInformation", "GPSDifferential", "GPSHPositioningError",
        ] { _ = xmp_delete_property(packet, exif, name) }
    }

    private static func serialised(_ packet: XmpPtr) -> [UInt8]? {
        guard let text = xmp_string_new() else { return nil }
        defer { xmp_string_free(text) }
        guard xmp_serialize(packet, text, UInt32(XMP_SERIAL_USECOMPACTFORMAT), 0) else { return nil }
        return Array(String(cString: xmp_string_cstr(text)).utf8)
    }
}
