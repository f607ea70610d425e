import LabelpipeKit
import Vips

/// A picture's metadata as templates name it.
package enum PictureMetadata {
    /// `exif.Artist`…; nil where the picture has none.
    ///
    /// **Source**: libvips keeps an EXIF entry as `exif-ifdN-NAME`, its text `VALUE (HUMAN, TYPE, N components, M bytes)`.
    package static func value(_ name: String, of image: Image) -> String? {
        guard name.hasPrefix("exif.") else { return nil }
        let tag = name.dropFirst("exif.".count)
        // IFD 1 describes the thumbnail, not the picture.
        for ifd in [0, 2, 3, 4] {
            if let text = image.string("exif-ifd\(ifd)-\(tag)") { return plain(text, tag: String(tag)) }
        }
        return nil
    }

    /// The value alone: rationals as decimals, exposure times below 0.3 s as `1/250`.
    static func plain(_ text: String, tag: String) -> String? {
        var value = text
        if let end = value.lastRange(of: " (") { value = String(value[..<end]) }
        value = value.trimmed
        let parts = value.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, let a = Double(parts[0]), let b = Double(parts[1]), b != 0 {
            let n = a / b
            if tag == "ExposureTime", n > 0, n < 0.3 { return "1/\(Int((1 / n).rounded()))" }
            return decimal(n)
        }
        return value.isEmpty ? nil : value
    }

    /// At most four digits behind the point, no trailing zeros, whatever the locale.
    static func decimal(_ n: Double) -> String {
        let scaled = (n * 10000).rounded()
        guard abs(scaled) < 9e15 else { return String(n) }
        let whole = Int(abs(scaled)) / 10000
        var fraction = String(Int(abs(scaled)) % 10000 + 10000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return (scaled < 0 ? "-" : "") + String(whole) + (fraction.isEmpty ? "" : "." + fraction)
    }
}

extension String {
    /// Where `needle` begins the last time that it is followed by libvips' description of the type.
    fileprivate func lastRange(of needle: String) -> String.Index? {
        var i = endIndex
        while i > startIndex {
            i = index(before: i)
            if self[i...].hasPrefix(needle), hasSuffix(")") , self[i...].contains("components") { return i }
        }
        return nil
    }
}
