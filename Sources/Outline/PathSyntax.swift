import Glibc

/// Why SVG path data could not be read.
public struct PathSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where: bytes (UTF-8) from the beginning.
    public let offset: Int
    /// What is wrong there, for a person.
    public let reason: String

    public var description: String { "at byte \(offset): \(reason)" }
}

extension Path {
    /// Reads SVG path data (the `d` of a `path`). Nothing, or only white space, is an empty path.
    ///
    /// Arcs become cubics of at most 45°, off the ellipse by less than 10⁻⁵ of its radius.
    ///
    /// - Errors: `PathSyntaxError`; a browser would draw what stands before the error, which nobody means in a document.
    /// - Source: SVG 2, section 9.3 (grammar), and appendix F.6 of SVG 1.1 (arcs).
    public static func parse(svg data: String) throws(PathSyntaxError) -> Path {
        var reader = PathReader(bytes: Array(data.utf8))
        return try reader.path()
    }
}

private struct PathReader {
    let bytes: [UInt8]
    private var position = 0
    private var result = Path()
    private var current = Point.zero
    private var start = Point.zero
    /// The last control point of a cubic or quadratic just drawn, which a smooth one mirrors.
    private var cubicHandle: Point?
    private var quadraticHandle: Point?

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func path() throws(PathSyntaxError) -> Path {
        skipSpace()
        while position < bytes.count {
            let letter = bytes[position]
            let command = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter ? letter : letter &- 32
            guard letter >= UInt8(ascii: "A"), "MLHVCSQTAZ".utf8.contains(command) else {
                throw error("a command (one of MLHVCSQTAZ, in either case) is expected, not \(found)")
            }
            if result.elements.isEmpty && command != UInt8(ascii: "M") {
                throw error("path data begins with a moveto (M or m), not with \(found)")
            }
            position += 1
            skipSpace()
            try run(command, relative: letter != command)
        }
        return result
    }

    /// Draws a command with all its repetitions.
    private mutating func run(_ command: UInt8, relative: Bool) throws(PathSyntaxError) {
        if command == UInt8(ascii: "Z") {
            result.close()
            current = start
            (cubicHandle, quadraticHandle) = (nil, nil)
            return
        }
        var command = command
        repeat {
            let base = relative ? Vector(dx: current.x, dy: current.y) : .zero
            var handles: (cubic: Point?, quadratic: Point?) = (nil, nil)
            switch command {
            case UInt8(ascii: "M"):
                current = try point(base)
                start = current
                result.move(to: current)
                // Further pairs are lines.
                command = UInt8(ascii: "L")
            case UInt8(ascii: "L"):
                current = try point(base)
                result.line(to: current)
            case UInt8(ascii: "H"):
                current.x = try number() + base.dx
                result.line(to: current)
            case UInt8(ascii: "V"):
                current.y = try number() + base.dy
                result.line(to: current)
            case UInt8(ascii: "C"), UInt8(ascii: "S"):
                let first =
                    command == UInt8(ascii: "C") ? try point(base) : current + (current - (cubicHandle ?? current))
                let second = try point(base)
                current = try point(base)
                result.cubic(first, second, to: current)
                handles.cubic = second
            case UInt8(ascii: "Q"), UInt8(ascii: "T"):
                let control =
                    command == UInt8(ascii: "Q") ? try point(base) : current + (current - (quadraticHandle ?? current))
                current = try point(base)
                result.quadratic(control, to: current)
                handles.quadratic = control
            default:
                let radii = Vector(dx: abs(try number()), dy: abs(try number()))
                let tilt = try number()
                let large = try flag()
                let clockwise = try flag()
                let end = try point(base)
                result.arc(from: current, radii: radii, tilt: tilt, large: large, clockwise: clockwise, to: end)
                current = end
            }
            (cubicHandle, quadraticHandle) = handles
        } while try another()
    }

    /// Whether a further set of arguments follows, after white space with at most one comma.
    private mutating func another() throws(PathSyntaxError) -> Bool {
        skipSpace()
        if position < bytes.count && bytes[position] == UInt8(ascii: ",") {
            position += 1
            skipSpace()
            guard startsNumber else { throw error("a number is expected after the comma, not \(found)") }
        }
        return startsNumber
    }

    private var startsNumber: Bool {
        guard position < bytes.count else { return false }
        switch bytes[position] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): return true
        default: return false
        }
    }

    private mutating func point(_ base: Vector) throws(PathSyntaxError) -> Point {
        let x = try number()
        let y = try number()
        return Point(x: x + base.dx, y: y + base.dy)
    }

    private mutating func number() throws(PathSyntaxError) -> Double {
        let begin = position
        if position < bytes.count && (bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")) {
            position += 1
        }
        let whole = skipDigits()
        var fraction = 0
        if position < bytes.count && bytes[position] == UInt8(ascii: ".") {
            position += 1
            fraction = skipDigits()
        }
        guard whole + fraction > 0 else {
            position = begin
            throw error("a number is expected, not \(found)")
        }
        // An e without digits is no exponent; it is no command either, and is refused as such.
        let mantissa = position
        if position < bytes.count && bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count && (bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")) {
                position += 1
            }
            if skipDigits() == 0 { position = mantissa }
        }
        guard let value = Double(String(decoding: bytes[begin..<position], as: UTF8.self)), value.isFinite else {
            position = begin
            throw error("the number is too large")
        }
        skipSeparator()
        return value
    }

    /// A single 0 or 1, with or without space behind it.
    private mutating func flag() throws(PathSyntaxError) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "0") || bytes[position] == UInt8(ascii: "1") else {
            throw error("a flag of an arc is 0 or 1, not \(found)")
        }
        let set = bytes[position] == UInt8(ascii: "1")
        position += 1
        skipSeparator()
        return set
    }

    private mutating func skipDigits() -> Int {
        let begin = position
        while position < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] { position += 1 }
        return position - begin
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(bytes[position]) { position += 1 }
    }

    /// White space with at most one comma, if a number follows; otherwise the comma is left for `another` to judge.
    private mutating func skipSeparator() {
        skipSpace()
        let comma = position
        if position < bytes.count && bytes[position] == UInt8(ascii: ",") {
            position += 1
            skipSpace()
            if !startsNumber { position = comma }
        }
    }

    /// What stands here, for a message.
    private var found: String {
        guard position < bytes.count else { return "the end" }
        let rest = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
        return "“\(rest.prefix(1))”"
    }

    private func error(_ reason: String) -> PathSyntaxError { PathSyntaxError(offset: position, reason: reason) }
}

extension Path {
    /// Adds an arc of an ellipse whose axes are turned by `tilt` degrees, as cubics.
    fileprivate mutating func arc(
        from start: Point, radii: Vector, tilt: Double, large: Bool, clockwise: Bool, to end: Point
    ) {
        if start == end { return }
        guard radii.dx > 0, radii.dy > 0 else {
            line(to: end)
            return
        }
        // In a frame where the ellipse is the unit circle, find the circle's centre.
        let frame = Affine.scale(sx: radii.dx, sy: radii.dy).then(.rotation(degrees: tilt))
        guard let inverse = frame.inverse else {
            line(to: end)
            return
        }
        let from = inverse.apply(start)
        let to = inverse.apply(end)
        let chord = to - from
        let half = chord.length / 2
        // A chord longer than the diameter: the ellipse grows until it just fits.
        let radius = max(half, 1)
        let height = max(radius * radius - half * half, 0).squareRoot()
        let side: Double = large == clockwise ? -1 : 1
        let normal = Vector(dx: -chord.dy, dy: chord.dx) * (side * height / (2 * half))
        let center = from + chord * 0.5 + normal
        let spoke = from - center
        let other = to - center
        var sweep = atan2(spoke.dx * other.dy - spoke.dy * other.dx, spoke.dx * other.dx + spoke.dy * other.dy)
        if clockwise && sweep < 0 { sweep += 2 * .pi }
        if !clockwise && sweep > 0 { sweep -= 2 * .pi }
        let pieces = max(Int((abs(sweep) / (.pi / 4) - 1e-9).rounded(.up)), 1)
        let angle = sweep / Double(pieces)
        let handle = 4.0 / 3 * tan(angle / 4)
        var a = spoke
        for piece in 1...pieces {
            let turn = angle * Double(piece)
            let b = Vector(dx: cos(turn) * spoke.dx - sin(turn) * spoke.dy, dy: sin(turn) * spoke.dx + cos(turn) * spoke.dy)
            let first = center + a + Vector(dx: -a.dy, dy: a.dx) * handle
            let second = center + b - Vector(dx: -b.dy, dy: b.dx) * handle
            cubic(frame.apply(first), frame.apply(second), to: piece == pieces ? end : frame.apply(center + b))
            a = b
        }
    }
}
