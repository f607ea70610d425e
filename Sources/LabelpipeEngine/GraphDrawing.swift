import Diagnostics
import LabelpipeKit

/// A plan drawn as SVG, by text alone.
public struct GraphDrawing {
    private let plan: Plan
    private let nodes: [NodeSummary]
    /// Sizes of layers by node. px
    private let frames: [Int: (width: Double, height: Double)]
    private let note: String?

    /// - Parameters:
    ///   - frames: what each node's frame is for some picture; may be empty.
    ///   - note: what they hold for.
    public init(_ plan: Plan, frames: [Int: (width: Double, height: Double)] = [:], note: String? = nil) {
        (self.plan, self.frames, self.note) = (plan, frames, note)
        nodes = plan.summaries
    }

    private struct Box {
        var title: String
        var name: String?
        var parameters: [(name: String, value: String)] = []
        var facts: [String] = []
        var style = "output"
        /// What its lines' labels need beside each other. px
        var ports = 0.0

        /// px
        var width: Double {
            let head = Glyphs.width(title, 14, bold: true) + (name.map { 8 + Glyphs.width($0, 13) } ?? 0)
            let lines = parameters.map { Glyphs.width($0.name, 12) + 8 + Glyphs.width($0.value, 12) }
            let told = facts.map { Glyphs.width($0, 11) }
            return max(150, ports, (([head] + lines + told).max() ?? 0) + 30).rounded(.up)
        }

        var height: Double { 34 + 17 * Double(parameters.count) + 15 * Double(facts.count) + (facts.isEmpty ? 0 : 6) + 4 }
    }

    private func box(_ node: NodeSummary) -> Box {
        var box = Box(title: node.effect, name: node.name.map { "“\($0)”" })
        box.parameters = node.written.map { ($0.name, Self.short(Quoted.onOneLine($0.value))) }
        if node.file != plan.document.file { box.facts.append(Self.short(beside(node.file))) }
        switch Set(node.dependence) {
        case let all where all.contains("pixels"): (box.style, box.facts) = ("each", box.facts + ["drawn for each picture"])
        case []: (box.style, box.facts) = ("once", box.facts + ["cached: drawn once a run"])
        default:
            (box.style, box.facts) = ("cached", box.facts + ["cached by \(node.dependence.joined(separator: " and "))"])
        }
        return box
    }

    /// Another document as this one would write it.
    private func beside(_ file: String) -> String {
        guard let slash = plan.document.file.lastIndex(of: "/") else { return file }
        let folder = plan.document.file[...slash]
        return file.hasPrefix(folder) ? String(file.dropFirst(folder.count)) : file
    }

    private static func short(_ text: String) -> String { text.count > 52 ? text.prefix(51) + "…" : text }

    /// The drawing.
    public var svg: String {
        var boxes = nodes.map(box)
        var lines: [GraphLayout.Line] = []
        var labels: [(lines: [String], isCoverage: Bool)] = []
        func add(_ from: Int, _ to: Int, _ port: Double, _ name: String?) {
            lines.append(GraphLayout.Line(from: from, to: to, port: port))
            var text = [nodes[from].kind]
            if let frame = frames[from] { text.append("\(Self.side(frame.width)) × \(Self.side(frame.height))") }
            labels.append(((name.map { [$0] } ?? []) + [text.joined(separator: " ")], nodes[from].kind == "coverage"))
        }
        for node in nodes {
            let count = node.inputs.reduce(0) { $0 + $1.nodes.count }
            var number = 0
            let first = labels.count
            for input in node.inputs {
                for (place, from) in input.nodes.enumerated() {
                    number += 1
                    let condition = input.conditions[place].map { "when \($0)" }
                    let name = node.inputs.count > 1 ? input.name : nil
                    let words = [name, condition].compactMap { $0 }
                    add(from, node.index, Double(number) / Double(count + 1), words.isEmpty ? nil : words.joined(separator: ", "))
                }
            }
            if (2...8).contains(count) {
                let widest = labels[first...].flatMap(\.lines).map { Glyphs.width($0, 11) }.max() ?? 0
                boxes[node.index].ports = (widest + 12) * Double(count + 1)
            }
        }
        for (number, index) in plan.outputNodes.enumerated() {
            var box = Box(title: plan.outputCount == 1 ? "output" : "output \(number + 1)")
            box.parameters = plan.outputs[number].arguments.written.map {
                (
                    plan.outputs[number].arguments.declaration($0).name,
                    Self.short(Quoted.onOneLine($0.written.string ?? $0.written.compact))
                )
            }
            box.facts = [
                plan.touching(index) != nil
                    ? "JPEG, TIFF: spliced, untouched parts are copied" : plan.takesInput ? "encoded anew" : "rendered"
            ]
            boxes.append(box)
            add(index, boxes.count - 1, 0.5, nil)
        }
        let layout = GraphLayout(sizes: boxes.map { ($0.width, $0.height) }, lines: lines)
        return document(boxes, layout, labels)
    }

    private static func side(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return format(tenths)
    }

    private func document(_ boxes: [Box], _ layout: GraphLayout, _ labels: [(lines: [String], isCoverage: Bool)]) -> String {
        let edge = 28.0
        let head = 58.0
        let legend = legendParts
        let width = max(layout.width, legend.width, Glyphs.width(plan.title ?? "", 18, bold: true)) + 2 * edge
        let height = head + layout.height + 2 * edge + 24
        let left = edge + max(0, (width - 2 * edge - layout.width) / 2)
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(n(width))" height="\(n(height))" viewBox="0 0 \(n(width)) \(n(height))">
            <title>\(escaped(plan.title ?? plan.document.file))</title>
            <style>
            text { font-family: "Inter", "Helvetica Neue", "Liberation Sans", Arial, sans-serif; fill: #1b1d21 }
            .title { font-size: 14px; font-weight: 700 } .name { font-size: 13px; fill: #7a3ea8 }
            .key, .value { font-size: 12px } .key { fill: #6b717c } .fact { font-size: 11px; fill: #6b717c }
            .label { font-size: 11px; fill: #41464f } .ground { fill: #f7f8fa }
            .edge { fill: none; stroke: #8a919d; stroke-width: 1.6 } .coverage { stroke-dasharray: 5 4 }
            .box { fill: #fff; stroke: #d5d9e0 }
            .each { fill: #8a919d } .cached { fill: #e0a030 } .once { fill: #3a9a5c } .output { fill: #3f6fd8 }
            </style>
            <rect width="100%" height="100%" fill="#f7f8fa"/>
            <text x="\(n(edge))" y="34" style="font-size:18px;font-weight:700">\(escaped(plan.title ?? plan.document.file))</text>
            <text x="\(n(edge))" y="53" class="fact">\(escaped(note.map { "\(plan.document.file), \($0)" } ?? plan.document.file))</text>
            <g transform="translate(\(n(left)) \(n(head + edge)))">

            """
        for (way, label) in zip(layout.ways, labels) {
            text += "<path class=\"edge\(label.isCoverage ? " coverage" : "")\" d=\"\(path(way))\"/>\n"
            if let end = way.last {
                text +=
                    "<path d=\"M\(n(end.x - 4)) \(n(end.y - 7))L\(n(end.x)) \(n(end.y))L\(n(end.x + 4)) \(n(end.y - 7))z\" fill=\"#8a919d\"/>\n"
            }
        }
        for (index, box) in boxes.enumerated() { text += drawn(box, layout.places[index]) }
        for (way, label) in zip(layout.ways, labels) {
            guard let end = way.last else { continue }
            // Where its line comes down straight, and stands on nothing but that.
            let (x, y) = (end.x, end.y - 22)
            for (number, line) in label.lines.enumerated() {
                let top = y + 12 * Double(number) - 6 * Double(label.lines.count - 1)
                let width = Glyphs.width(line, 11)
                text +=
                    "<rect class=\"ground\" x=\"\(n(x - width / 2))\" y=\"\(n(top - 10))\" width=\"\(n(width))\" height=\"13\"/>"
                text += "<text class=\"label\" text-anchor=\"middle\" x=\"\(n(x))\" y=\"\(n(top))\">\(escaped(line))</text>\n"
            }
        }
        text += "</g>\n<g transform=\"translate(\(n(edge)) \(n(height - 20)))\">\n\(legend.text)</g>\n</svg>\n"
        return text
    }

    private func drawn(_ box: Box, _ place: (x: Double, y: Double)) -> String {
        var text = "<g transform=\"translate(\(n(place.x)) \(n(place.y)))\">\n"
        text += "<rect class=\"box\" width=\"\(n(box.width))\" height=\"\(n(box.height))\" rx=\"6\"/>"
        text += "<path class=\"\(box.style)\" d=\"M0 6a6 6 0 0 1 6-6v\(n(box.height))a6 6 0 0 1-6-6z\"/>\n"
        text += "<text x=\"16\" y=\"22\"><tspan class=\"title\">\(escaped(box.title))</tspan>"
        if let name = box.name { text += "<tspan class=\"name\" dx=\"8\">\(escaped(name))</tspan>" }
        text += "</text>\n"
        var y = 42.0
        for parameter in box.parameters {
            text += "<text x=\"16\" y=\"\(n(y))\"><tspan class=\"key\">\(escaped(parameter.name))</tspan>"
            text += "<tspan class=\"value\" dx=\"8\">\(escaped(parameter.value))</tspan></text>\n"
            y += 17
        }
        y += 3
        for fact in box.facts {
            text += "<text class=\"fact\" x=\"16\" y=\"\(n(y))\">\(escaped(fact))</text>\n"
            y += 15
        }
        return text + "</g>\n"
    }

    private var legendParts: (text: String, width: Double) {
        var text = ""
        var x = 0.0
        for (style, words) in [
            ("once", "once a run"), ("cached", "cached by what it depends on"), ("each", "for each picture"),
        ] {
            text += "<rect class=\"\(style)\" x=\"\(n(x))\" y=\"-9\" width=\"10\" height=\"10\" rx=\"2\"/>"
            text += "<text class=\"fact\" x=\"\(n(x + 15))\" y=\"0\">\(words)</text>\n"
            x += 15 + Glyphs.width(words, 11) + 18
        }
        for (style, words) in [("coverage", "coverage"), ("", "colour")] {
            text += "<path class=\"edge \(style)\" d=\"M\(n(x)) -4h26\"/>"
            text += "<text class=\"fact\" x=\"\(n(x + 31))\" y=\"0\">\(words)</text>\n"
            x += 31 + Glyphs.width(words, 11) + 18
        }
        return (text, x)
    }

    private func path(_ way: [(x: Double, y: Double)]) -> String {
        guard var last = way.first else { return "" }
        var text = "M\(n(last.x)) \(n(last.y))"
        for point in way.dropFirst() {
            if abs(point.x - last.x) < 0.5 {
                text += "L\(n(point.x)) \(n(point.y))"
            } else {
                let bend = (point.y - last.y) * 0.5
                text += "C\(n(last.x)) \(n(last.y + bend)) \(n(point.x)) \(n(point.y - bend)) \(n(point.x)) \(n(point.y))"
            }
            last = point
        }
        return text
    }

    private func n(_ value: Double) -> String { Self.side(value) }

    private func escaped(_ text: String) -> String {
        var result = ""
        for scalar in Quoted.onOneLine(text).unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// How wide text is about, without a font: of a sans-serif's letters, rounded up.
private enum Glyphs {
    static func width(_ text: String, _ size: Double, bold: Bool = false) -> Double {
        var em = 0.0
        for scalar in text.unicodeScalars {
            switch scalar {
            case "i", "j", "l", ".", ",", ":", ";", "'", "|", "!", "(", ")", "[", "]", " ", "t", "f", "/", "r", "-": em += 0.33
            case "m", "w", "M", "W", "@", "%", "…", "—": em += 0.92
            case "A"..."Z": em += 0.70
            case "\u{1100}"...: em += 1.05
            default: em += 0.57
            }
        }
        return em * size * (bold ? 1.08 : 1)
    }
}
