import CVips

/// A picture as libvips has it: immutable, lazy, reference counted.
///
/// Making one costs nothing but the header; pixels are calculated when they are read, saved or put in memory.
/// **Cost**: a chain of about 2,000 lazy operations overflows the stack; ``materialised()`` ends a chain.
//
// @unchecked Sendable: a VipsImage is not changed after it is built (this class has no call that would), its reference
// count is atomic, and libvips reads images from many threads itself.
public final class Image: @unchecked Sendable {
    /// The libvips object, borrowed: valid while this Image is.
    package let pointer: UnsafeMutablePointer<VipsImage>

    /// Takes over one reference.
    package init(adopting pointer: UnsafeMutablePointer<VipsImage>) { self.pointer = pointer }

    /// Adds a reference of its own.
    package convenience init(borrowing pointer: UnsafeMutablePointer<VipsImage>) {
        g_object_ref(pointer)
        self.init(adopting: pointer)
    }

    /// Takes over a reference that came from other code; nil: there is none.
    package convenience init?(adoptingFrom pointer: UnsafeMutablePointer<VipsImage>?) {
        guard let pointer else { return nil }
        self.init(adopting: pointer)
    }

    /// Adds a reference to what other code lends; nil: it lends nothing.
    package convenience init?(lentFrom pointer: UnsafeMutablePointer<VipsImage>?) {
        guard let pointer else { return nil }
        self.init(borrowing: pointer)
    }

    /// The libvips object for other code, with a reference of its own.
    package var retained: UnsafeMutablePointer<VipsImage> {
        g_object_ref(pointer)
        return pointer
    }

    deinit { g_object_unref(pointer) }

    /// **Units**: px.
    public var width: Int { Int(vips_image_get_width(pointer)) }
    /// **Units**: px; of all pages together.
    public var height: Int { Int(vips_image_get_height(pointer)) }
    /// Samples of a pixel, alpha included.
    public var bands: Int { Int(vips_image_get_bands(pointer)) }
    public var format: PixelFormat { PixelFormat(rawValue: vips_image_get_format(pointer).rawValue) ?? .uchar }
    /// What the bands are said to mean; `multiband` where it is not known.
    public var interpretation: Interpretation {
        Interpretation(rawValue: vips_image_get_interpretation(pointer).rawValue) ?? .multiband
    }
    /// What the bands can only mean: libvips' guess where the header's word does not fit bands and format.
    public var likelyInterpretation: Interpretation {
        Interpretation(rawValue: vips_image_guess_interpretation(pointer).rawValue) ?? .multiband
    }
    /// **Units**: px/mm; 1 where a file says nothing.
    public var xResolution: Double { vips_image_get_xres(pointer) }
    /// **Units**: px/mm; 1 where a file says nothing.
    public var yResolution: Double { vips_image_get_yres(pointer) }
    /// Is the last band alpha?
    public var hasAlpha: Bool { vips_image_hasalpha(pointer) != 0 }
    /// Bytes of one pixel.
    public var bytesPerPixel: Int { Int(lpv_image_pixel_bytes(pointer)) }
    /// The whole picture.
    public var bounds: PixelBox { PixelBox(left: 0, top: 0, width: width, height: height) }

    /// The sample value of white or opaque in this picture: 255 in a float picture that says it is sRGB, 65535 in
    /// a 16-bit one, 1 in scRGB, the largest value of signed samples and of whole numbers of 32 bits.
    public var fullIntensity: Double {
        if format.isMeasured { return format.maximum }
        return switch likelyInterpretation {
        case .rgb16, .grey16: 65535
        case .scrgb: 1
        default: format == .ushort ? 65535 : 255
        }
    }

    /// EXIF's orientation, 1 (upright) to 8; 1 where there is none.
    public var orientation: Int { Int(vips_image_get_orientation(pointer)) }
    /// **Units**: px. Pages of an animation or a document lie below one another; the height of one, or of the picture.
    public var pageHeight: Int { Int(vips_image_get_page_height(pointer)) }
    /// Pages in this image.
    public var pageCount: Int { max(1, height / max(1, pageHeight)) }
    /// Pages in the file that it comes from, loaded or not.
    public var pagesInFile: Int { max(1, integer("n-pages") ?? 1) }

    /// Has it an ICC profile?
    public var hasProfile: Bool { has("icc-profile-data") }
    /// The ICC profile.
    public var profile: [UInt8]? { bytes("icc-profile-data") }

    /// Do its pixels lie in memory already? Then reading them calculates nothing.
    public var isInMemory: Bool { pointer.pointee.data != nil }
    /// It can be read only once, from top to bottom.
    public var isSequential: Bool { !isInMemory && vips_image_is_sequential(pointer) != 0 }
}
