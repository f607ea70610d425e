import LabelpipeKit
import Outline
import Vips

/// From lines of glyphs to the marks and facts of a layer.
struct TextMarks {
    private let block: TextBlock
    private let settings: TextSettings
    private let primary: Face
    /// How far letters and bars are moved down. px
    private let drop: Double

    private var contents: [Content] = []
    private var outlines: [Outline] = []
    private var boxes: FillBoxes

    init(_ block: TextBlock, _ composer: Composer) throws {
        self.block = block
        settings = composer.settings
        primary = composer.shaping.fonts.primary
        drop = composer.settings.baselineOffset(block.size)
        boxes = FillBoxes(text: block.frame)
        try add()
    }

    var layer: Layer {
        let outline = Outline.union(outlines)
        let body = Body(contents: contents, outline: outline, boxes: boxes, fade: fade)
        return Layer(
            marks: contents.isEmpty ? [] : [.body(body)], kind: .coverage, frame: block.frame, text: facts, outline: outline)
    }

    private var facts: TextFacts {
        let (first, last) = (block.lines.first, block.lines.last)
        return TextFacts(
            size: block.size, baseline: Point(x: first?.x ?? 0, y: first?.baseline ?? 0),
            lastBaseline: Point(x: last?.x ?? 0, y: last?.baseline ?? 0), capHeight: primary.capHeight * block.size,
            xHeight: primary.xHeight * block.size, direction: first?.isRightToLeft == true ? .rightToLeft : .leftToRight)
    }

    /// Letters and bars are one fill; colour glyphs lie above.
    private mutating func add() throws {
        var whole: [Path] = []
        var cuts: [Outline] = []
        var coloured: [Content] = []
        for line in block.lines {
            let (paths, parts) = letters(of: line)
            let cut = cut(line)
            let outline = Outline(paths: paths)
            boxes.glyphs += parts
            if !paths.isEmpty { boxes.lines.append(FillBoxes.Part(outline: outline, box: box(line))) }
            if let cut { cuts.append(outline.combined(with: cut, .intersect)) } else { whole += paths }
            for glyph in line.glyphs { coloured += try colours(of: glyph, line, cut) }
        }
        let letters = Outline.union([Outline(paths: whole)] + cuts)
        if !letters.isEmpty {
            outlines.insert(letters, at: 0)
            contents.append(.fill(.outline(letters), nil))
        }
        contents += coloured
    }

    private func box(_ line: Line) -> Rect { Rect(x: line.x, y: line.top, width: line.width, height: line.height) }

    private func place(_ glyph: PlacedGlyph, _ line: Line) -> Affine {
        Affine(a: block.size, b: 0, c: 0, d: block.size, tx: line.x + glyph.x, ty: line.baseline + glyph.y + drop)
    }

    // MARK: Letters

    /// The paths of a line, and for each letter its outline with its share of the bars.
    private func letters(of line: Line) -> ([Path], [FillBoxes.Part]) {
        let bars = bars(of: line)
        var paths = bars.map { Path.rectangle($0) }
        var parts: [FillBoxes.Part] = []
        for (index, glyph) in line.glyphs.enumerated() {
            var own: [Path] = []
            var others: [Outline] = []
            switch glyph.face.shape(glyph.id).look {
            case .outline(let path):
                if !path.elements.isEmpty { own.append(path.transformed(by: place(glyph, line))) }
                paths += own
            case .parts(let parts):
                // What a colour font leaves to the text's own colour; drawn between its other parts.
                for case .fill(let outline, nil) in parts { others.append(outline.transformed(by: place(glyph, line))) }
            case .picture: break
            }
            let start = line.x + glyph.x
            let end = index + 1 < line.glyphs.count ? max(line.x + line.glyphs[index + 1].x, start) : start + glyph.advance
            own += bars.map { $0.intersection(Rect(minX: start, minY: $0.minY, maxX: end, maxY: $0.maxY)) }
                .filter { !$0.isEmpty }.map { Path.rectangle($0) }
            if !own.isEmpty { others.append(Outline(paths: own)) }
            if !others.isEmpty {
                let box = Rect(x: start, y: line.top, width: glyph.advance, height: line.height)
                parts.append(FillBoxes.Part(outline: .union(others), box: box))
            }
        }
        return (paths, parts)
    }

    /// Underline and strikethrough, where the first font wants them.
    private func bars(of line: Line) -> [Rect] {
        guard line.inkEnd > line.inkStart else { return [] }
        return [settings.underline ? primary.underline : nil, settings.strikethrough ? primary.strikethrough : nil].compactMap {
            bar in
            bar.map {
                Rect(
                    x: line.x + line.inkStart, y: line.baseline + drop + $0.top * block.size, width: line.inkEnd - line.inkStart,
                    height: $0.thickness * block.size)
            }
        }
    }

    // MARK: Colour glyphs

    private mutating func colours(of glyph: PlacedGlyph, _ line: Line, _ cut: Outline?) throws -> [Content] {
        let shape = glyph.face.shape(glyph.id)
        switch shape.look {
        case .outline: return []
        case .parts(let parts):
            let place = place(glyph, line)
            return parts.map { $0.content(place, cut: cut) { outlines.append($0) } }
        case .picture:
            guard let image = try shape.image() else { return [] }
            let picture = Picture(image)
            // The picture's px to em, then to its place.
            let affine = Affine(
                a: shape.bounds.width / Double(picture.width), b: 0, c: 0, d: shape.bounds.height / Double(picture.height),
                tx: shape.bounds.x, ty: shape.bounds.y
            ).then(place(glyph, line))
            let outline = ColourPicture.edge(of: image).transformed(by: affine)
            guard let cut else {
                outlines.append(outline)
                return [.picture(picture, affine)]
            }
            outlines.append(outline.combined(with: cut, .intersect))
            let body = Body(contents: [.picture(picture, affine)], outline: nil, boxes: FillBoxes(text: block.frame))
            return [.marks([.group(Group(marks: [.body(body)], clip: .outline(cut)))])]
        }
    }

    // MARK: Overflow

    /// Where a line is seen; nil: all of it. Above and below, nothing is cut unless the block is too high.
    private func cut(_ line: Line) -> Outline? {
        let far = 1e6
        var seen = Rect(minX: -far, minY: -far, maxX: far, maxY: far)
        if let width = line.seenWidth {
            seen =
                line.isRightToLeft
                ? Rect(minX: line.x + line.width - width, minY: -far, maxX: far, maxY: far)
                : Rect(minX: -far, minY: -far, maxX: line.x + width, maxY: far)
        }
        if let height = block.seenHeight {
            seen = Rect(minX: seen.minX, minY: -far, maxX: seen.maxX, maxY: block.frame.minY + height)
        }
        if line.seenWidth == nil && block.seenHeight == nil { return nil }
        return Outline(Path.rectangle(seen))
    }

    /// The last part of each line that is cut fades out over twice its height, at most over a quarter of its width.
    ///
    /// **Source**: THLabel's fade truncation.
    private var fade: Fade? {
        guard settings.overflow == .fade, block.lines.contains(where: { $0.seenWidth != nil }) else { return nil }
        let lines = block.lines.enumerated().map { index, line in
            // Half of what stands between two lines belongs to each.
            let next = index + 1 < block.lines.count ? block.lines[index + 1].top : .infinity
            return Fade.Line(bottom: (line.top + line.height + next) / 2, ramp: ramp(line))
        }
        return Fade(lines: lines)
    }

    private func ramp(_ line: Line) -> Fade.Ramp? {
        guard let width = line.seenWidth else { return nil }
        let length = min(2 * line.height, width / 4)
        let end = line.isRightToLeft ? line.x + line.width - width : line.x + width
        let start = line.isRightToLeft ? end + length : end - length
        return Fade.Ramp(from: Point(x: start, y: line.baseline), to: Point(x: end, y: line.baseline))
    }
}
