import LabelpipeKit
import Outline
import Vips

/// A layer as one image and the place of its top left: what effects work on that know pixels only.
///
/// **Shape**: a layer that is one picture, unturned and unscaled, has that picture's own format, bands, profile and pages,
/// upright. Any other is drawn: its frame grown by its reach to whole px, sRGB with straight alpha.
package struct PixelLayer: Sendable {
    package let image: Image
    /// px, in the layer's plane
    package let x, y: Int

    package init(_ image: Image, x: Int, y: Int) { (self.image, self.x, self.y) = (image, x, y) }

    /// **Errors**: a layer of no extent.
    /// **Cost**: none until it is read; a picture that has to be turned is put in memory.
    package init(_ layer: Layer) throws {
        if let picture = layer.picture {
            self.init(try picture.upright(), x: 0, y: 0)
            return
        }
        let box = layer.frame.roundedOut.union(layer.reach)
        if let (picture, x, y) = layer.shiftedPicture, picture.orientation == 1, picture.pageCount == 1,
            box == Region(x: x, y: y, width: picture.width, height: picture.height)
        {
            self.init(picture.image, x: x, y: y)
            return
        }
        guard !box.isEmpty else { throw DrawingError("empty-picture", "there is nothing to draw: the layer is empty") }
        self.init(try layer.image(in: box), x: box.x, y: box.y)
    }

    /// The layer that shows this image.
    package func layer(frame: Rect) -> Layer {
        let shift = Affine.translation(dx: Double(x), dy: Double(y))
        let body = Body(contents: [.picture(Picture(image), shift)], outline: nil, boxes: FillBoxes(text: frame))
        return Layer(marks: [.body(body)], kind: .colour, frame: frame)
    }
}

extension Layer {
    /// The picture, where the layer shows nothing but one, moved by whole px.
    fileprivate var shiftedPicture: (picture: Picture, x: Int, y: Int)? {
        guard marks.count == 1, case .body(let body) = marks[0], body.finishes.isEmpty, body.contents.count == 1,
            case .picture(let picture, let affine) = body.contents[0]
        else { return nil }
        let map = affine.then(body.transform)
        let corner = map.apply(Point(x: 0, y: 0))
        guard let x = Int(exactly: corner.x), let y = Int(exactly: corner.y),
            map == .translation(dx: corner.x, dy: corner.y)
        else { return nil }
        return (picture, x, y)
    }
}

extension Picture {
    /// All pages, turned upright.
    fileprivate func upright() throws -> Image {
        guard orientation != 1 else { return image }
        let memory = image.isSequential ? try image.materialised() : image
        guard pageCount > 1 else { return try memory.upright() }
        let pages = try (0..<pageCount).map { page in
            try memory.extractArea(
                PixelBox(left: 0, top: page * storedHeight, width: memory.width, height: storedHeight)
            ).upright()
        }
        let joined = try Operation("arrayjoin").set("in", pages).set("across", 1).image()
        return try joined.setting("page-height", to: .integer(height))
    }
}
