import LabelpipeKit
import Outline
import Vips

/// A picture from a file beside the document: a logo, a signature, a texture.
///
/// Upright, its first page, in its own size unless `width` or `height` says otherwise (one of them keeps the aspect). It
/// is read once a run and kept in memory. An SVG is drawn at the size that is asked for; it is read from memory, so it
/// cannot include other files, and its bytes and pixels are limited.
///
///     [ { "effect": "image.load", "path": "logo.svg", "width": "12vw" }, { "effect": "shadow.drop" } ]
///
/// **Cost**: the decoded picture's memory.
/// **See also**: `image.source` for the pictures of the run, `mask.alpha` to paint a logo anew.
struct ImageLoad: Effect {
    static let declaration = EffectDeclaration(
        id: "image.load",
        summary: "A picture or SVG from a file, such as a logo.",
        output: .colour,
        parameters: [path, width, height],
        example: """
            { "effect": "image.load", "path": "assets/signet.svg", "width": 96 }
            """)

    private static let path = Parameter<String>.path("path", doc: "the file, relative to the document")
    private static let width = Parameter<Double>.length("width", range: 1...100_000, doc: "width; without it, its own").optional
    private static let height = Parameter<Double>.length("height", range: 1...100_000, doc: "height; without it, its own")
        .optional

    private let path: String
    private let width: Double?
    private let height: Double?

    init(_ arguments: Arguments) {
        (path, width, height) = (arguments[Self.path], arguments[Self.width], arguments[Self.height])
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        do {
            var options = LoadOptions()
            options.allowed = [.svg]
            let natural = try PictureFile(path: Array(path.utf8), options: options)
            let own = Picture(natural.image, orientation: natural.image.orientation)
            let (x, y) = factors(Double(own.width), Double(own.height))
            if natural.kind == .svg {
                let area = Double(own.width) * x * Double(own.height) * y
                guard area <= Double(PictureFile.vectorPixelLimit) else {
                    throw PictureFileError.tooLarge(
                        what: "pixels at this size", got: Int(area), limit: PictureFile.vectorPixelLimit)
                }
                options.dotsPerInch *= max(x, y)
                let sharp = try PictureFile(path: Array(path.utf8), options: options)
                return sized(Picture(try decoded(sharp)), Double(own.width) * x, Double(own.height) * y)
            }
            let picture = Picture(try decoded(natural), orientation: own.orientation)
            return sized(picture, Double(own.width) * x, Double(own.height) * y)
        } catch let error as PictureFileError {
            throw DrawingError(
                "cannot-load", .missing, "image.load: \(path): \(error)", help: "relative paths are beside the document")
        }
    }

    /// All pixels in memory: a label may be drawn many times.
    private func decoded(_ file: PictureFile) throws -> Image {
        do {
            let image = try file.image.materialised()
            try file.finish()
            return image
        } catch let error as VipsError {
            throw PictureFileError.corrupt(error)
        }
    }

    private func factors(_ width: Double, _ height: Double) -> (x: Double, y: Double) {
        let x = self.width.map { $0 / width }
        let y = self.height.map { $0 / height }
        return (x ?? y ?? 1, y ?? x ?? 1)
    }

    /// The picture as a layer of this size; an SVG that was drawn at it, to the px, is not resampled.
    private func sized(_ picture: Picture, _ width: Double, _ height: Double) -> Layer {
        let layer = Layer(picture)
        let isThere = abs(layer.frame.width - width) <= 0.5 && abs(layer.frame.height - height) <= 0.5
        if isThere { return layer }
        return layer.transformed(by: .scale(sx: width / layer.frame.width, sy: height / layer.frame.height))
    }
}
