import LabelpipeKit
import Outline

/// A label that is drawn on pictures of one kind, rendered when a picture is first looked at where it lies.
final class Label: Sendable {
    /// In stored coordinates of the page, or of tile (0, 0).
    let box: Region
    let encoding: Encoding
    let blend: BlendMode
    let space: BlendSpace
    private let whole: Once<LabelPixels>?
    private let bands: BandCache<LabelPixels>
    private let make: @Sendable (Region) throws -> LabelPixels

    /// Larger ones are rendered in bands. px
    private static let largestWhole = 16 << 20

    init(
        _ rendering: Rendering, _ orientation: Orientation, _ encoding: Encoding, opacity: Double, blend: BlendMode,
        space: BlendSpace
    ) {
        (self.encoding, self.blend, self.space) = (encoding, blend, space)
        let box = orientation.stored(rendering.box)
        self.box = box
        let inWords = encoding.format == .uchar && blend == .normal && space == .srgb
        let opacity = Float(min(max(opacity, 0), 1))
        let make: @Sendable (Region) throws -> LabelPixels = {
            try LabelPixels($0, of: rendering, orientation, encoding, opacity: opacity, inWords: inWords)
        }
        self.make = make
        let fits = box.width * box.height <= Label.largestWhole
        whole = fits ? Once { try make(box) } : nil
        byteCount = fits ? box.width * box.height * (encoding.channels + 1) * (inWords ? 2 : 4) : 0
        bands = BandCache(height: 128)
    }

    /// Bytes that are kept once it is rendered.
    let byteCount: Int

    /// Calls `body` with the pixels of each part of `region`.
    func withPixels(in region: Region, _ body: (LabelPixels, Region) -> Void) throws {
        let region = region.intersection(box)
        if region.isEmpty { return }
        if let whole {
            body(try whole.get(), region)
            return
        }
        for band in bands.bands(of: region, in: box) {
            body(try bands.get(band) { try make(band) }, region.intersection(band))
        }
    }
}
