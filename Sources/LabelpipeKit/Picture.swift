import Outline
import Vips

/// A picture's pixels, lazily, as stored, with what turns them upright.
///
/// **Shape**: any format and 1 to 5 bands; several pages lie beneath each other in `image`. Sizes here are
/// those of one page, upright.
public struct Picture: Sendable {
    /// All pages, as stored: not turned, in the file's own format, profile and metadata.
    public let image: Image
    /// EXIF orientation, 1 to 8, that is still to be applied.
    public let orientation: Int
    public let pageCount: Int
    /// The input this still is, apart from known places; nil where something else was done to it.
    public var provenance: Provenance?
    /// Where labels were drawn on it, whole px of the upright page, in drawing order. Unlike what `provenance` knows it outlasts
    /// another size and other colours: it is for people to look at.
    public var drawn: [Region] = []

    /// **Errors**: none; the image's own header decides.
    public init(_ image: Image, orientation: Int = 1, provenance: Provenance? = nil) {
        self.image = image
        self.orientation = (1...8).contains(orientation) ? orientation : 1
        let pageHeight = image.pageHeight
        self.pageCount = pageHeight > 0 && image.height % pageHeight == 0 ? image.height / pageHeight : 1
        self.provenance = provenance
    }

    public var isTurned: Bool { orientation >= 5 }
    /// Height of one page as stored.
    public var storedHeight: Int { image.height / pageCount }
    /// Upright width of a page. px
    public var width: Int { isTurned ? storedHeight : image.width }
    /// Upright height of a page. px
    public var height: Int { isTurned ? image.width : storedHeight }

    /// Dots per inch, 72 where the file has none.
    public var resolution: Double {
        // libvips says 1 px/mm for "none".
        let perMillimetre = image.xResolution
        return perMillimetre > 0 && abs(perMillimetre - 1) > 1e-6 ? perMillimetre * 25.4 : 72
    }
}

/// "The input, untouched except in these rectangles": what lets a saver copy instead of encode.
public struct Provenance: Sendable {
    /// One drawing on the input.
    public struct Touch: Sendable {
        /// In the page's stored coordinates, whole px.
        public let region: Region
        /// Gives the pixels that were blended there.
        public let patch: any PatchSource
        /// The same as one small drawing at many places, where that is what it is.
        public let pattern: Pattern?

        public init(region: Region, patch: any PatchSource, pattern: Pattern? = nil) {
            (self.region, self.patch, self.pattern) = (region, patch, pattern)
        }
    }

    /// One drawing, moved by whole px to several places.
    public struct Pattern: Sendable {
        /// Unmoved, in the page's stored coordinates.
        public let region: Region
        public let patch: any PatchSource
        /// The moves, in drawing order. Made when they are asked for; nil: more than `limit`.
        public let moves: @Sendable (_ limit: Int) -> [(dx: Int, dy: Int)]?

        public init(
            region: Region, patch: any PatchSource, moves: @escaping @Sendable (_ limit: Int) -> [(dx: Int, dy: Int)]?
        ) {
            (self.region, self.patch, self.moves) = (region, patch, moves)
        }
    }

    /// In drawing order; on every page alike.
    public var touched: [Touch]

    public init(touched: [Touch] = []) { self.touched = touched }
}

/// Pixels that were laid over a picture, for a saver that lays them over the file's own blocks.
public protocol PatchSource: Sendable {
    /// Straight colour channels in the picture's own encoding and colour space, then alpha; 0…1, row by row.
    ///
    /// - Parameter region: in stored coordinates.
    /// **Shape**: `channels + 1` floats a pixel; channels as the picture's: 1, 3 or 4.
    /// **Errors**: what drawing throws.
    func pixels(in region: Region, into pixels: UnsafeMutablePointer<Float>, rowStride: Int) throws
    /// Colour channels a pixel.
    var channels: Int { get }
}
