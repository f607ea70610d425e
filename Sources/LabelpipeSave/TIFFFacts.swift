import CTIFF
import Glibc
import Vips

/// How a TIFF is laid out, read by libtiff: what libvips forgets when it has decoded it.
struct TIFFFacts {
    /// A name of the output key `compression`; nil: one that is not written.
    let compression: String?
    let tile: (width: Int, height: Int)?
    let isPyramid: Bool
    let usesSubDirectories: Bool

    private static let names: [UInt16: String] = [
        UInt16(COMPRESSION_NONE): "none", UInt16(COMPRESSION_LZW): "lzw", UInt16(COMPRESSION_ADOBE_DEFLATE): "deflate",
        UInt16(COMPRESSION_DEFLATE): "deflate", UInt16(COMPRESSION_PACKBITS): "packbits", UInt16(COMPRESSION_JPEG): "jpeg",
        UInt16(COMPRESSION_ZSTD): "zstd", UInt16(COMPRESSION_WEBP): "webp",
    ]

    /// nil where libtiff cannot read it.
    ///
    /// - Parameter page: from 0.
    /// **Errors**: the system cannot read it.
    init?(descriptor: Int32, page: Int = 0) throws {
        // libtiff closes what it is given, and moves its position.
        let own = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        guard own >= 0 else { throw PictureFileError.system(call: "open", errno: errno) }
        // libtiff says no more than that it failed, also where there is no further page.
        errno = 0
        func checkDisk() throws {
            if errno == EIO { throw PictureFileError.system(call: "read", errno: EIO) }
        }
        TIFFSetErrorHandler(nil)
        TIFFSetWarningHandler(nil)
        guard let tiff = TIFFFdOpen(own, "source", "r") else {
            close(own)
            try checkDisk()
            return nil
        }
        defer { TIFFClose(tiff) }
        guard page == 0 || TIFFSetDirectory(tiff, tdir_t(clamping: page)) == 1 else {
            try checkDisk()
            return nil
        }
        var scheme: UInt16 = 0
        compression = labelpipe_tiff_short(tiff, UInt32(TIFFTAG_COMPRESSION), &scheme) == 1 ? TIFFFacts.names[scheme] : nil
        var (width, height): (UInt32, UInt32) = (0, 0)
        if TIFFIsTiled(tiff) != 0, labelpipe_tiff_long(tiff, UInt32(TIFFTAG_TILEWIDTH), &width) == 1,
            labelpipe_tiff_long(tiff, UInt32(TIFFTAG_TILELENGTH), &height) == 1
        {
            tile = (Int(width), Int(height))
        } else {
            tile = nil
        }
        var count: UInt16 = 0
        var offsets: UnsafeMutablePointer<UInt64>?
        usesSubDirectories = labelpipe_tiff_offsets(tiff, UInt32(TIFFTAG_SUBIFD), &count, &offsets) == 1 && count > 0
        var kind: UInt32 = 0
        var next: UInt32 = 0
        _ = labelpipe_tiff_long(tiff, UInt32(TIFFTAG_SUBFILETYPE), &kind)
        let follows =
            TIFFReadDirectory(tiff) == 1 && labelpipe_tiff_long(tiff, UInt32(TIFFTAG_SUBFILETYPE), &next) == 1
            && next & UInt32(FILETYPE_REDUCEDIMAGE) != 0
        try checkDisk()
        isPyramid = tile != nil && (usesSubDirectories || follows)
    }
}
