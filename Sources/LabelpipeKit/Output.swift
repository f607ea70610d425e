import Diagnostics

/// The keys of an output, declared once.
public enum OutputKeys {
    public static let formats = ["jpeg", "png", "webp", "tiff", "avif", "heic", "gif", "jxl", "ppm"]
    static let keep = Kind.choice(["keep"])

    public static let path = Parameter<Value>.value(
        "path", .template, default: "{relative}/{name}", doc: "template of the output's path, below --output")
    public static let format = Parameter<Value>.value(
        "format", .choice(formats), doc: "file format; absent: by the path's extension, without one the input's own"
    ).optional
    public static let quality = Parameter<Value>.value(
        "quality", .either([.integer, keep]), default: "keep", range: 1...100,
        doc: "1 to 100; keep: JPEG to JPEG keeps its own tables, to JPEG from elsewhere 90, WebP, AVIF, JXL 90")
    public static let subsampling = Parameter<Value>.value(
        "subsampling", .choice(["keep", "4:4:4", "4:2:2", "4:2:0"]), default: "keep",
        doc: "chroma resolution of a JPEG; keep: the source JPEG's, else 4:4:4")
    public static let lossless = Parameter<Value>.value(
        "lossless", .either([.boolean, keep]), default: "keep", doc: "WebP, AVIF, JXL without loss; keep: as the source")
    public static let compression = Parameter<Value>.value(
        "compression", .choice(["keep", "none", "lzw", "deflate", "zstd", "packbits", "jpeg", "webp"]), default: "keep",
        doc: "TIFF compression; keep: the source TIFF's, else deflate")
    public static let tile = Parameter<Value>.value(
        "tile", .either([.boolean, keep]), default: "keep", doc: "TIFF in tiles; keep: as the source")
    public static let pyramid = Parameter<Value>.value(
        "pyramid", .either([.boolean, keep]), default: "keep", doc: "TIFF with smaller copies; keep: as the source")
    public static let interlace = Parameter<Value>.value(
        "interlace", .either([.boolean, keep]), default: "keep",
        doc: "progressive JPEG, interlaced PNG or GIF; keep: as the source, where the format can")
    public static let metadata = Parameter<MetadataPolicy>.choice(
        "metadata", default: "keep",
        doc:
            "keep everything; strip; rights: only copyright, artist, credit; no-location: all but GPS. Orientation and profile always stay"
    )
    public static let set = Parameter<Value>.value(
        "set", .templates,
        doc: "metadata to write after that: Copyright, Artist, Credit, Description, or a name with exif., iptc., xmp."
    ).optional
    public static let profile = Parameter<ProfilePolicy>.choice(
        "profile", default: "keep", doc: "keep the picture's own colour profile, or convert to sRGB")
    public static let background = Parameter.color(
        "background", default: "white", doc: "what transparency is laid on where the format has no alpha")
    public static let jpeg = Parameter<JPEGPolicy>.choice(
        "jpeg", default: "auto", doc: "splice: copy what is not touched, encode only the rest; auto: splice where it can be done")

    /// What `set` writes to all of EXIF, IPTC and XMP that have it.
    public static let commonMetadata = ["Copyright", "Artist", "Credit", "Description"]

    /// Whether `set` knows where to write this.
    public static func isMetadata(_ name: String) -> Bool {
        commonMetadata.contains(name) || ["exif.", "iptc.", "xmp."].contains { name.hasPrefix($0) && name.count > $0.count }
    }

    public static let all: [any AnyParameter] = [
        path, format, quality, subsampling, lossless, compression, tile, pyramid, interlace, metadata, set, profile,
        background, jpeg,
    ]

    public enum MetadataPolicy: String, CaseIterable, Sendable {
        case keep, strip, rights
        case noLocation = "no-location"
    }
    public enum ProfilePolicy: String, CaseIterable, Sendable { case keep, srgb }
    public enum JPEGPolicy: String, CaseIterable, Sendable { case auto, splice, reencode }
}

/// What a document asks of one output, resolved for one picture.
public struct OutputSettings: Sendable, Hashable {
    /// One of `OutputKeys.formats`; nil: by the path, else the input's own.
    public var format: String?
    /// nil: keep.
    public var quality: Int?
    /// `4:4:4`…; nil: keep.
    public var subsampling: String?
    public var lossless: Bool?
    public var compression: String?
    public var tile: Bool?
    public var pyramid: Bool?
    public var interlace: Bool?
    public var metadata: OutputKeys.MetadataPolicy
    public var set: [String: String]
    public var profile: OutputKeys.ProfilePolicy
    public var background: Color
    public var jpeg: OutputKeys.JPEGPolicy

    package init(_ arguments: Arguments) {
        func text(_ value: Value?) -> String? { if case .string(let s)? = value { s } else { nil } }
        func word(_ value: Value) -> String? { text(value).flatMap { $0 == "keep" ? nil : $0 } }
        func flag(_ value: Value) -> Bool? { if case .boolean(let b) = value { b } else { nil } }
        format = text(arguments[OutputKeys.format])
        if case .number(let n) = arguments[OutputKeys.quality] { quality = Int(n) } else { quality = nil }
        subsampling = word(arguments[OutputKeys.subsampling])
        lossless = flag(arguments[OutputKeys.lossless])
        compression = word(arguments[OutputKeys.compression])
        tile = flag(arguments[OutputKeys.tile])
        pyramid = flag(arguments[OutputKeys.pyramid])
        interlace = flag(arguments[OutputKeys.interlace])
        metadata = arguments[OutputKeys.metadata]
        if case .object(let entries)? = arguments[OutputKeys.set] {
            set = entries.compactMapValues { if case .string(let s) = $0 { s } else { nil } }
        } else {
            set = [:]
        }
        profile = arguments[OutputKeys.profile]
        background = arguments[OutputKeys.background]
        jpeg = arguments[OutputKeys.jpeg]
    }
}
