import CText
import LabelpipeKit
import Outline

/// Lines at one size, stacked and aligned. px, the pen origin of the first line at (0, 0)
struct TextBlock {
    let size: Double
    var lines: [Line]
    /// Advances by line boxes.
    var frame: Rect
    /// How much of it is seen from the top, where it is higher than its box and cut there.
    var seenHeight: Double?

    /// The frame and all that is drawn.
    func extent() -> Rect {
        lines.reduce(frame) { extent, line in
            let ink = line.ink(size: size)
            return ink.isNull ? extent : extent.union(ink.offset(by: Vector(dx: line.x, dy: line.baseline)))
        }
    }
}

/// Lays a text out at any size: what does not depend on the size is done once.
final class Composer {
    let settings: TextSettings
    let shaping: Shaping
    let paragraphs: [Paragraph]

    init(_ settings: TextSettings, _ shaping: Shaping) {
        self.settings = settings
        self.shaping = shaping
        // A paragraph without a strong character reads as the one before it.
        var rightToLeft = settings.direction == .rightToLeft
        paragraphs = Composer.paragraphs(of: settings.text).map { text in
            if settings.direction == .auto {
                let found = text.withUnsafeBytes {
                    lpt_base_direction($0.bindMemory(to: CChar.self).baseAddress, Int32(text.count))
                }
                if found != 0 { rightToLeft = found < 0 }
            }
            return Paragraph(text, rightToLeft: rightToLeft, shaping)
        }
    }

    /// CRLF, CR and LF break, and what Unicode says always breaks: VT, FF, NEL, LS, PS.
    static func paragraphs(of text: String) -> [[UInt8]] {
        var paragraphs: [[UInt8]] = [[]]
        var scalars = text.unicodeScalars.makeIterator()
        var afterReturn = false
        while let scalar = scalars.next() {
            defer { afterReturn = scalar == "\r" }
            switch scalar.value {
            case 0x0A where afterReturn: break
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029: paragraphs.append([])
            // No string of C's has one inside.
            case 0: paragraphs[paragraphs.count - 1] += "\u{FFFD}".utf8
            default: paragraphs[paragraphs.count - 1] += UTF8.encode(scalar) ?? .init()
            }
        }
        return paragraphs
    }

    func breaker(_ paragraph: Paragraph, size: Double) -> LineBreaker {
        LineBreaker(
            paragraph: paragraph, size: size, letterSpacing: settings.letterSpacing(size),
            tab: 8 * shaping.fonts.primary.space * size)
    }

    /// All lines, nothing left out or cut. `isWhole`: none is wider than the wrap width.
    func lines(size: Double) -> (lines: [Line], isWhole: Bool) {
        var lines: [Line] = []
        var isWhole = true
        for paragraph in paragraphs {
            let breaker = breaker(paragraph, size: size)
            for range in breaker.lines(limit: settings.wrapWidth, wrap: settings.wrap, orphans: settings.orphans) {
                let line = set(range, breaker)
                if let width = settings.wrapWidth, line.width > width + LineBreaker.tolerance { isWhole = false }
                lines.append(line)
            }
        }
        return (lines, isWhole)
    }

    func set(_ range: LineRange, _ breaker: LineBreaker) -> Line {
        let justified = settings.align == .justify && range.isSoft ? settings.wrapWidth : nil
        var line = breaker.line(range.range, primary: shaping.fonts.primary, justified: justified)
        line.isSoft = range.isSoft
        return line
    }

    /// Puts line boxes under each other, and lines side by side where `align` says.
    func stack(_ lines: [Line], size: Double) -> TextBlock {
        var lines = lines
        // A cut line is as wide as what is left of it.
        func seen(_ line: Line) -> Double { line.seenWidth ?? line.width }
        let width = lines.reduce(0) { max($0, seen($1)) }
        let spacing = settings.lineSpacing(size)
        var top = 0.0
        for index in lines.indices {
            let line = lines[index]
            let box = line.ascent + line.descent
            lines[index].top = top
            lines[index].height = box * settings.lineHeight
            // Half of what a line height adds stands above, as in CSS.
            lines[index].baseline = top + (box * settings.lineHeight - box) / 2 + line.ascent
            lines[index].x = offset(of: line, by: width - seen(line)) - (line.isRightToLeft ? line.width - seen(line) : 0)
            top += lines[index].height + (index + 1 < lines.count ? spacing : 0)
        }
        let origin = lines.first.map { Vector(dx: -$0.x, dy: -$0.baseline) } ?? .zero
        for index in lines.indices {
            lines[index].x += origin.dx
            lines[index].baseline += origin.dy
            lines[index].top += origin.dy
        }
        let frame = Rect(x: origin.dx, y: origin.dy, width: width, height: max(top, 0))
        return TextBlock(size: size, lines: lines, frame: frame)
    }

    /// How much of the free `room` stands at the left of a line.
    private func offset(of line: Line, by room: Double) -> Double {
        switch settings.align {
        case .left: 0
        case .right: room
        case .center: room / 2
        case .natural, .justify: line.isRightToLeft ? room : 0
        }
    }
}
