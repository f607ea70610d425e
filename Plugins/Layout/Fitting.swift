import LabelpipeKit
import Outline

/// Where a label goes on a picture, and what happens if it is too large for it.
struct Fitting {
    enum TooLarge: String, CaseIterable { case shrink, clip, skip, error }

    enum Outcome: Equatable {
        /// Scaled about its plane's origin, then shifted. px
        case placed(shift: Vector, scale: Double)
        /// Not drawn; why, and whether the document asks for that.
        case skipped(String, asAsked: Bool)
    }

    let anchor: Anchor
    let insets: Insets
    let offset: Vector
    let at: Vector?
    let keepInside: Bool
    let tooLarge: TooLarge
    let snap: Bool

    /// - Parameter page: the picture's frame.
    /// **Errors**: a label that is too large, where that is asked for; a baseline that is not there.
    func place(_ label: Layer, on page: Rect) throws -> Outcome {
        let room = page.inset(by: insets)
        var scale = 1.0
        if !fits(label, room, page) {
            switch tooLarge {
            case .shrink:
                if keepInside {
                    scale = largestScale(of: label, room, page)
                    guard scale > 0 else { return .skipped("the insets leave no room for the label", asAsked: false) }
                }
            case .clip: break
            case .skip: return .skipped(size(label, page), asAsked: true)
            case .error: throw DrawingError("too-large", .picture, size(label, page))
            }
        }
        let shrunk = label.transformed(by: .scale(scale))
        let target = at.map { page.point(.topLeft) + $0 } ?? room.point(anchor)
        let exact = target + offset - (try point(of: shrunk))
        var shift = snap ? exact.wholePixels : exact
        let reach = shrunk.marks.reach
        if keepInside, !reach.isNull {
            shift.dx += inward(reach.minX + shift.dx - page.minX, reach.maxX + shift.dx - page.maxX)
            shift.dy += inward(reach.minY + shift.dy - page.minY, reach.maxY + shift.dy - page.maxY)
        }
        return .placed(shift: shift, scale: scale)
    }

    /// Whether the label fits inside the insets with its frame, and inside the picture with all that is visible.
    private func fits(_ label: Layer, _ room: Rect, _ page: Rect) -> Bool {
        let reach = label.marks.reach
        if reach.isNull { return true }
        let isInPage = reach.width <= page.width + 1e-6 && reach.height <= page.height + 1e-6
        if !keepInside { return isInPage }
        return isInPage && label.frame.width <= room.width + 1e-6 && label.frame.height <= room.height + 1e-6
    }

    /// Whether nothing of a label that was placed lies on the picture.
    func isOutside(_ label: Layer, scale: Double, shift: Vector, _ page: Rect) -> Bool {
        // What is kept inside is never outside.
        guard !keepInside else { return false }
        let reach = label.transformed(by: Affine.scale(scale).then(.translation(shift))).marks.reach
        return !reach.isNull
            && (reach.maxX <= page.minX || reach.minX >= page.maxX || reach.maxY <= page.minY || reach.minY >= page.maxY)
    }

    private func largestScale(of label: Layer, _ room: Rect, _ page: Rect) -> Double {
        let reach = label.marks.reach
        let pairs = [
            (room.width, label.frame.width), (room.height, label.frame.height), (page.width, reach.width),
            (page.height, reach.height),
        ]
        return pairs.reduce(1) { $1.1 > 0 ? min($0, $1.0 / $1.1) : $0 }
    }

    /// The label's own point that comes to the anchor's place.
    private func point(of label: Layer) throws -> Point {
        guard anchor.isOnBaseline else { return label.frame.point(anchor) }
        guard let text = label.text else {
            throw DrawingError(
                "no-text", .picture, "layout.place \"anchor\": \"\(anchor.rawValue)\" needs a label with a text, and it has none",
                help: "use one of the nine points of the label's frame")
        }
        return Point(x: label.frame.point(anchor).x, y: text.baseline.y)
    }

    /// How far a label has to move to lie inside, along one axis.
    ///
    /// - Parameters:
    ///   - low: its beginning, from the picture's.
    ///   - high: its end, from the picture's.
    private func inward(_ low: Double, _ high: Double) -> Double {
        let noise = 1e-6
        // What is longer than the picture leaves it anyway: then it stays where it was put.
        if high - low > noise { return 0 }
        if low < -noise { return snap ? min((-low - noise).rounded(.up), (-high + noise).rounded(.down)) : -low }
        if high > noise { return snap ? -min((high - noise).rounded(.up), (low + noise).rounded(.down)) : -high }
        return 0
    }

    private func size(_ label: Layer, _ page: Rect) -> String {
        let reach = label.reach
        return
            "the label, \(reach.width) × \(reach.height) px with all its reach, does not fit on \(px(page.width)) × \(px(page.height)) px"
    }
}
