import LabelpipeKit
import Vips

/// A file format of outputs, and what it can hold.
package enum OutputFormat {
    /// The format that an extension stands for, nil for none of ours.
    package static func named(byExtension text: String) -> SaveFormat? {
        switch text.lowercased() {
        case "jpg", "jpeg", "jpe", "jfif": .jpeg
        case "png": .png
        case "webp": .webp
        case "tif", "tiff": .tiff
        case "avif": .avif
        case "heic", "heif": .heic
        case "gif": .gif
        case "jxl": .jxl
        case "ppm", "pgm", "pnm", "pfm": .ppm
        default: nil
        }
    }

    /// The format that a source has, nil where there is no saver for it.
    package static func of(_ kind: FileKind) -> SaveFormat? { SaveFormat(rawValue: kind.rawValue) }

    /// What the document says, else the extension of the output's name, else the source's own.
    package static func chosen(_ settings: OutputSettings, name: [UInt8], source: FileKind?) -> SaveFormat? {
        chosen(settings.format, name: name, source: source)
    }

    static func chosen(_ format: String?, name: [UInt8], source: FileKind?) -> SaveFormat? {
        if let format { return SaveFormat(rawValue: format) }
        let file = name.split(separator: UInt8(ascii: "/")).last ?? []
        if let dot = file.lastIndex(of: UInt8(ascii: ".")), dot > file.startIndex {
            if let format = named(byExtension: String(decoding: file[(dot + 1)...], as: UTF8.self)) { return format }
        }
        return source.flatMap(of)
    }
}

extension SaveFormat {
    /// Transparency stays.
    var holdsAlpha: Bool { self != .jpeg && self != .ppm }
    /// Four inks stay.
    var holdsCMYK: Bool { self == .jpeg || self == .tiff }
    /// A colour profile stays.
    var holdsProfile: Bool { abilities.contains(.profile) }
    /// **Units**: bits of a sample, at most.
    var mostBits: Int {
        switch self {
        case .png, .tiff, .ppm, .jxl: 16
        case .avif, .heic: 12
        case .jpeg, .webp, .gif: 8
        }
    }
    /// The EXIF orientation stays, and readers heed it, so that the pixels need not be turned.
    var holdsOrientation: Bool { [.jpeg, .tiff, .webp].contains(self) }
    /// Several frames stay.
    var holdsFrames: Bool { [.gif, .webp, .tiff].contains(self) }
    /// Frames have delays.
    var isAnimated: Bool { self == .gif || self == .webp }
    var holdsEXIF: Bool { self != .gif && self != .ppm }
    var holdsXMP: Bool { holdsEXIF }
    var holdsIPTC: Bool { [.jpeg, .tiff, .png].contains(self) }
    /// Pixels per length stay without EXIF.
    var holdsResolution: Bool { [.jpeg, .png, .tiff].contains(self) }
}
