import Glibc
import LabelpipeDrawing
import LabelpipeKit
import Outline
import Vips

/// Things to draw.
enum Sample {
    /// A ring of letters' difficulties: a hole, a thin neck, sharp corners, curves; about 100 × 80 px.
    static func glyph(scale: Double = 1, dx: Double = 0, dy: Double = 0) -> Outline {
        var path = Path()
        path.move(to: Point(x: 10, y: 70))
        path.line(to: Point(x: 30, y: 8))
        path.line(to: Point(x: 42, y: 8))
        path.line(to: Point(x: 62, y: 70))
        path.line(to: Point(x: 50, y: 70))
        path.line(to: Point(x: 45, y: 52))
        path.line(to: Point(x: 27, y: 52))
        path.line(to: Point(x: 22, y: 70))
        path.close()
        path.move(to: Point(x: 30, y: 42))
        path.line(to: Point(x: 42, y: 42))
        path.line(to: Point(x: 36, y: 22))
        path.close()
        let affine = Affine.scale(scale).then(.translation(dx: dx, dy: dy))
        let round = Path.ellipse(in: Rect(x: 58, y: 20, width: 36, height: 50))
        return Outline(paths: [path, round]).transformed(by: affine)
    }

    static func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Outline {
        Outline(.rectangle(Rect(x: x, y: y, width: width, height: height)))
    }

    static func body(_ outline: Outline, _ paint: Paint, _ finishes: [Finish] = [], _ transform: Affine = .identity) -> Body {
        Body(
            contents: [.fill(.outline(outline), paint)], outline: outline, finishes: finishes,
            boxes: FillBoxes(text: outline.bounds), transform: transform)
    }

    static func color(_ css: String) -> Color { Color(css: css) ?? .transparent }

    /// Top to bottom over the outline's box.
    static func gradient(_ outline: Outline, _ colors: [Color], space: Gradient.Space = .srgb) -> Paint {
        let box = outline.bounds
        return .gradient(
            Gradient(
                shape: .linear(start: Point(x: box.minX, y: box.minY), end: Point(x: box.minX, y: box.maxY)),
                stops: colors.enumerated().map {
                    Gradient.Stop(position: Double($0.offset) / Double(max(colors.count - 1, 1)), color: $0.element)
                }, space: space))
    }
}

/// Pixels of a region, for looking at.
struct Drawn {
    let region: Region
    var pixels: [Pixel]

    init(_ marks: [Mark], _ region: Region, transform: Affine = .identity, clip: Region? = nil) throws {
        self.region = region
        pixels = [Pixel](repeating: .zero, count: region.width * region.height)
        let rendering = Rendering(marks: marks, transform: transform, clip: clip ?? region)
        try pixels.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            try rendering.draw(region, into: base, rowStride: region.width)
        }
    }

    subscript(x: Int, y: Int) -> Pixel { pixels[(y - region.y) * region.width + x - region.x] }

    /// The largest difference of any channel.
    func difference(_ other: Drawn) -> Float {
        zip(pixels, other.pixels).reduce(0) { worst, pair in
            let d = pair.0 - pair.1
            return max(worst, abs(d.x), abs(d.y), abs(d.z), abs(d.w))
        }
    }
}

/// Small pictures and their samples.
enum Pixels {
    static func picture(
        _ pixel: [Double], width: Int, height: Int, format: PixelFormat = .uchar, interpretation: Interpretation = .srgb
    ) throws -> Image {
        try VipsRuntime.start()
        return try Image.filled(pixel, width: width, height: height, format: format, interpretation: interpretation)
    }

    /// All samples of a picture as numbers.
    static func samples(_ image: Image) throws -> [Double] {
        let bytes = try image.writeToMemory()
        return bytes.withUnsafeBytes { raw in
            switch image.format {
            case .uchar: raw.map { Double($0) }
            case .ushort: raw.bindMemory(to: UInt16.self).map { Double($0) }
            case .float: raw.bindMemory(to: Float.self).map { Double($0) }
            default: []
            }
        }
    }

    static func pixel(_ image: Image, _ x: Int, _ y: Int) throws -> [Double] {
        try samples(image.extractArea(PixelBox(left: x, top: y, width: 1, height: 1)))
    }
}

extension Drawn {
    /// The same pixels, said to lie elsewhere.
    init(_ other: Drawn, at region: Region) {
        self.region = region
        pixels = other.pixels
    }
}
