/// How far two pictures are apart: over the box that is not background (4 px wider), and outside it.
public struct Comparison: Equatable, Sendable, CustomStringConvertible {
    public var isSameSize = true
    /// Of the worst channel, mean over the box.
    public var mean = 0.0
    /// Share of the box's pixels that differ by more than 16.
    public var shareOver16 = 0.0
    public var largest = 0
    public var largestOutside = 0
    /// Where the largest difference is.
    public var worst = (x: 0, y: 0)

    public init(_ actual: Pixels, _ expected: Pixels) {
        let (a, e) = (actual.rgba, expected.rgba)
        guard a.width == e.width, a.height == e.height else {
            isSameSize = false
            return
        }
        let background = e[0, 0]
        var (left, top, right, bottom) = (e.width, e.height, -1, -1)
        for y in 0..<e.height {
            for x in 0..<e.width {
                let i = (y * e.width + x) * 4
                for c in 0..<4 where e.samples[i + c] != background[c] {
                    (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
                    break
                }
            }
        }
        if right < 0 { (left, top, right, bottom) = (0, 0, e.width - 1, e.height - 1) }
        (left, top, right, bottom) = (left - 4, top - 4, right + 4, bottom + 4)
        var (sum, count, over) = (0, 0, 0)
        for y in 0..<e.height {
            for x in 0..<e.width {
                let i = (y * e.width + x) * 4
                var difference = 0
                for c in 0..<4 { difference = max(difference, abs(Int(a.samples[i + c]) - Int(e.samples[i + c]))) }
                if x >= left, x <= right, y >= top, y <= bottom {
                    sum += difference
                    count += 1
                    if difference > 16 { over += 1 }
                    if difference > largest {
                        largest = difference
                        worst = (x, y)
                    }
                } else {
                    largestOutside = max(largestOutside, difference)
                }
            }
        }
        mean = Double(sum) / Double(max(count, 1))
        shareOver16 = Double(over) / Double(max(count, 1))
    }

    /// Within the limits that the reference pictures are held to.
    public var isClose: Bool {
        isSameSize && mean <= 0.4 && shareOver16 <= 0.001 && largest <= 32 && largestOutside <= 2
    }

    public var description: String {
        isSameSize
            ? "mean \(mean), over 16: \(shareOver16 * 100) %, largest \(largest) at (\(worst.x), \(worst.y)), outside \(largestOutside)"
            : "of different sizes"
    }

    public static func == (a: Comparison, b: Comparison) -> Bool { a.description == b.description }
}
