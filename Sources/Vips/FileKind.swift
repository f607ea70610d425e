import Glibc

/// What a file is, told by its first bytes.
public enum FileKind: String, Sendable, CaseIterable {
    case jpeg, png, webp, tiff, gif, heic, avif, jxl, ppm, svg, pdf, openslide
    /// A camera's raw file: to be developed first.
    case raw
    case unknown

    /// What a file is.
    ///
    /// Reads with pread, so the file's position stays. **Cost**: one read of 4 KiB; a TIFF's directories too.
    /// - Parameter name: the file's own name, which only decides between kinds that look alike: a raw file that is a TIFF
    ///   without the usual marks, and a slide whose first file is a JPEG.
    /// - Errors: ``PictureFileError/system(call:errno:)``.
    public static func identify(descriptor: Int32, name: [UInt8] = []) throws -> FileKind {
        let head = try FileBytes(descriptor: descriptor).read(at: 0, count: 4096)
        let kind = identify(head: head, name: name)
        guard kind == .tiff else { return kind }
        return try TIFFMarks(descriptor: descriptor).kind(extension: pathExtension(of: name))
    }

    /// What bytes are the beginning of. A TIFF may still be a raw file: that takes its directories.
    public static func identify(head: [UInt8], name: [UInt8] = []) -> FileKind {
        func starts(_ magic: [UInt8], at offset: Int = 0) -> Bool {
            head.count >= offset + magic.count && head[offset..<offset + magic.count].elementsEqual(magic)
        }
        func starts(_ magic: StaticString, at offset: Int = 0) -> Bool {
            magic.withUTF8Buffer { starts([UInt8]($0), at: offset) }
        }
        if starts([0xFF, 0xD8, 0xFF]) { return pathExtension(of: name) == "mrxs" ? .openslide : .jpeg }
        if starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if starts("RIFF"), starts("WEBP", at: 8) { return .webp }
        if starts("GIF87a") || starts("GIF89a") { return .gif }
        if starts([0xFF, 0x0A]) || starts([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]) { return .jxl }
        if starts("ftyp", at: 4) { return fileTypeBox(head) }
        if starts("FUJIFILMCCD-RAW") || starts("IIRO") || starts("IIRS") || starts("MMOR") || starts([0x49, 0x49, 0x55, 0])
            || starts([0, 0x4D, 0x52, 0x4D]) || starts("FOVb") || starts("HEAPCCDR", at: 6)
        {
            return .raw
        }
        if starts([0x49, 0x49, 42, 0]) || starts([0x4D, 0x4D, 0, 42]) {
            // Canon's CR2 and Phase One's IIQ say so right behind the TIFF's head, where others may have pixels of any value.
            let isCanon = starts([0x43, 0x52, 2, 0], at: 8) && (starts([16, 0, 0, 0], at: 4) || starts([0, 0, 0, 16], at: 4))
            let isPhaseOne = starts("IIII", at: 8) && starts("waR", at: 13) || starts("MMMM", at: 8) && starts("Raw", at: 12)
            return isCanon || isPhaseOne ? .raw : .tiff
        }
        if starts([0x49, 0x49, 43, 0]) || starts([0x4D, 0x4D, 0, 43]) { return .tiff }
        if starts("%PDF-") { return .pdf }
        if starts("DICM", at: 128) || starts("[Virtual Microscope Specimen]") { return .openslide }
        if isNetpbm(head) { return .ppm }
        if isSVG(head) { return .svg }
        return .unknown
    }

    /// The name's extension in lower case, without the dot.
    static func pathExtension(of name: [UInt8]) -> String {
        let last = name.split(separator: UInt8(ascii: "/")).last ?? []
        guard let dot = last.lastIndex(of: UInt8(ascii: ".")), dot > last.startIndex else { return "" }
        return String(decoding: last[(dot + 1)...], as: UTF8.self).lowercased()
    }

    /// ISO base media: the major brand, then the compatible ones. HEIF's general brands say nothing about the codec.
    private static func fileTypeBox(_ head: [UInt8]) -> FileKind {
        let size = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let end = min(head.count, max(16, size))
        guard end >= 12 else { return .unknown }
        var brands = [String(decoding: head[8..<12], as: UTF8.self)]
        var offset = 16
        while offset + 4 <= end {
            brands.append(String(decoding: head[offset..<offset + 4], as: UTF8.self))
            offset += 4
        }
        if brands[0] == "crx " { return .raw }
        if brands.contains("avif") || brands.contains("avis") { return .avif }
        let heic: Set<String> = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
        return brands.contains(where: heic.contains) ? .heic : .unknown
    }

    private static func isNetpbm(_ head: [UInt8]) -> Bool {
        guard head.count >= 3, head[0] == UInt8(ascii: "P") else { return false }
        let kinds: [UInt8] = Array("123456Ff".utf8)
        return kinds.contains(head[1]) && [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "#")].contains(head[2])
    }

    /// An `<svg` element first, after what XML allows before it.
    private static func isSVG(_ head: [UInt8]) -> Bool {
        var rest = head[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while true {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
            if rest.starts(with: "<!--".utf8) {
                guard let end = rest.firstRange(of: Array("-->".utf8)) else { return false }
                rest = rest[end.upperBound...]
            } else if rest.starts(with: "<?".utf8) || rest.starts(with: "<!".utf8) {
                guard let end = endOfDeclaration(rest) else { return false }
                rest = rest[end...]
            } else {
                guard rest.first == UInt8(ascii: "<") else { return false }
                let name = rest.dropFirst().prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
                // The prefix of a namespace is the author's choice.
                return name.split(separator: UInt8(ascii: ":")).last.map { $0.elementsEqual("svg".utf8) } ?? false
            }
        }
    }

    /// After the `>` of `<?xml … >` or `<!DOCTYPE … [ … ]>`.
    private static func endOfDeclaration(_ text: ArraySlice<UInt8>) -> Int? {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return index + 1
            default: break
            }
        }
        return nil
    }
}

/// Reads a regular file by position.
package struct FileBytes {
    let descriptor: Int32

    /// Up to `count` bytes; fewer at the end of the file.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    package func read(at offset: Int, count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = 0
            while filled < count {
                let got = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if got < 0 {
                    if errno == EINTR { continue }
                    throw PictureFileError.system(call: "read", errno: errno)
                }
                if got == 0 { break }
                filled += got
            }
        }
    }
}
