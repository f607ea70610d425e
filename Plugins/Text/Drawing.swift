import LabelpipeKit
import Outline
import Vips

/// From lines of glyphs to a layer's marks.
struct Drawing {
    private let block: TextBlock
    private let settings: TextSettings
    private let primary: Face
    private let width: Double?

    init(_ block: TextBlock, _ composer: Composer) {
        self.block = block
        settings = composer.settings
        primary = composer.shaping.primary
        width = nil
    }

    func layer() throws -> Layer {
        var paths: [Path] = []
        var boxes = FillBoxes(text: block.frame)
        let drop = settings.baselineOffset(block.size)
        for line in block.lines {
            var linePaths: [Path] = []
            for glyph in line.glyphs {
                let origin = Point(x: line.x + glyph.x, y: line.baseline + glyph.y + drop)
                let place = Affine(a: block.size, b: 0, c: 0, d: block.size, tx: origin.x, ty: origin.y)
                guard case .outline(let path) = glyph.face.shape(glyph.id).look, !path.elements.isEmpty else { continue }
                let placed = path.transformed(by: place)
                linePaths.append(placed)
                let box = Rect(x: line.x + glyph.x, y: line.top, width: glyph.advance, height: line.height)
                boxes.glyphs.append(FillBoxes.Part(outline: Outline(placed), box: box))
            }
            let box = Rect(x: line.x, y: line.top, width: line.width, height: line.height)
            boxes.lines.append(FillBoxes.Part(outline: Outline(paths: linePaths), box: box))
            paths += linePaths
        }
        let outline = Outline(paths: paths)
        let marks: [Mark] =
            paths.isEmpty ? [] : [.body(Body(contents: [.fill(.outline(outline), nil)], outline: outline, boxes: boxes))]
        return Layer(marks: marks, kind: .coverage, frame: block.frame, text: facts(), outline: outline)
    }

    private func facts() -> TextFacts {
        let (first, last) = (block.lines.first, block.lines.last)
        return TextFacts(
            size: block.size, baseline: Point(x: first?.x ?? 0, y: first?.baseline ?? 0),
            lastBaseline: Point(x: last?.x ?? 0, y: last?.baseline ?? 0), capHeight: primary.capHeight * block.size,
            xHeight: primary.xHeight * block.size, direction: first?.isRightToLeft == true ? .rightToLeft : .leftToRight)
    }
}
