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
    /// Of a label in bands; a whole one needs its marks no more once it is rendered.
    private let make: (@Sendable (Region) throws -> LabelPixels)?

    /// Larger ones are rendered in bands, again for each picture: a worker is to take no more than 40 MB for a label. px
    private static let largestWhole = 5 << 20

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
        let fits = box.width * box.height <= Label.largestWhole
        whole = fits ? Once { try make(box) } : nil
        self.make = fits ? nil : make
        let pixels = fits ? box.width * box.height * (encoding.channels + 1) * (inWords ? 2 : 4) : 0
        byteCount = pixels + box.height * MemoryLayout<(Int, Int)>.stride + 1024
        bands = BandCache(height: 64)
    }

    /// Bytes that are kept once it is rendered, those around the pixels included.
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
            guard let make else { return }
            body(try bands.get(band) { try make(band) }, region.intersection(band))
        }
    }
}
