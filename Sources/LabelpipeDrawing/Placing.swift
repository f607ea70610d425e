import LabelpipeKit
import Outline
import Vips

/// Labels on pictures: drawn in the upright view, on every page, in the picture's own format and colours.
///
/// Outside the label's box the picture's pixels pass through by pointer; where the label is transparent they stay bit for bit;
/// where it is opaque they are exactly its colour.
package enum Placing {
    /// The picture with a label on it.
    ///
    /// - Parameters:
    ///   - marks: in px; `offset` moves their plane's origin, from the upright top left.
    ///   - key: names marks and offset for `cache`: equal keys, equal labels.
    /// **Errors**: a format or number of bands that no colour has; what rendering throws comes when pixels are looked at.
    /// **Cost**: none but the header's; the label is rendered when a picture is first looked at where it lies, once, unless it
    /// is huge.
    package static func draw(
        _ marks: [Mark], at offset: Vector = .zero, opacity: Double = 1, blend: BlendMode = .normal, space: BlendSpace = .srgb,
        onto picture: Picture, cache: LabelCache? = nil, key: String? = nil
    ) throws -> Picture {
        let page = Region(x: 0, y: 0, width: picture.width, height: picture.height)
        let reach = marks.reach.offset(by: offset)
        // A label that shows nothing changes nothing, not even grey to colour.
        if opacity <= 0 || reach.isEmpty || reach.roundedOut.intersection(page).isEmpty { return picture }
        func leavesGrey(_ mark: Mark) -> Bool {
            mark.leavesGrey || mark.reach.offset(by: offset).roundedOut.intersection(page).isEmpty
        }
        let (base, encoding) = try Encoding.drawable(picture, forGrey: marks.allSatisfy(leavesGrey))
        let label = Placing.label(
            base, encoding, opacity: opacity, blend: blend, space: space, cache, key
        ) { Rendering(marks: marks, transform: .translation(offset), clip: page) }
        if label.box.isEmpty { return picture }
        let storedHeight = base.storedHeight
        let boxes = (0..<base.pageCount).map { page in
            PixelBox(left: label.box.x, top: label.box.y + page * storedHeight, width: label.box.width, height: label.box.height)
        }
        let image = try base.image.drawing(over: boxes) { pixels in
            let top = pixels.box.top - pixels.index * storedHeight
            let wanted = Region(x: pixels.box.left, y: top, width: pixels.box.width, height: pixels.box.height)
            try label.withPixels(in: wanted) { part, region in
                Blending.blend(
                    part, region,
                    onto: pixels.row(region.y - wanted.y) + (region.x - wanted.x) * pixels.bytesPerPixel,
                    rowStride: pixels.rowStride, encoding, blend, space)
            }
        }
        var result = Picture(
            image, orientation: base.orientation,
            provenance: touched(base, blend, space, Provenance.Touch(region: label.box, patch: LabelPatch(label, origin: (0, 0))))
        )
        let orientation = Orientation(base.orientation, storedWidth: base.image.width, storedHeight: storedHeight)
        result.drawn = picture.drawn + [orientation.upright(label.box)]
        return result
    }

    /// The label's pixels, from the cache if they are there.
    static func label(
        _ picture: Picture, _ encoding: Encoding, opacity: Double, blend: BlendMode, space: BlendSpace, _ cache: LabelCache?,
        _ key: String?, _ rendering: () -> Rendering
    ) -> Label {
        let orientation = Orientation(
            picture.orientation, storedWidth: picture.image.width, storedHeight: picture.storedHeight)
        func make() -> Label {
            Label(rendering(), orientation, encoding, opacity: opacity, blend: blend, space: space)
        }
        guard let cache, let key else { return make() }
        return cache.label(
            LabelCache.Key(
                caller: key, orientation: orientation, model: encoding.model, format: encoding.format,
                isLinear: encoding.isLinear, profile: encoding.converter == nil ? nil : picture.image.profile ?? [],
                opacity: opacity, blend: blend, space: space), make)
    }

    /// What is known of the picture once something is drawn on it: a patch cannot say what a blend mode makes of the base.
    static func touched(_ picture: Picture, _ blend: BlendMode, _ space: BlendSpace, _ touch: Provenance.Touch) -> Provenance? {
        guard blend == .normal, space == .srgb, var provenance = picture.provenance else { return nil }
        provenance.touched.append(touch)
        return provenance
    }
}

/// A label's own pixels, for a saver.
struct LabelPatch: PatchSource {
    private let label: Label
    /// Where the label's plane begins.
    private let origin: (x: Int, y: Int)

    init(_ label: Label, origin: (x: Int, y: Int)) { (self.label, self.origin) = (label, origin) }

    var channels: Int { label.encoding.channels }

    func pixels(in region: Region, into pixels: UnsafeMutablePointer<Float>, rowStride: Int) throws {
        for row in 0..<region.height {
            (pixels + row &* rowStride).update(repeating: 0, count: region.width &* (channels &+ 1))
        }
        try lay(in: region, over: pixels, rowStride: rowStride)
    }

    /// Straight colour and alpha, over what is there already.
    func lay(in region: Region, over pixels: UnsafeMutablePointer<Float>, rowStride: Int) throws {
        let samples = channels &+ 1
        let wanted = region.offset(dx: -origin.x, dy: -origin.y)
        try label.withPixels(in: wanted) { part, inside in
            for y in inside.y..<inside.maxY {
                let out = pixels + (y &- wanted.y) &* rowStride
                let row = y &- part.region.y
                let span = part.spans[row]
                let first = max(inside.x, part.region.x &+ span.start)
                for x in first..<max(first, min(inside.maxX, part.region.x &+ span.end)) {
                    let index = row &* part.region.width &+ x &- part.region.x
                    let p = out + (x &- wanted.x) &* samples
                    if let words = part.words, p[channels] == 0 {
                        // Nearly always: nothing is there yet.
                        let word = words + index &* samples
                        if word[channels] == 0 { continue }
                        let alpha = Float(word[channels])
                        let share = 1 / alpha
                        for k in 0..<channels { p[k] = min(Float(word[k]) * share, 1) }
                        p[channels] = alpha * (1 / 65535)
                        continue
                    }
                    let (colour, a) = part.pixel(index)
                    if a == 0 { continue }
                    let rest = p[channels] * (1 - a)
                    let alpha = a + rest
                    for k in 0..<channels { p[k] = (colour[k] * a + p[k] * rest) / alpha }
                    p[channels] = alpha
                }
            }
        }
    }
}
