import LabelpipeDrawing
import LabelpipeKit
import Outline
import Vips

/// What flows along an edge, made visible: the layer on a chequerboard, with its frame, baseline and origin.
package struct LayerView {
    package let layer: Layer
    /// What is shown, on the layer's plane, in whole px.
    package let shown: Region
    /// px of the view for one px of the layer.
    package let scale: Double

    /// Room round what is shown. px of the view
    static let margin = 12

    /// More makes nothing clearer.
    private static let mostMagnified = 6.0

    /// - Parameters:
    ///   - room: what the view must fit in. px
    ///   - magnifies: whether a small layer is shown larger, by a whole factor.
    package init(_ layer: Layer, room: (width: Int, height: Int), magnifies: Bool = false) {
        self.layer = layer
        var shown = layer.frame.isEmpty ? Rect.null : layer.frame
        let reach = layer.reach
        if !reach.isEmpty { shown = shown.union(reach.rect) }
        if shown.isNull || shown.isEmpty { shown = Rect(x: layer.frame.x - 24, y: layer.frame.y - 12, width: 48, height: 24) }
        // The origin is shown where it is near; a label far away from it would be a speck.
        let origin = Rect(x: 0, y: 0, width: 1, height: 1)
        if shown.insetBy(dx: -shown.width / 2, dy: -shown.height / 2).contains(origin) { shown = shown.union(origin) }
        self.shown = shown.roundedOut
        let fits = min(
            Double(max(room.width - 2 * Self.margin, 16)) / Double(self.shown.width),
            Double(max(room.height - 2 * Self.margin, 16)) / Double(self.shown.height))
        scale = fits < 1 ? fits : magnifies ? min(fits.rounded(.down), Self.mostMagnified) : 1
    }

    private var box: Region {
        func side(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded(.up))) + 2 * Self.margin }
        return Region(x: 0, y: 0, width: side(shown.width), height: side(shown.height))
    }

    /// From the layer's plane to the view's.
    private var device: Affine {
        Affine.translation(dx: -Double(shown.x), dy: -Double(shown.y)).then(.scale(scale))
            .then(.translation(dx: Double(Self.margin), dy: Double(Self.margin)))
    }

    /// Opaque, 8 bit, sRGB. **Errors**: what drawing throws.
    package func image() throws -> Image {
        let box = self.box
        // On its own first: a blend mode at its bottom must not see the chequers.
        let drawn = try Layer(
            marks: layer.marks.map { $0.transformed(by: device) }, kind: .colour, frame: box.rect
        ).image(in: box)
        var marks = [
            Mark.picture(try Self.chequers(box)), Mark.picture(drawn),
        ]
        marks += guides
        return try Layer(marks: marks, kind: .colour, frame: box.rect).image(in: box).opaque()
    }

    private static let frameColor = Color(red: 0.90, green: 0, blue: 0.50)
    private static let baselineColor = Color(red: 0, green: 0.42, blue: 0.95)
    private static let originColor = Color(red: 0, green: 0.62, blue: 0.25)

    private var guides: [Mark] {
        let device = self.device
        var marks: [Mark] = []
        let frame = layer.frame.applying(device)
        let (left, top) = (frame.minX.rounded(), frame.minY.rounded())
        let (right, bottom) = (max(frame.maxX.rounded(), left + 1), max(frame.maxY.rounded(), top + 1))
        for (x, y, width, height) in [
            (left - 1, top - 1, right - left + 2, 1.0), (left - 1, bottom, right - left + 2, 1.0),
            (left - 1, top, 1.0, bottom - top), (right, top, 1.0, bottom - top),
        ] {
            marks.append(.filled(Rect(x: x, y: y, width: width, height: height), Self.frameColor))
        }
        if let text = layer.text {
            let pen = device.apply(text.baseline)
            let line = Rect(x: left - 7, y: pen.y.rounded(), width: right - left + 14, height: 1)
            marks.append(.filled(line, Self.baselineColor))
            marks.append(.filled(Rect(x: pen.x.rounded() - 2, y: pen.y.rounded() - 2, width: 5, height: 5), Self.baselineColor))
        }
        let origin = device.apply(Point.zero)
        let (x, y) = (origin.x.rounded(), origin.y.rounded())
        marks.append(.filled(Rect(x: x - 8, y: y, width: 17, height: 1), Self.originColor))
        marks.append(.filled(Rect(x: x, y: y - 8, width: 1, height: 17), Self.originColor))
        return marks
    }

    private static func chequers(_ box: Region) throws -> Image {
        try Image.generated(
            width: box.width, height: box.height, bands: 3, format: .uchar, interpretation: .srgb, hint: .any
        ) { pixels in
            for y in pixels.box.top..<pixels.box.bottom {
                let row = pixels.row(y - pixels.box.top, as: UInt8.self)
                for x in 0..<pixels.box.width {
                    let isLight = ((x + pixels.box.left) >> 3 + y >> 3) & 1 == 0
                    let value: UInt8 = isLight ? 206 : 178
                    (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (value, value, value)
                }
            }
        }
    }
}

extension Mark {
    /// A picture, its top left at a place.
    static func picture(_ image: Image, x: Double = 0, y: Double = 0) -> Mark {
        let frame = Rect(x: x, y: y, width: Double(image.width), height: Double(image.height))
        return .body(
            Body(
                contents: [.picture(Picture(image), .translation(dx: x, dy: y))], outline: nil, boxes: FillBoxes(text: frame)))
    }

    static func filled(_ rect: Rect, _ color: Color, radius: Double = 0) -> Mark {
        let outline = Outline(.rectangle(rect, radius: radius))
        return .body(
            Body(contents: [.fill(.outline(outline), .color(color))], outline: outline, boxes: FillBoxes(text: rect)))
    }
}

extension Image {
    /// Without alpha, 8 bit, in memory.
    func opaque() throws -> Image {
        var image = self
        if image.format != .uchar { image = try image.colourspace(.srgb) }
        if image.hasAlpha { image = try image.flattened(background: [255, 255, 255]) }
        return try image.materialised()
    }
}
