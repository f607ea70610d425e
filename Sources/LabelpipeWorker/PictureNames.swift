/// What a file's extension says: whether a folder's file is meant to be a picture, and in which format an output is written.
package enum PictureNames {
    /// Extension in lower case → format, as the key `format` of an output names it.
    private static let formats: [String: String] = [
        "jpg": "jpeg", "jpeg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "png": "png", "webp": "webp", "tif": "tiff", "tiff": "tiff",
        "gif": "gif", "heic": "heic", "heif": "heic", "avif": "avif", "jxl": "jxl", "ppm": "ppm", "pgm": "ppm", "pbm": "ppm",
        "pnm": "ppm", "pfm": "ppm",
    ]

    /// The format of the path's extension; nil for others and for none.
    package static func format(of path: BytePath) -> String? {
        path.ext.text.flatMap { formats[$0.lowercased()] }
    }

    /// Whether an extension is a picture's or page's in a format that is not written: a file was meant, not a folder of that name.
    package static func isOtherPicture(_ path: BytePath) -> Bool {
        path.ext.text.map { others.contains($0.lowercased()) } ?? false
    }

    private static let others: Set<String> = [
        "bmp", "dib", "ico", "cur", "tga", "psd", "psb", "xcf", "pcx", "svg", "svgz", "pdf", "ps", "eps", "ai", "jp2", "j2k",
        "jpf",
        "jpx", "jxr", "exr", "hdr", "dds", "qoi", "apng", "mng", "dng", "cr2", "cr3", "nef", "arw", "orf", "rw2", "raf", "raw",
        "mp4",
        "mov", "webm", "svs", "ndpi", "fits", "vips", "v", "ktx", "bpg", "wmf", "emf", "indd",
    ]

    /// The usual extension of a format.
    package static func ext(of format: String) -> String {
        switch format {
        case "jpeg": "jpg"
        case "tiff": "tif"
        default: format
        }
    }
}
