import Diagnostics
import LabelpipeEngine
import Testing

@Suite("Graphs drawn as SVG") struct GraphDrawingTests {
    @Test("no box lies on another, lines lead downwards from box to box, whatever the graph")
    func layout() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("graph layouts: seed \(seed)")
        var random = Numbers(state: seed)
        for _ in 0..<60 {
            let count = Int(random.next() % 40) + 2
            let sizes = (0..<count).map { _ in
                (width: Double(random.next() % 200) + 40, height: Double(random.next() % 90) + 20)
            }
            var lines: [GraphLayout.Line] = []
            for to in 1..<count {
                for _ in 0...Int(random.next() % 3) {
                    let from = Int(random.next() % UInt64(to))
                    lines.append(GraphLayout.Line(from: from, to: to, port: Double(random.next() % 99 + 1) / 100))
                }
            }
            let layout = GraphLayout(sizes: sizes, lines: lines)
            for a in 0..<count {
                let (p, s) = (layout.places[a], sizes[a])
                #expect(p.x >= -1e-6 && p.x + s.width <= layout.width + 1e-6 && p.y + s.height <= layout.height + 1e-6)
                for b in 0..<a {
                    let (q, t) = (layout.places[b], sizes[b])
                    let isApart =
                        p.x + s.width < q.x || q.x + t.width < p.x || p.y + s.height < q.y || q.y + t.height < p.y
                    #expect(isApart, "boxes \(a) and \(b), seed \(seed)")
                }
            }
            for (line, way) in zip(lines, layout.ways) {
                let (from, to) = (layout.places[line.from], layout.places[line.to])
                #expect(abs(way[0].y - (from.y + sizes[line.from].height)) < 1e-6)
                #expect(abs(way[way.count - 1].y - to.y) < 1e-6)
                #expect(way[way.count - 1].x > to.x && way[way.count - 1].x < to.x + sizes[line.to].width)
                for (above, below) in zip(way, way.dropFirst()) {
                    #expect(above.y <= below.y + 1e-6)
                    // A bend keeps within its ends, and away from what is written at lines above a row.
                    let (left, right) = (min(above.x, below.x), max(above.x, below.x))
                    if right - left > 1e-6 {
                        let near = layout.places.contains { below.y > $0.y - GraphLayout.arrival + 1e-6 && above.y < $0.y - 1e-6 }
                        #expect(!near, "a line to \(line.to) bends at its labels, seed \(seed)")
                    }
                    let crossed = (0..<count).filter { box in
                        let (p, s) = (layout.places[box], sizes[box])
                        return p.x < right - 1e-6 && left < p.x + s.width - 1e-6 && p.y < below.y - 1e-6
                            && above.y < p.y + s.height - 1e-6
                    }
                    #expect(crossed.isEmpty, "a line to \(line.to) crosses \(crossed), seed \(seed)")
                }
            }
        }
    }

    @Test("long chains and wide fans are laid out in time that grows with them")
    func large() {
        let chain = (1..<20_000).map { GraphLayout.Line(from: $0 - 1, to: $0, port: 0.5) }
        #expect(GraphLayout(sizes: Array(repeating: (100, 40), count: 20_000), lines: chain).height > 1_000_000)
        let fan = (0..<5_000).map { GraphLayout.Line(from: $0, to: 5_000, port: 0.5) }
        #expect(GraphLayout(sizes: Array(repeating: (100, 40), count: 5_001), lines: fan).width > 500_000)
        // Each to the next and all to the last: lines through every row.
        let both = chain.prefix(2_000) + (0..<2_000).map { GraphLayout.Line(from: $0, to: 2_000, port: 0.5) }
        #expect(GraphLayout(sizes: Array(repeating: (100, 40), count: 2_001), lines: Array(both)).height > 0)
    }

    @Test("the drawing is well-formed, whatever texts are in the document")
    func wellFormed() throws {
        let text = """
            {
              "labelpipe": 1, "title": "a <b> & \\"c\\" \\u0001",
              "nodes": { "line": [{ "effect": "t.text", "text": "</text><script>&amp;\\n]]>" }, { "effect": "t.fill" }] },
              "output": [{ "effect": "image.source" }, { "effect": "t.place", "label": "line" }]
            }
            """
        let pipeline = try Pipeline(bytes: Array(text.utf8), name: "a&b.json", folder: ".", registry: .madeUp())
        let plan = try pipeline.plan()
        let svg = GraphDrawing(plan, frames: [1: (40.25, 12)], note: "<note>").svg
        #expect(Markup.problem(in: svg) == nil)
        #expect(Markup.problem(in: svg + "</g>") != nil)
        #expect(Markup.problem(in: "<a><b></a>") != nil)
        for summary in plan.summaries { #expect(svg.contains(">\(summary.effect)<")) }
        #expect(svg.contains("“line”") && svg.contains("coverage 40.3 × 12"))
        #expect(svg.contains("&lt;/text&gt;&lt;script&gt;&amp;amp;"))
    }
}

/// xorshift64*.
private struct Numbers {
    var state: UInt64

    mutating func next() -> UInt64 {
        if state == 0 { state = 1 }
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return (state &* 2_685_821_657_736_338_717) >> 16
    }
}

/// As much of XML as the drawing uses.
enum Markup {
    /// Why it is not well-formed; nil: it is.
    static func problem(in text: String) -> String? {
        var open: [Substring] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            if let bad = problem(inText: rest[..<start]) { return bad }
            guard let end = rest[start...].firstIndex(of: ">") else { return "a tag does not end" }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                guard open.popLast() == tag.dropFirst() else { return "</\(tag.dropFirst())> closes another" }
            } else {
                let parts = tag.split(separator: "\"", omittingEmptySubsequences: false)
                if parts.count % 2 == 0 { return "quotes in <\(tag)>" }
                for value in parts.enumerated() where value.offset % 2 == 1 {
                    if let bad = problem(inText: value.element) { return bad }
                }
                let name = tag.prefix { $0 != " " && $0 != "/" && $0 != "\n" }
                if name.isEmpty { return "a tag without a name" }
                if !tag.hasSuffix("/") { open.append(name) }
            }
        }
        return open.isEmpty ? problem(inText: rest) : "<\(open[0])> is not closed"
    }

    private static func problem(inText text: Substring) -> String? {
        for part in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
            guard ["lt;", "gt;", "amp;", "quot;"].contains(where: part.hasPrefix) else { return "& in \(text)" }
        }
        let isControl: (Unicode.Scalar) -> Bool = { $0.value < 0x20 && $0.value != 0x0A }
        return text.unicodeScalars.contains(where: isControl) ? "a control character" : nil
    }
}
