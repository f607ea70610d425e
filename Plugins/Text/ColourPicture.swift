import Outline
import Vips

/// Pictures of colour glyphs.
enum ColourPicture {
    /// Decodes what a font holds.
    ///
    /// **Errors**: of libvips, for a broken picture.
    static func decode(_ png: [UInt8]) throws -> Image {
        try Operation("pngload_buffer").set("buffer", png).set("fail_on", "error").image().materialised()
    }

    /// The edge of the alpha, in the picture's px, when somebody needs it.
    static func edge(of image: Image) -> Outline {
        let bounds = Rect(x: 0, y: 0, width: Double(image.width), height: Double(image.height))
        guard image.hasAlpha else { return Outline(.rectangle(bounds)) }
        return .deferred(bounds: bounds) { _ in
            // A picture that has been decoded before does not fail here; without an edge a stroke leaves it out.
            guard let alpha = try? image.extractBand(image.bands - 1).cast(.float), let values = try? alpha.writeToMemory() else {
                return .empty
            }
            let full = Float(image.fullIntensity)
            let shares = values.withUnsafeBytes { bytes in bytes.bindMemory(to: Float.self).map { $0 / full } }
            return shares.withUnsafeBufferPointer { pixels in
                guard let first = pixels.baseAddress else { return .empty }
                return .trace(
                    alpha: first, width: image.width, height: image.height, rowStride: image.width, threshold: 0.5, origin: .zero)
            }
        }
    }
}
