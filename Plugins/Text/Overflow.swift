import Outline

extension Composer {
    /// The block with what is too much left out as `overflow` says.
    ///
    /// - Parameters:
    ///   - width: the widest a line may be; nil: as wide as it comes.
    ///   - maxLines: how many lines there may be.
    func block(size: Double, width: Double?, maxLines: Int?) -> TextBlock {
        var lines: [Line] = []
        let wrapWidth = settings.wrapWidth.map { min($0, width ?? $0) }
        for (index, paragraph) in paragraphs.enumerated() {
            let breaker = breaker(paragraph, size: size)
            for range in breaker.lines(limit: wrapWidth, wrap: settings.wrap, orphans: settings.orphans) {
                let goesOn = range.next < paragraph.text.count || index + 1 < paragraphs.count
                if let maxLines, lines.count + 1 == maxLines, goesOn {
                    lines.append(last(from: range.range.lowerBound, of: index, breaker, width: width))
                    return stack(lines, size: size)
                }
                lines.append(within(width, range, breaker))
            }
        }
        return stack(lines, size: size)
    }

    /// A line that has to end before the text does.
    private func last(from start: Int, of index: Int, _ breaker: LineBreaker, width: Double?) -> Line {
        let paragraph = breaker.paragraph
        let rest = start..<paragraph.text.count
        guard let width else {
            return settings.overflow.isEllipsis
                ? ellipsized(rest, of: breaker, .ellipsisEnd, nil, isForced: true) : set(whole(rest), breaker)
        }
        switch settings.overflow {
        case .ellipsisEnd:
            return ellipsized(rest, of: breaker, .ellipsisEnd, width, isForced: index + 1 < paragraphs.count)
        case .ellipsisStart, .ellipsisMiddle:
            // The end of the text is to be seen, whichever paragraph it stands in.
            let joined = Array(
                ([paragraph.text[start...]] + paragraphs[(index + 1)...].map { $0.text[...] }).joined(separator: [0x20]))
            let all = self.breaker(Paragraph(joined, rightToLeft: paragraph.isRightToLeft, shaping), size: breaker.size)
            return ellipsized(0..<joined.count, of: all, settings.overflow, width, isForced: false)
        case .clip, .fade:
            return within(width, whole(rest), breaker)
        }
    }

    private func whole(_ range: Range<Int>) -> LineRange { LineRange(range: range, next: range.upperBound, isSoft: false) }

    /// A line, made to fit where it is too wide.
    private func within(_ width: Double?, _ range: LineRange, _ breaker: LineBreaker) -> Line {
        var line = set(range, breaker)
        guard let width else { return line }
        // In a box, ink that leans out behind a line that fits is cut off with it.
        let isTooWide =
            line.width > width + LineBreaker.tolerance
            || settings.fitWidth != nil && !settings.overflow.isEllipsis && line.leansOut(of: width, size: breaker.size)
        guard isTooWide else { return line }
        if settings.overflow.isEllipsis, settings.fitWidth == nil, isSingle(range.range, breaker) { return line }
        if settings.overflow.isEllipsis { return ellipsized(range.range, of: breaker, settings.overflow, width, isForced: false) }
        line.seenWidth = min(width, line.width)
        return line
    }

    /// A single character that is wider than lines that are wrapped at characters: an ellipsis would be no better.
    private func isSingle(_ range: Range<Int>, _ breaker: LineBreaker) -> Bool {
        guard settings.wrapWidth != nil, settings.wrap == .wordThenCharacter || settings.wrap == .character else { return false }
        return boundaries(of: breaker.paragraph, in: breaker.trimmed(range)).count <= 2
    }

    /// Bytes where a character that a reader would count begins, and the end.
    private func boundaries(of paragraph: Paragraph, in range: Range<Int>) -> [Int] {
        let cursors = paragraph.cursors
        let (first, end) = (
            cursors.firstIndex(sorted: { $0 >= range.lowerBound }), cursors.firstIndex(sorted: { $0 >= range.upperBound })
        )
        return cursors[first..<max(first, end)] + [range.upperBound]
    }

    /// As much of a part as fits together with an ellipsis.
    ///
    /// - Parameter isForced: there is an ellipsis even if all of the part fits.
    func ellipsized(_ range: Range<Int>, of breaker: LineBreaker, _ side: TextOverflow, _ width: Double?, isForced: Bool) -> Line
    {
        let paragraph = breaker.paragraph
        let mark = Array((shaping.fonts.primary.has("\u{2026}") ? "\u{2026}" : "...").utf8)
        let at = boundaries(of: paragraph, in: range)
        let all = at.count - 1
        /// The bytes before and after the ellipsis when `count` characters are kept.
        func kept(_ count: Int) -> (Range<Int>, Range<Int>) {
            let before =
                switch side {
                case .ellipsisStart: 0
                case .ellipsisMiddle: (count + 1) / 2
                default: count
                }
            return (range.lowerBound..<at[before], at[all - (count - before)]..<range.upperBound)
        }
        func line(_ count: Int) -> Line {
            let (before, after) = kept(count)
            let text = Array(paragraph.text[before]) + mark + Array(paragraph.text[after])
            let part = self.breaker(Paragraph(text, rightToLeft: paragraph.isRightToLeft, shaping), size: breaker.size)
            return part.line(0..<text.count, primary: shaping.fonts.primary)
        }
        let limit = (width ?? .infinity) + LineBreaker.tolerance
        if !isForced {
            let whole = breaker.line(range, primary: shaping.fonts.primary)
            if whole.width <= limit { return whole }
        }
        let most = isForced ? all : all - 1
        guard most > 0 else { return line(0) }
        guard width != nil else { return line(most) }
        // The paragraph's own advances say nearly where; shaping what is left says it exactly.
        let dots = line(0).width
        func estimate(_ count: Int) -> Double {
            let (before, after) = kept(count)
            return breaker.width(before) + dots + breaker.width(after)
        }
        var (low, high) = (0, most)
        while low < high {
            let middle = (low + high + 1) / 2
            if estimate(middle) <= limit { low = middle } else { high = middle - 1 }
        }
        var best = line(low)
        while low > 0, best.width > limit {
            low -= 1
            best = line(low)
        }
        while low < most {
            let longer = line(low + 1)
            guard longer.width <= limit else { break }
            (low, best) = (low + 1, longer)
        }
        return best
    }
}

extension TextOverflow {
    var isEllipsis: Bool { self == .ellipsisStart || self == .ellipsisMiddle || self == .ellipsisEnd }
}
