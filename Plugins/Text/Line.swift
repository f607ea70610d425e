import Outline

/// A glyph at its place on a line. px
struct PlacedGlyph {
    let face: Face
    let id: UInt32
    /// From the line's pen origin.
    var x: Double
    /// y down
    var y: Double
    let advance: Double
}

/// A line, its glyphs from left to right. px
struct Line {
    var glyphs: [PlacedGlyph] = []
    /// Pen origin to the end of the last advance.
    var width = 0.0
    /// Where underlines begin and end: blanks at the end are not underlined.
    var inkStart = Double.infinity
    var inkEnd = -Double.infinity
    /// Of the fonts used.
    var ascent = 0.0
    var descent = 0.0
    var isRightToLeft = false
    /// The paragraph went on and was wrapped here.
    var isSoft = false
    /// How much of it is seen, where it is wider than its box and cut or faded there.
    var seenWidth: Double?

    // Set when the lines are stacked.

    /// The pen origin in the block.
    var x = 0.0
    var baseline = 0.0
    var top = 0.0
    var height = 0.0

    /// The box round what is drawn, from the line's pen origin.
    func ink(size: Double) -> Rect {
        var ink = Rect.null
        for glyph in glyphs {
            let bounds = glyph.face.shape(glyph.id).bounds
            if bounds.isNull { continue }
            ink = ink.union(
                Rect(
                    x: glyph.x + bounds.x * size, y: glyph.y + bounds.y * size, width: bounds.width * size,
                    height: bounds.height * size))
        }
        return ink
    }

    /// Whether something is drawn where a reader who begins at the line's start comes to only after `width`.
    func leansOut(of width: Double, size: Double) -> Bool {
        let ink = ink(size: size)
        if ink.isNull { return false }
        let end = isRightToLeft ? self.width - ink.minX : ink.maxX
        return end > width + LineBreaker.tolerance
    }
}

extension LineBreaker {
    /// Sets the glyphs of a part of the paragraph.
    ///
    /// - Parameter justified: the width that the blanks are stretched for.
    func line(_ range: Range<Int>, primary: Face, justified: Double? = nil) -> Line {
        let p = paragraph
        var line = Line(isRightToLeft: p.isRightToLeft)
        let pieces = visualOrder(range)
        for piece in pieces {
            line.ascent = max(line.ascent, piece.run.face.ascent * size)
            line.descent = max(line.descent, piece.run.face.descent * size)
        }
        if pieces.isEmpty { (line.ascent, line.descent) = (primary.ascent * size, primary.descent * size) }
        let stretch = justified.map { blankStretch(range, to: $0) } ?? 0
        let visible = trimmed(range)

        var x = 0.0
        var isFirst = true
        for piece in pieces {
            if piece.run.isTab {
                for _ in piece.range { x = nextStop(after: x + (isFirst ? 0 : letterSpacing)) }
                isFirst = true
                continue
            }
            var cluster = -1
            for glyph in p.glyphs(of: piece.run, in: piece.range) {
                if glyph.cluster != cluster {
                    cluster = glyph.cluster
                    if p.takesSpacing(at: cluster) {
                        if !isFirst { x += letterSpacing }
                        isFirst = false
                    }
                }
                var advance = glyph.advance * size
                if stretch != 0, p.isExpandable(at: cluster) { advance += stretch }
                line.glyphs.append(
                    PlacedGlyph(face: piece.run.face, id: glyph.id, x: x + glyph.dx * size, y: glyph.dy * size, advance: advance))
                x += advance
                if visible.contains(cluster) {
                    line.inkStart = min(line.inkStart, x - advance)
                    line.inkEnd = max(line.inkEnd, x)
                }
            }
        }
        line.width = max(x, 0)
        return line
    }

    private func blankStretch(_ range: Range<Int>, to width: Double) -> Double {
        let blanks = range.count { paragraph.isExpandable(at: $0) }
        let room = width - exactWidth(range)
        return blanks > 0 && room > 0 ? room / Double(blanks) : 0
    }

    private typealias Piece = (run: ShapedRun, range: Range<Int>, level: UInt8)

    /// The parts of runs on a line, from left to right.
    ///
    /// **Source**: Unicode Standard Annex 9, rules L1 (blanks at a line's end follow the paragraph) and L2.
    private func visualOrder(_ range: Range<Int>) -> [Piece] {
        let base: UInt8 = paragraph.isRightToLeft ? 1 : 0
        let visible = trimmed(range)
        var pieces: [Piece] = []
        for run in paragraph.runs[paragraph.runs(in: range)] {
            let part = run.range.clamped(to: range)
            if part.isEmpty { continue }
            let seen = part.clamped(to: visible)
            if run.level == base || seen == part {
                pieces.append((run, part, run.level))
            } else {
                if !seen.isEmpty { pieces.append((run, seen, run.level)) }
                pieces.append((run, max(seen.upperBound, part.lowerBound)..<part.upperBound, base))
            }
        }
        let highest = pieces.reduce(base) { max($0, $1.level) }
        guard highest > 0 else { return pieces }
        for level in stride(from: highest, to: 0, by: -1) {
            var start = 0
            while start < pieces.count {
                guard pieces[start].level >= level else {
                    start += 1
                    continue
                }
                var end = start + 1
                while end < pieces.count, pieces[end].level >= level { end += 1 }
                pieces[start..<end].reverse()
                start = end
            }
        }
        return pieces
    }
}
