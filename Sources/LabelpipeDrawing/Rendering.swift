import LabelpipeKit
import Outline

/// Marks as pixels, made where somebody looks.
///
/// What depends on the transform only (united and grown polygons, the coarse grids of shadows) is made once, when it is first
/// needed; it may be used from several threads at a time.
/// **Cost**: drawing a region costs that region, whatever the marks' extent.
package final class Rendering: Sendable {
    /// Outside it nothing is visible. px on the device
    package let box: Region
    private let nodes: Once<[any Node]>
    /// Tiles as wide as what is asked for: pictures are read from top to bottom.
    private let hasPictures: Bool

    /// - Parameters:
    ///   - transform: from the marks' plane to the device's.
    ///   - clip: the pixels that can ever be asked for.
    package init(marks: [Mark], transform: Affine = .identity, clip: Region) {
        let reach = marks.reach
        box = reach.isEmpty ? .empty : reach.applying(transform).roundedOut.intersection(clip)
        hasPictures = marks.contains(where: \.hasPicture)
        let box = self.box
        nodes = Once { try Preparer(device: transform, clip: box).nodes(marks) }
    }

    /// Writes the pixels of `region`: premultiplied, sRGB-encoded.
    ///
    /// **Errors**: a picture among the marks that cannot be read.
    package func draw(_ region: Region, into pixels: UnsafeMutablePointer<Pixel>, rowStride: Int) throws {
        for row in 0..<region.height { (pixels + row &* rowStride).update(repeating: .zero, count: region.width) }
        try draw(on: Target(region: region, pixels: pixels, stride: rowStride))
    }

    /// The pixels of `region`.
    func canvas(_ region: Region) throws -> Canvas {
        let canvas = Canvas(region)
        try draw(on: canvas.target)
        return canvas
    }

    /// How many rows are best drawn at a time. px
    static let tileHeight = 64

    /// Draws over what is there.
    private func draw(on target: Target) throws {
        let inside = target.region.intersection(box)
        if inside.isEmpty { return }
        let nodes = try nodes.get()
        // Tiles that stay in the processor's cache, tall enough for short filters not to work mostly beyond their edges.
        let width = hasPictures ? inside.width : 1024
        let height = max(Rendering.tileHeight, (64 << 10) / max(min(width, inside.width), 1))
        for y in stride(from: inside.y, to: inside.maxY, by: height) {
            for x in stride(from: inside.x, to: inside.maxX, by: width) {
                let tile = Region(x: x, y: y, width: width, height: height).intersection(inside)
                for node in nodes { try node.draw(on: target.part(tile)) }
            }
        }
    }
}

extension Mark {
    /// Pixels that somebody else made are among it.
    var hasPicture: Bool {
        switch self {
        case .body(let body): body.contents.contains(where: \.hasPicture)
        case .shadow(let shadow): shadow.casters.contains(where: \.hasPicture)
        case .group(let group): group.marks.contains(where: \.hasPicture)
        }
    }

    /// Finer than 8 bit, somewhere.
    package var isDeep: Bool {
        switch self {
        case .body(let body): body.contents.contains(where: \.isDeep)
        case .shadow: false
        case .group(let group): group.marks.contains(where: \.isDeep)
        }
    }

    /// Only grey tones, or nothing that is seen: it can be drawn on a grey picture.
    var leavesGrey: Bool {
        switch self {
        case .body(let body): body.contents.allSatisfy(\.leavesGrey) && body.finishes.allSatisfy(\.leavesGrey)
        case .shadow(let shadow): shadow.color.leavesGrey
        case .group(let group): group.opacity <= 0 || group.marks.allSatisfy(\.leavesGrey)
        }
    }
}

extension Content {
    fileprivate var hasPicture: Bool {
        switch self {
        case .picture: true
        case .marks(let marks): marks.contains(where: \.hasPicture)
        case .fill(_, let paint): if case .pattern = paint { true } else { false }
        }
    }

    fileprivate var isDeep: Bool {
        switch self {
        case .picture(let picture, _): picture.isDeep
        case .marks(let marks): marks.contains(where: \.isDeep)
        case .fill: false
        }
    }

    fileprivate var leavesGrey: Bool {
        switch self {
        case .picture(let picture, _): picture.image.bands < 3
        case .marks(let marks): marks.allSatisfy(\.leavesGrey)
        case .fill(_, let paint): paint?.tones ?? true
        }
    }
}

extension Finish {
    fileprivate var leavesGrey: Bool {
        switch self {
        case .stroke(let stroke): !isVisible || stroke.paint.tones
        case .innerShadow(let shadow): !isVisible || shadow.color.leavesGrey
        }
    }
}

extension Paint {
    /// `leavesGrey`, the marks of patterns looked at.
    fileprivate var tones: Bool {
        switch self {
        case .pattern(let pattern): pattern.marks.allSatisfy(\.leavesGrey)
        case .parts(let parts): parts.allSatisfy { $0.paint.tones }
        case .color, .gradient: leavesGrey
        }
    }
}
