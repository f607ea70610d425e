import LabelpipeKit
import Outline
import Vips

/// Resizes a picture page by page, as it is stored: pages of an animation must not bleed into each other.
struct PageResizer {
    private let picture: Picture
    /// Of a page as it is stored. px
    private let size: (width: Int, height: Int)
    private let cut: (width: Int, height: Int)
    /// Where labels lie on the result.
    private let drawn: [Region]

    /// - Parameters:
    ///   - size: upright.
    ///   - cut: what of it is kept around its centre, upright.
    init(_ picture: Picture, to size: (Int, Int), cut: (Int, Int)) {
        self.picture = picture
        func stored(_ upright: (Int, Int)) -> (Int, Int) { picture.isTurned ? (upright.1, upright.0) : upright }
        (self.size, self.cut) = (stored(size), stored(cut))
        let scale = Affine.scale(
            sx: Double(size.0) / Double(picture.width), sy: Double(size.1) / Double(picture.height))
        let page = Region(x: 0, y: 0, width: cut.0, height: cut.1)
        drawn = picture.drawn.map {
            $0.rect.applying(scale).grown(by: Self.smear).roundedOut
                .offset(dx: -((size.0 - cut.0) / 2), dy: -((size.1 - cut.1) / 2)).intersection(page)
        }.filter { !$0.isEmpty }
    }

    /// How far resampling takes a pixel into its neighbours. px of the result
    private static let smear = 3.0

    func resized() throws -> Picture {
        var result = try resampled()
        result.drawn = drawn
        return result
    }

    private func resampled() throws -> Picture {
        let image = picture.image
        if picture.pageCount == 1 { return Picture(try page(image), orientation: picture.orientation) }
        let pages = try (0..<picture.pageCount).map { index in
            let box = PixelBox(left: 0, top: index * picture.storedHeight, width: image.width, height: picture.storedHeight)
            return try page(image.extractArea(box))
        }
        let joined = try Image.arrayjoin(pages).setting("page-height", to: .integer(cut.height))
        return Picture(joined, orientation: picture.orientation)
    }

    private func page(_ page: Image) throws -> Image {
        let factors = (Double(size.width) / Double(page.width), Double(size.height) / Double(page.height))
        let resized = try page.premultiplied().resized(horizontally: factors.0, vertically: factors.1).unpremultiplied()
        let format = page.format
        // Premultiplying made floats; a cast alone would cut fractions off.
        let rounded = resized.format == format ? resized : try Operation("round").set("in", resized).set("round", "rint").image()
        let result = try rounded.cast(format)
        if cut == (result.width, result.height) { return result }
        return try result.extractArea(
            PixelBox(
                left: (result.width - cut.width) / 2, top: (result.height - cut.height) / 2, width: cut.width,
                height: cut.height))
    }
}
