/// A line of a paragraph, as bytes.
struct LineRange: Equatable {
    /// What is drawn; blanks at a soft end are left out.
    var range: Range<Int>
    /// Where the next line begins.
    var next: Int
    /// The text went on and was wrapped here.
    var isSoft: Bool
}

/// Measures and wraps a shaped paragraph at one size. px
struct LineBreaker {
    let paragraph: Paragraph
    let size: Double
    let letterSpacing: Double
    /// Distance of tab stops.
    let tab: Double

    /// Advances round up and down on their way through binary fractions; nobody sees a millionth.
    static let tolerance = 1e-6

    /// The advance of a part on a line of its own, from the paragraph's own shaping.
    func width(_ range: Range<Int>) -> Double {
        let p = paragraph
        var x = 0.0
        var start = range.lowerBound
        for tab in p.tabs(in: range) {
            x = nextStop(after: x + advance(start..<tab, letters: p.letters[tab] - p.letters[start]))
            start = tab + 1
        }
        let letters = p.letters[range.upperBound] - p.letters[start]
        return x + advance(start..<range.upperBound, letters: max(letters - 1, 0))
    }

    func nextStop(after x: Double) -> Double { tab > 0 ? ((x / tab + LineBreaker.tolerance).rounded(.down) + 1) * tab : x }

    private func advance(_ range: Range<Int>, letters: Int32) -> Double {
        (paragraph.advances[range.upperBound] - paragraph.advances[range.lowerBound]) * size + letterSpacing * Double(letters)
    }

    /// The advance after shaping the part by itself where its ends ask for it.
    func exactWidth(_ range: Range<Int>) -> Double {
        let p = paragraph
        if p.isSafe[range.lowerBound], p.isSafe[range.upperBound] { return width(range) }
        var width = self.width(range)
        for run in p.runs[p.runs(in: range)] where !run.isTab {
            let part = run.range.clamped(to: range)
            let sum = p.glyphs(of: run, in: part).reduce(0) { $0 + $1.advance }
            width += (sum - (p.advances[part.upperBound] - p.advances[part.lowerBound])) * size
        }
        return width
    }

    /// A part without the blanks at its end.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var end = range.upperBound
        while end > range.lowerBound {
            let start = paragraph.start(before: end)
            guard paragraph.isBlank(at: start) else { break }
            end = start
        }
        return range.lowerBound..<end
    }

    /// Lines no wider than `limit`, as far as `wrap` can.
    ///
    /// - Parameter orphans: whether a last line may be a single word.
    func lines(limit: Double?, wrap: TextWrap, orphans: Bool) -> [LineRange] {
        let end = paragraph.text.count
        guard let limit, wrap != .none else { return [LineRange(range: 0..<end, next: end, isSoft: false)] }
        if fits(0..<end, limit) { return [LineRange(range: lastRange(0..<end, limit), next: end, isSoft: false)] }
        var lines: [LineRange] = []
        var start = 0
        while start < end {
            let next = lineEnd(from: start, limit: limit, wrap: wrap)
            lines.append(
                LineRange(
                    range: next < end ? trimmed(start..<next) : lastRange(start..<end, limit), next: next, isSoft: next < end))
            start = next
        }
        if !orphans { joinOrphan(&lines, limit) }
        return lines
    }

    /// Blanks at the end of a paragraph keep their width where there is room.
    private func lastRange(_ range: Range<Int>, _ limit: Double) -> Range<Int> {
        width(range) <= limit + LineBreaker.tolerance ? range : trimmed(range)
    }

    private func fits(_ range: Range<Int>, _ limit: Double) -> Bool { width(trimmed(range)) <= limit + LineBreaker.tolerance }

    private func lineEnd(from start: Int, limit: Double, wrap: TextWrap) -> Int {
        let places = wrap == .character ? paragraph.characterBreaks : paragraph.lineBreaks
        let end = paragraph.text.count
        if let found = lastFitting(from: start, through: end, places, limit) { return found }
        let first = next(in: places, after: start)
        if wrap == .word { return first }
        // Not even a word: as many characters of it as fit, one at least.
        let characters = paragraph.characterBreaks
        return lastFitting(from: start, through: first, characters, limit) ?? next(in: characters, after: start)
    }

    /// The last place to break at which the line still fits.
    private func lastFitting(from start: Int, through end: Int, _ places: [Int], _ limit: Double) -> Int? {
        let first = places.firstIndex(sorted: { $0 > start })
        var past = first
        while past < places.count, places[past] <= end, fits(start..<places[past], limit) { past += 1 }
        while past > first {
            past -= 1
            if exactWidth(trimmed(start..<places[past])) <= limit + LineBreaker.tolerance { return places[past] }
        }
        return nil
    }

    private func next(in places: [Int], after byte: Int) -> Int { places[places.firstIndex(sorted: { $0 > byte })] }

    /// Moves the last word but one down to a last word that is alone.
    private func joinOrphan(_ lines: inout [LineRange], _ limit: Double) {
        let places = paragraph.lineBreaks
        guard lines.count > 1, let last = lines.last, next(in: places, after: last.range.lowerBound) >= last.range.upperBound
        else { return }
        let before = lines[lines.count - 2]
        let next = places.firstIndex(sorted: { $0 >= before.next })
        guard next > 0, !last.range.isEmpty else { return }
        let split = places[next - 1]
        guard split > before.range.lowerBound, fits(split..<last.range.upperBound, limit) else { return }
        lines[lines.count - 2] = LineRange(range: trimmed(before.range.lowerBound..<split), next: split, isSoft: true)
        lines[lines.count - 1].range = split..<last.range.upperBound
    }
}
