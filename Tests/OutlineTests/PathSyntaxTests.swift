import Outline
import Testing

private func p(_ x: Double, _ y: Double) -> Point { Point(x: x, y: y) }

@Suite struct PathSyntaxTests {
    static let readable: [(String, [Path.Element])] = [
        ("", []),
        (" \t\r\n", []),
        ("M10-20", [.move(p(10, -20))]),
        ("M.5.5", [.move(p(0.5, 0.5))]),
        ("M+1.5e1,-2E-1", [.move(p(15, -0.2))]),
        ("M1.,2.", [.move(p(1, 2))]),
        ("m10 10 5 5", [.move(p(10, 10)), .line(p(15, 15))]),
        ("M 1 2 3 4 5 6", [.move(p(1, 2)), .line(p(3, 4)), .line(p(5, 6))]),
        ("M1,2,3,4", [.move(p(1, 2)), .line(p(3, 4))]),
        ("M0 0L1 2 3 4l1-1", [.move(p(0, 0)), .line(p(1, 2)), .line(p(3, 4)), .line(p(4, 3))]),
        (
            "M1 1H10 12V5h-4v-2-1",
            [.move(p(1, 1)), .line(p(10, 1)), .line(p(12, 1)), .line(p(12, 5)), .line(p(8, 5)), .line(p(8, 3)), .line(p(8, 2))]
        ),
        (
            "M0 0C1 2 3 4 5 6S9 10 11 12",
            [.move(p(0, 0)), .cubic(p(1, 2), p(3, 4), p(5, 6)), .cubic(p(7, 8), p(9, 10), p(11, 12))]
        ),
        (
            "M1 1c1 2 3 4 5 6s4 4 6 6",
            [.move(p(1, 1)), .cubic(p(2, 3), p(4, 5), p(6, 7)), .cubic(p(8, 9), p(10, 11), p(12, 13))]
        ),
        // A smooth curve after anything else starts straight out of its point.
        ("M1 1S2 3 4 5", [.move(p(1, 1)), .cubic(p(1, 1), p(2, 3), p(4, 5))]),
        ("M0 0Q1 2 3 4S5 6 7 8", [.move(p(0, 0)), .quadratic(p(1, 2), p(3, 4)), .cubic(p(3, 4), p(5, 6), p(7, 8))]),
        ("M0 0Q1 2 3 0T9 0", [.move(p(0, 0)), .quadratic(p(1, 2), p(3, 0)), .quadratic(p(5, -2), p(9, 0))]),
        (
            "M0 0q1 2 3 0t6 0 6 0",
            [.move(p(0, 0)), .quadratic(p(1, 2), p(3, 0)), .quadratic(p(5, -2), p(9, 0)), .quadratic(p(13, 2), p(15, 0))]
        ),
        ("M2 2T5 5", [.move(p(2, 2)), .quadratic(p(2, 2), p(5, 5))]),
        // After a close, relative is to where the subpath began.
        ("M1 1L5 1 5 5zm1 1l1 0", [.move(p(1, 1)), .line(p(5, 1)), .line(p(5, 5)), .close, .move(p(2, 2)), .line(p(3, 2))]),
        ("M1 1L5 1Zl0 3", [.move(p(1, 1)), .line(p(5, 1)), .close, .line(p(1, 4))]),
        // An arc without radius, or to where it is, is a line, or nothing.
        ("M0 0A0 5 0 0 1 3 4", [.move(p(0, 0)), .line(p(3, 4))]),
        ("M1 1A5 5 0 0 1 1 1", [.move(p(1, 1))]),
    ]

    @Test(arguments: readable)
    func reads(_ data: String, _ elements: [Path.Element]) throws {
        #expect(try Path.parse(svg: data).elements == elements)
    }

    /// Data, the byte that is wrong, a word of the reason.
    static let refused: [(String, Int, String)] = [
        ("L1 1", 0, "moveto"),
        ("z", 0, "moveto"),
        ("x", 0, "command"),
        ("M", 1, "number"),
        ("M1", 2, "number"),
        ("M1 2 3", 6, "number"),
        ("M,1 2", 1, "number"),
        ("M1,,2", 2, "number"),
        ("M1 2,", 5, "comma"),
        ("M1 2,L3 4", 5, "comma"),
        ("M1 2 b", 5, "command"),
        ("M1 2é", 4, "command"),
        ("M1 1e", 4, "command"),
        ("M1 -", 3, "number"),
        ("M1 .", 3, "number"),
        ("M1 1e999", 3, "large"),
        ("M0 0z5 5", 5, "command"),
        ("M0 0A1 1 0 2 1 5 5", 11, "flag"),
        ("M0 0A1 1 0 01", 13, "number"),
        ("M0 0C1 1 2 2 3", 14, "number"),
        ("M0 0 NaN", 5, "command"),
    ]

    @Test(arguments: refused)
    func refuses(_ data: String, _ offset: Int, _ word: String) {
        let error = #expect(throws: PathSyntaxError.self) { try Path.parse(svg: data) }
        #expect(error?.offset == offset, "\(data): \(error?.description ?? "")")
        #expect(error?.reason.contains(word) == true, "\(data): \(error?.description ?? "")")
    }

    /// Arc, and the box it must fill.
    static let arcs: [(String, Rect)] = [
        ("M0 0A1 1 0 0 1 2 0", Rect(minX: 0, minY: -1, maxX: 2, maxY: 0)),
        ("M0 0A1 1 0 0 0 2 0", Rect(minX: 0, minY: 0, maxX: 2, maxY: 1)),
        ("M0 0A2 2 0 1 1 2 0", Rect(minX: -1, minY: -3.7320508, maxX: 3, maxY: 0)),
        ("M0 0A2 2 0 0 1 2 0", Rect(minX: 0, minY: -0.2679492, maxX: 2, maxY: 0)),
        ("M0 0A2 2 0 1 0 2 0", Rect(minX: -1, minY: 0, maxX: 3, maxY: 3.7320508)),
        // Radii too small grow in proportion.
        ("M0 0A1 2 0 0 1 20 0", Rect(minX: 0, minY: -20, maxX: 20, maxY: 0)),
        ("M0 0a-1-1 0 0 1 2 0", Rect(minX: 0, minY: -1, maxX: 2, maxY: 0)),
        // A quarter turn exchanges the radii.
        ("M0 0A3 1 90 0 1 2 0", Rect(minX: 0, minY: -3, maxX: 2, maxY: 0)),
        ("M10 10a5 5 0 1 0 0-10a5 5 0 1 0 0 10z", Rect(minX: 5, minY: 0, maxX: 15, maxY: 10)),
    ]

    @Test(arguments: arcs)
    func arcsFillTheirBox(_ data: String, _ box: Rect) throws {
        let bounds = try Path.parse(svg: data).bounds
        for (found, wanted) in [
            (bounds.minX, box.minX), (bounds.minY, box.minY), (bounds.maxX, box.maxX), (bounds.maxY, box.maxY),
        ] { #expect(isNear(found, wanted, 1e-3), "\(data): \(bounds)") }
    }

    @Test func flagsNeedNoSpace() throws {
        let packed = try Path.parse(svg: "M0 0a1 1 0 01.5.5a1 1 0 10-.5.5")
        let spaced = try Path.parse(svg: "M 0 0 a 1 1 0 0 1 0.5 0.5 a 1, 1, 0, 1, 0, -0.5, 0.5")
        #expect(packed == spaced)
        guard case .cubic(_, _, let end) = packed.elements[1] else { return #expect(Bool(false)) }
        #expect(end == p(0.5, 0.5))
    }

    @Test func theCircleOfTwoArcsHasTheCirclesArea() throws {
        let path = try Path.parse(svg: "M50 0A50 50 0 1 1 50 100 50 50 0 0 1 50 0Z")
        #expect(isNear(Outline(path).polygons(scale: 1000).area, 7853.98, 0.2))
    }

    @Test func randomBytesNeitherCrashNorHang() {
        var random = Seeded.fresh("path bytes")
        let alphabet = Array("MmLlHhVvCcSsQqTtAaZz0123456789.,+-e \n")
        for _ in 0..<5000 {
            let data = "M0 0" + String((0..<random.count(0...40)).map { _ in alphabet[random.count(0...alphabet.count - 1)] })
            if let path = try? Path.parse(svg: data) { _ = path.bounds }
        }
    }
}
