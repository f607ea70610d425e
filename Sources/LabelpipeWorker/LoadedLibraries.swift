import Glibc

/// The shared libraries that this process has loaded, and the versions that they say themselves.
///
/// Asked by name at run time: most are not ours to link, they come with libvips and Pango, and what counts is the one that is
/// really there.
enum LoadedLibraries {
    private enum Asked {
        /// `const char *f(void)`
        case text(String)
        /// `int f(void)`: two decimal digits a part, as FreeType's and fontconfig's.
        case decimal(String)
        /// `int f(void)`: a byte a part.
        case bytes(String)
        /// No function says it: the number of the file.
        case file
    }

    private static let known: [(name: String, file: String, asked: Asked)] = [
        ("glib", "libglib-2.0.so", .file), ("pango", "libpango-1.0.so", .text("pango_version_string")),
        ("harfbuzz", "libharfbuzz.so", .text("hb_version_string")), ("freetype", "libfreetype.so", .file),
        ("fontconfig", "libfontconfig.so", .decimal("FcGetVersion")), ("libjpeg", "libjpeg.so", .file),
        ("libpng", "libpng16.so", .text("png_get_libpng_ver")), ("libspng", "libspng.so", .text("spng_version_string")),
        ("libtiff", "libtiff.so", .text("TIFFGetVersion")), ("libwebp", "libwebp.so", .bytes("WebPGetEncoderVersion")),
        ("libheif", "libheif.so", .text("heif_get_version")), ("libaom", "libaom.so", .text("aom_codec_version_str")),
        ("libjxl", "libjxl.so", .file), ("cgif", "libcgif.so", .file), ("librsvg", "librsvg-2.so", .file),
        ("poppler", "libpoppler-glib.so", .text("poppler_get_version")),
        ("openslide", "libopenslide.so", .text("openslide_get_version")), ("libexif", "libexif.so", .file),
        ("exempi", "libexempi.so", .file), ("lcms", "liblcms2.so", .file),
        ("polyclipping", "libpolyclipping.so", .file),
    ]

    /// By name, in the order of a table; those that are not loaded are left out.
    static var versions: [(name: String, version: String)] {
        let paths = loaded
        return known.compactMap { library in
            guard let path = paths.first(where: { name(of: $0).hasPrefix(library.file) }) else { return nil }
            return (library.name, said(library.asked, path) ?? number(of: path))
        }
    }

    private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// `libexif.so.12.3.4` is `12.3.4`: the number of its interface where nothing better is known.
    private static func number(of path: String) -> String {
        guard let end = name(of: path).range(of: ".so.") else { return "?" }
        return "so " + name(of: path)[end.upperBound...]
    }

    private static func said(_ asked: Asked, _ path: String) -> String? {
        // It is loaded: this counts one more user and gives the handle.
        guard let handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD) else { return nil }
        defer { dlclose(handle) }
        switch asked {
        case .file: return nil
        case .text(let function):
            guard let symbol = dlsym(handle, function) else { return nil }
            // The C declaration is `const char *f(void)`; libpng's takes a pointer that it does not look at.
            let call = unsafeBitCast(symbol, to: (@convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?).self)
            let text = call(nil).map { String(cString: $0) } ?? ""
            // libtiff's is a paragraph.
            return text.split { $0 == "\n" || $0 == " " || $0 == "," }.first { $0.first?.isNumber == true }.map(String.init)
        case .decimal(let function):
            guard let version = number(handle, function) else { return nil }
            return "\(version / 10_000).\(version / 100 % 100).\(version % 100)"
        case .bytes(let function):
            guard let version = number(handle, function) else { return nil }
            return "\(version >> 16 & 0xFF).\(version >> 8 & 0xFF).\(version & 0xFF)"
        }
    }

    private static func number(_ handle: UnsafeMutableRawPointer, _ function: String) -> Int32? {
        dlsym(handle, function).map { unsafeBitCast($0, to: (@convention(c) () -> Int32).self)() }
    }

    /// Paths of what is mapped, each once.
    private static var loaded: [String] {
        guard let file = fopen("/proc/self/maps", "re") else { return [] }
        defer { fclose(file) }
        var found: [String] = []
        var line = [CChar](repeating: 0, count: 4200)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let slash = text.firstIndex(of: "/") else { continue }
            let path = String(text[slash...])
            if path.contains(".so"), found.last != path, !found.contains(path) { found.append(path) }
        }
        return found
    }
}

extension String {
    /// Where a text stands in this one.
    fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
