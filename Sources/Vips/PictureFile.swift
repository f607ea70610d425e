import CVips
import Glibc

/// How a file is opened.
public struct LoadOptions: Sendable {
    /// Pages of an animation or of a document.
    public enum Pages: Hashable, Sendable {
        case first
        /// One page, counted from 0.
        case only(Int)
        /// All of them, below one another; they must have one size.
        case all
    }

    /// In which order pixels may be read.
    public enum Access: String, Sendable {
        /// From top to bottom, once: nothing but a few rows is in memory, where the format allows.
        case sequential
        /// Any order: most formats are decoded whole, to memory (up to 100 MB) or to a temporary file.
        case random
    }

    public var access: Access = .sequential
    public var pages: Pages = .first
    /// Truncated and damaged files are opened as far as possible; what was wrong is told by ``PictureFile/finish()``.
    public var isTolerant = false
    /// Kinds beyond the ones that are always opened: jxl, ppm, svg, pdf, openslide.
    public var allowed: Set<FileKind> = []
    /// **Units**: px, of one page.
    public var pixelLimit: Int?
    /// Frames or pages of the file, where all are asked for.
    public var pageLimit: Int?
    /// A JPEG decoded at 1/2, 1/4 or 1/8: for previews.
    public var jpegShrink = 1
    /// SVG and PDF. **Units**: dots per inch.
    public var dotsPerInch = 72.0

    public init() {}
}

/// A picture's file, opened: its kind by its content, its header read, its pixels not yet.
///
/// libvips' error buffer is one for the process: while the pixels of one file are read strictly, no other should be.
public final class PictureFile: Sendable {
    /// The header, and lazily the pixels.
    public let image: Image
    public let kind: FileKind
    /// **Units**: bytes.
    public let size: Int
    /// libvips' loader, e.g. `jpegload_source`.
    public let loader: String
    public let options: LoadOptions
    /// What was wrong when it was opened, but is tolerated.
    package let warnings: [String]
    /// libvips said something about the header: its JPEG reader then keeps silent about everything that follows.
    private let hasOddHeader: Bool
    /// Of a JPEG, to read it once more where its reader kept silent; of a PNG, whose reader does not read its last bytes.
    private let descriptor: Int32?

    /// Opens a file by its name.
    /// - Parameter path: bytes as the file system has them; never parsed for options, need not be UTF-8.
    /// - Errors: ``PictureFileError``.
    public convenience init(path: [UInt8], options: LoadOptions = LoadOptions()) throws {
        guard !path.contains(0) else { throw PictureFileError.system(call: "open", errno: ENOENT) }
        // O_NONBLOCK: opening a FIFO must not wait for a writer; on a regular file it does nothing.
        let descriptor = (path + [0]).withUnsafeBytes {
            open($0.baseAddress!.assumingMemoryBound(to: CChar.self), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        }
        guard descriptor >= 0 else { throw PictureFileError.system(call: "open", errno: errno) }
        defer { close(descriptor) }
        try self.init(owned: descriptor, path: path, options: options)
    }

    /// Opens a file by a descriptor, which stays the caller's: neither closed nor moved where it can be opened anew.
    /// - Parameter path: only for kinds whose other files lie beside (slides), and to tell kinds that look alike.
    /// - Errors: ``PictureFileError``.
    public convenience init(descriptor: Int32, path: [UInt8] = [], options: LoadOptions = LoadOptions()) throws {
        try PictureFile.checkRegular(descriptor)
        // A duplicate shares its file position with the original; opened anew it has its own.
        var own = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        if own < 0 { own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        guard own >= 0 else { throw PictureFileError.system(call: "open", errno: errno) }
        defer { close(own) }
        try self.init(owned: own, path: path, options: options)
    }

    private init(owned descriptor: Int32, path: [UInt8], options: LoadOptions) throws {
        try VipsRuntime.require()
        size = try PictureFile.checkRegular(descriptor)
        guard size > 0 else { throw PictureFileError.empty }
        kind = try FileKind.identify(descriptor: descriptor, name: path)
        self.options = options
        loader = try PictureFile.loader(for: kind, options: options)
        let wholeness = try Wholeness.of(kind, descriptor: descriptor, size: size)
        var warnings: [String] = []
        let operation = loader
        func refuse(_ damage: String) throws {
            guard options.isTolerant else { throw PictureFileError.corrupt(VipsError(operation: operation, message: damage)) }
            warnings.append(damage)
        }
        if let damage = wholeness.damage { try refuse(damage) }
        warnings += wholeness.warnings
        _ = ErrorBuffer.takeText()
        // A further page is of a file whose first ones have been read.
        if case .only = options.pages {} else { _ = VipsRuntime.takeDamage() }
        var image: Image
        do {
            if let plain = try PictureFile.plain(wholeness, descriptor: descriptor, size: size, options: options) {
                defer { close(plain.descriptor) }
                warnings += plain.warnings
                var first = options
                first.pages = .first
                image = try PictureFile.load(
                    kind, loader: loader, descriptor: plain.descriptor, path: [], size: size, options: first
                )
                .setting("n-pages", to: .integer(wholeness.frames ?? 1))
            } else if wholeness.hasLateMetadata,
                let ordered = try PNGChunks(Window(descriptor: descriptor, size: size)).ordered(descriptor)
            {
                defer { close(ordered.descriptor) }
                image = try PictureFile.load(
                    kind, loader: loader, descriptor: ordered.descriptor, path: [], size: ordered.size, options: options)
            } else {
                image = try PictureFile.load(
                    kind, loader: loader, descriptor: descriptor, path: path, size: size, options: options)
            }
        } catch let error as VipsError {
            // Of all pages together, others may be to blame.
            if kind == .tiff, options.pages != .all,
                let odd = try TIFFPages.oddSamples(Window(descriptor: descriptor, size: size))
            {
                throw PictureFileError.unsupported(kind, odd)
            }
            throw PictureFileError.corrupt(error)
        }
        hasOddHeader = !ErrorTexts.takeOfHeader().isEmpty
        if let frames = wholeness.frames, image.pagesInFile < frames {
            try refuse("\(image.pagesInFile) of \(frames) frames or pages can be read")
        }
        if let profile = image.bytes("icc-profile-data"), !PictureFile.isProfile(profile) {
            image = try image.removing(["icc-profile-data"])
            warnings.append("its colour profile is broken: its colours are taken as if it had none")
        }
        self.image = image
        self.warnings = warnings
        self.descriptor = kind == .jpeg || kind == .png ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : nil
        let pixels = image.width * image.pageHeight
        if let limit = options.pixelLimit, pixels > limit {
            throw PictureFileError.tooLarge(what: "pixels", got: pixels, limit: limit)
        }
        if let limit = options.pageLimit, options.pages == .all, image.pagesInFile > limit {
            throw PictureFileError.tooLarge(what: "pages", got: image.pagesInFile, limit: limit)
        }
    }

    /// A page that libvips' reader does not take as it is.
    private static func plain(_ wholeness: Wholeness, descriptor: Int32, size: Int, options: LoadOptions) throws -> PlainTIFF? {
        if wholeness.oddPages.isEmpty { return nil }
        let page: Int
        switch options.pages {
        case .first: page = 0
        case .only(let number): page = number
        case .all:
            guard wholeness.frames == 1 else {
                throw VipsError(operation: "tiffload", message: "its pages cannot be read together")
            }
            page = 0
        }
        guard wholeness.oddPages.contains(page) else { return nil }
        return try PlainTIFF(of: descriptor, size: size, page: page, pixelLimit: options.pixelLimit)
    }

    /// Whether bytes begin as a profile of the ICC does. Others, which viewers ignore, would fail every conversion.
    private static func isProfile(_ bytes: [UInt8]) -> Bool { bytes.count >= 132 && bytes[36..<40].elementsEqual("acsp".utf8) }

    deinit {
        if let descriptor, descriptor >= 0 { close(descriptor) }
    }

    /// To be called when the pixels have been read and saved: an error that libvips met on the way, but did not report as a
    /// failure, is one.
    /// - Returns: with ``LoadOptions/isTolerant``, what was wrong instead.
    /// - Errors: ``PictureFileError/corrupt(_:)``.
    /// - Cost: none, but for a JPEG with a fault in its header that libvips and we let pass, which is decoded once more, and for
    ///   a PNG, which is decompressed once more.
    @discardableResult public func finish() throws -> [String] {
        var texts = ErrorTexts.take()
        let mayHideErrors = ErrorTexts.takeHasSeenHarmless() || hasOddHeader
        if texts.isEmpty, mayHideErrors, !options.isTolerant, try hasHiddenErrors() {
            texts = ["Corrupt JPEG data"]
        }
        if kind == .png, let descriptor, descriptor >= 0,
            let damage = try PNGChunks(Window(descriptor: descriptor, size: size)).damageOfPixels()
        {
            texts.append(damage)
        }
        if kind == .tiff, let damage = VipsRuntime.takeDamage() { texts.append(damage) }
        if !texts.isEmpty, !options.isTolerant {
            throw PictureFileError.corrupt(VipsError(operation: loader, message: texts.joined(separator: "\n")))
        }
        return warnings + texts
    }

    /// libjpeg tells its first warning alone, and libvips only how many there were, when a reader is closed: one of the
    /// header, and one of header and pixels.
    private func hasHiddenErrors() throws -> Bool {
        guard kind == .jpeg, let descriptor, descriptor >= 0 else { return false }
        let earlier = VipsRuntime.takeWarnings()
        do {
            try PictureFile.load(kind, loader: loader, descriptor: descriptor, path: [], size: size, options: options)
                .sinkDiscard()
        } catch let error as VipsError {
            throw PictureFileError.corrupt(error)
        }
        _ = ErrorBuffer.takeText()
        let counts = VipsRuntime.takeWarnings().compactMap { line -> Int? in
            let words = line.split(separator: " ")
            return line.hasPrefix("read gave ") && words.count >= 4 ? Int(words[2]) : nil
        }
        VipsRuntime.restoreWarnings(earlier)
        // Without a fault in the header there is one count: the one line of the table.
        let expected = counts.count > 1 ? counts.min() ?? 0 : 1
        return (counts.max() ?? 0) > expected
    }

    @discardableResult private static func checkRegular(_ descriptor: Int32) throws -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PictureFileError.system(call: "fstat", errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int(status.st_size)
        case S_IFDIR: throw PictureFileError.notARegularFile("a folder")
        case S_IFIFO: throw PictureFileError.notARegularFile("a pipe")
        case S_IFSOCK: throw PictureFileError.notARegularFile("a socket")
        default: throw PictureFileError.notARegularFile("a device")
        }
    }
}
