import Glibc
import LabelpipeKit
import Outline

/// A paint that is ready to be evaluated at one transform. Colours are premultiplied.
enum Brush: Sendable {
    case uniform(Pixel)
    case gradient(GradientBrush)
    /// Evaluated for a whole region at a time.
    case area(any AreaBrush)

    /// What a row painter needs of `region` before it begins; nil: nothing.
    /// - Parameter mask: where it is 0 no colour is looked at; nil: everywhere.
    func prepared(for region: Region, where mask: Mask?) throws -> Canvas? {
        if case .area(let brush) = self { return try brush.paint(region, where: mask) }
        return nil
    }

    /// Writes a row of colours.
    /// - Parameter prepared: of a region that holds the row.
    @inline(__always)
    func row(_ y: Int, from x: Int, count: Int, _ prepared: Canvas?, into pixels: UnsafeMutablePointer<Pixel>) {
        switch self {
        case .uniform(let color): pixels.update(repeating: color, count: count)
        case .gradient(let gradient): gradient.row(y, from: x, count: count, into: pixels)
        case .area:
            guard let prepared else { return }
            pixels.update(from: prepared.row(y) + (x &- prepared.region.x), count: count)
        }
    }
}

/// A paint that is not evaluated row by row.
protocol AreaBrush: AnyObject, Sendable {
    /// Every pixel of the region that is not 0 in `mask`, a mask of that region.
    func paint(_ region: Region, where mask: Mask?) throws -> Canvas
}

/// A gradient at one transform.
final class GradientBrush: Sendable {
    private enum Place: Sendable {
        case linear(LinearPlace)
        /// Device px to a plane whose unit is the radius, the centre at the origin.
        case radial(Affine)
        /// Device px to the gradient's plane, the centre at the origin; where the first colour stands, in turns.
        case conic(Affine, start: Double)
    }

    private let ramp: Ramp
    private let place: Place

    init(_ gradient: Gradient, _ transform: Affine) {
        ramp = Ramp(gradient.stops, space: gradient.space)
        let device = gradient.transform.then(transform)
        let nowhere = LinearPlace(start: .zero, end: .zero, device: .identity)
        switch gradient.shape {
        case .linear(let start, let end):
            place = .linear(LinearPlace(start: start, end: end, device: device))
        case .radial(let center, let radius):
            if radius > 0, let back = device.inverse {
                place = .radial(back.then(.translation(dx: -center.x, dy: -center.y)).then(.scale(1 / radius)))
            } else {
                place = .linear(nowhere)
            }
        case .conic(let center, let angle):
            if let back = device.inverse {
                place = .conic(back.then(.translation(dx: -center.x, dy: -center.y)), start: angle / 360)
            } else {
                place = .linear(nowhere)
            }
        }
    }

    func row(_ y: Int, from x: Int, count: Int, into pixels: UnsafeMutablePointer<Pixel>) {
        let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
        switch place {
        case .linear(let line):
            let start = line.ax * Double(x) + line.ay * Double(y) + line.c
            if line.ax == 0 {
                pixels.update(repeating: ramp.color(at: Float(start)).premultiplied, count: count)
                return
            }
            for i in 0..<count { pixels[i].x = Float(start + line.ax * Double(i)) }
        case .radial(let back):
            let p = back.apply(Point(x: px, y: py))
            for i in 0..<count {
                let (u, v) = (p.x + back.a * Double(i), p.y + back.b * Double(i))
                pixels[i].x = Float((u * u + v * v).squareRoot())
            }
        case .conic(let back, let start):
            let p = back.apply(Point(x: px, y: py))
            for i in 0..<count {
                let (u, v) = (p.x + back.a * Double(i), p.y + back.b * Double(i))
                // 0 upwards, clockwise on screen.
                let turn = atan2(u, -v) / (2 * .pi) - start
                pixels[i].x = Float(turn - turn.rounded(.down))
            }
        }
        ramp.paint(pixels, count: count)
    }
}
