import LabelpipeKit
import Vips

/// Texts of a PNG, as libvips carries them: `png-comment-0-Author`.
enum PNGText {
    /// Blocks of other formats in a PNG's text: written anew, not as text.
    static func isProfile(_ field: String) -> Bool {
        let key = key(of: field)
        return key.hasPrefix("Raw profile type ") || key == "XML:com.adobe.xmp"
    }

    static func key(of field: String) -> String {
        let parts = field.split(separator: "-", maxSplits: 3).map(String.init)
        return parts.count == 4 && field.hasPrefix("png-comment-") ? parts[3] : ""
    }

    /// IPTC as ImageMagick and others put it into a PNG: hexadecimal digits behind a name and a length.
    static func iptc(of image: Image) -> [UInt8]? {
        for name in image.fieldNames() where key(of: name) == "Raw profile type iptc" {
            guard let text = image.string(name) else { continue }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
            guard lines.count >= 3, let count = Int(lines[1].filter { $0 != " " }) else { continue }
            let digits = lines.dropFirst(2).joined().utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
            guard bytes.count == count else { continue }
            return IPTCBlock.normalised(bytes)
        }
        return nil
    }

    static func rawProfile(iptc resources: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        var text = Array("\niptc\n\(resources.count)\n".utf8)
        for (index, byte) in resources.enumerated() {
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            if index % 36 == 35 { text.append(10) }
        }
        return text + [10]
    }

    /// PNG's own keys for what `set` and the policies call otherwise.
    private static let names = ["Copyright": "Copyright", "Author": "Artist", "Description": "Description"]

    /// Texts that a document drops or writes elsewhere agree with that.
    static func edited(_ image: Image, _ settings: OutputSettings) throws -> Image {
        let fields = image.fieldNames().filter { $0.hasPrefix("png-comment-") }
        if fields.isEmpty { return image }
        return try image.editingMetadata { editor in
            for field in fields {
                let common = names[key(of: field)]
                if let text = common.flatMap({ settings.set[$0] }) {
                    editor.set(field, .string(text))
                } else if settings.metadata == .strip
                    || settings.metadata == .rights && (common == nil || common == "Description")
                {
                    editor.remove(field)
                }
            }
        }
    }
}
