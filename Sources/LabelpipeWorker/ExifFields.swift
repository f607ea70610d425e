import CMetadata
import LabelpipeKit

/// EXIF as templates see it: names are libexif's (`Artist`, `FNumber`), numbers plain decimals (`2.8`), exposure times below
/// 0.3 s as photographers write them (`1/250`).
final class ExifFields {
    private let data: UnsafeMutablePointer<ExifData>

    /// - Parameter block: TIFF structure. Nil where it can't be read.
    init?(_ block: [UInt8]) {
        let headed = Array("Exif\0\0".utf8) + block
        guard let data = exif_data_new_from_data(headed, UInt32(clamping: headed.count)) else { return nil }
        self.data = data
    }

    deinit { exif_data_unref(data) }

    /// A tag's value as text; nil where the picture has none.
    func text(_ name: String) -> String? {
        let tag = exif_tag_from_name(name)
        // 0 is also GPSVersionID, the one tag whose number says nothing.
        guard tag.rawValue != 0 || name == "GPSVersionID" else { return nil }
        let directories = withUnsafeBytes(of: data.pointee.ifd) {
            Array($0.bindMemory(to: UnsafeMutablePointer<ExifContent>?.self))
        }
        for (index, directory) in directories.enumerated() {
            // GPS and interoperability number their tags anew.
            guard let directory, (index == Int(EXIF_IFD_GPS.rawValue)) == name.hasPrefix("GPS"),
                (index == Int(EXIF_IFD_INTEROPERABILITY.rawValue)) == name.hasPrefix("Interoperability"),
                // The thumbnail's own tags are not the picture's.
                index != Int(EXIF_IFD_1.rawValue), let entry = exif_content_get_entry(directory, tag)
            else { continue }
            return text(of: entry.pointee, name: name)
        }
        return nil
    }

    private func text(of entry: ExifEntry, name: String) -> String? {
        guard let bytes = entry.data else { return nil }
        let order = exif_data_get_byte_order(data)
        let count = Int(entry.components)
        func numbers(_ size: Int, _ number: (UnsafePointer<UInt8>) -> String?) -> String? {
            guard count > 0, count <= 64, count * size <= Int(entry.size) else { return nil }
            let texts = (0..<count).compactMap { number(UnsafePointer(bytes) + $0 * size) }
            return texts.count == count ? texts.joined(separator: " ") : nil
        }
        switch entry.format {
        case EXIF_FORMAT_ASCII:
            let text = UnsafeBufferPointer(start: bytes, count: Int(entry.size)).prefix { $0 != 0 }
            return String(decoding: text, as: UTF8.self).trimmed
        case EXIF_FORMAT_BYTE:
            // Windows' own fields: UTF-16, whatever the block's byte order.
            if name.hasPrefix("XP") {
                return utf16(UnsafeBufferPointer(start: bytes, count: Int(entry.size)), isBigEndian: false)
            }
            return numbers(1) { String($0[0]) }
        case EXIF_FORMAT_SHORT: return numbers(2) { String(exif_get_short($0, order)) }
        case EXIF_FORMAT_LONG: return numbers(4) { String(exif_get_long($0, order)) }
        case EXIF_FORMAT_SLONG: return numbers(4) { String(exif_get_slong($0, order)) }
        case EXIF_FORMAT_RATIONAL:
            return numbers(8) {
                let ratio = exif_get_rational($0, order)
                return Self.text(Double(ratio.numerator), Double(ratio.denominator), isExposure: name == "ExposureTime")
            }
        case EXIF_FORMAT_SRATIONAL:
            return numbers(8) {
                let ratio = exif_get_srational($0, order)
                return Self.text(Double(ratio.numerator), Double(ratio.denominator), isExposure: name == "ExposureTime")
            }
        case EXIF_FORMAT_UNDEFINED:
            // Comments name their character set in eight bytes, versions are four digits; the rest has no text.
            var raw = UnsafeBufferPointer(start: bytes, count: Int(entry.size))
            if raw.count >= 8, ["UserComment", "GPSProcessingMethod", "GPSAreaInformation"].contains(name) {
                let set = String(decoding: raw.prefix(8).prefix { $0 != 0 }, as: UTF8.self)
                let text = UnsafeBufferPointer(rebasing: raw.dropFirst(8))
                if set == "UNICODE" { return utf16(text, isBigEndian: order == EXIF_BYTE_ORDER_MOTOROLA) }
                if set == "ASCII" || set.isEmpty {
                    return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self).trimmed
                }
                raw = text
            }
            return raw.allSatisfy { (0x20..<0x7F).contains($0) } ? String(decoding: raw, as: UTF8.self).trimmed : nil
        default: return nil
        }
    }

    private func utf16(_ bytes: UnsafeBufferPointer<UInt8>, isBigEndian: Bool) -> String {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { at -> UInt16 in
            let (first, second) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self).trimmed
    }

    /// At most four decimals that matter.
    static func text(_ numerator: Double, _ denominator: Double, isExposure: Bool) -> String? {
        guard denominator != 0 else { return nil }
        let value = numerator / denominator
        if isExposure, value > 0, value < 0.3 { return "1/\(Int((1 / value).rounded()))" }
        let scaled = (value * 10_000).rounded()
        guard abs(scaled) < 1e15 else { return nil }
        let whole = Int(abs(scaled)) / 10_000
        var fraction = String(Int(abs(scaled)) % 10_000)
        fraction = String(repeating: "0", count: 4 - fraction.count) + fraction
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return (scaled < 0 ? "-" : "") + "\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)")
    }
}

extension String {
    /// Without the blanks that cameras fill fields up with.
    var trimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
