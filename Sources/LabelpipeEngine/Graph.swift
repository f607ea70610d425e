import Diagnostics
import LabelpipeKit

/// A plan as people and programs read it.
public enum GraphFormat: String, CaseIterable, Sendable { case text, dot, mermaid, json, svg }

extension Plan {
    /// The plan as text; nil for `svg`, which `GraphDrawing` draws.
    public func graph(_ format: GraphFormat) -> String? {
        switch format {
        case .text: text()
        case .dot: dot()
        case .mermaid: mermaid()
        case .json: json()
        case .svg: nil
        }
    }

    /// The parameters that the document writes, `size 4vmin`.
    private func written(_ node: Node) -> [String] {
        node.arguments.written.map { argument in
            "\(node.arguments.declaration(argument).name) \(shortened(argument.written.string ?? argument.written.compact))"
        }
    }

    private func shortened(_ text: String) -> String { text.count > 60 ? text.prefix(59) + "…" : text }

    private func title(_ index: Int) -> String {
        let node = nodes[index]
        return node.facts.id + (node.name.map { " “\($0)”" } ?? "")
    }

    /// All connections, with what they are called.
    private func edges(of index: Int) -> [(edge: Edge, name: String)] {
        let node = nodes[index]
        return zip(node.facts.declaration.inputs, node.inputs).flatMap { input, edges in
            edges.map { edge in
                let condition = edge.entry?.when.map { " when \($0)" } ?? ""
                return (edge, input.name + condition)
            }
        }
    }

    /// What a node's result may be kept for.
    private func cacheText(_ node: Node) -> String {
        let names = node.dependence.names
        if names.contains("pixels") { return "drawn for each picture" }
        return names.isEmpty ? "drawn once a run" : "drawn once for each \(names.joined(separator: " and "))"
    }

    /// The nodes that draw on the input, where a node's result is still the input but for that; nil: it is something else.
    func touching(_ index: Int) -> [Int]? {
        var touching: [Int] = []
        var index = index
        while nodes[index].facts.id != Language.source {
            let node = nodes[index]
            let inputs = node.facts.declaration.inputs
            guard let drawsOn = node.facts.declaration.drawsOn,
                let place = inputs.firstIndex(where: { $0.name == drawsOn.input }),
                let edge = node.inputs[place].first,
                !node.arguments.written.contains(where: { drawsOn.unlessWritten.contains(node.arguments.declaration($0).name) })
            else { return nil }
            touching.append(index)
            index = edge.node
        }
        return touching.reversed()
    }

    private func text() -> String {
        var text = title.map { "\($0)\n" } ?? ""
        text += "\(document.file): \(count(nodes.count, "node")), \(count(outputs.count, "output"))\n"
        for index in nodes.indices {
            let node = nodes[index]
            text += "\n\(index + 1)  \(title(index))  → \(node.kind.rawValue), \(cacheText(node))\n"
            text += "   \(node.file == document.file ? "" : node.file)\(node.pointer)\n"
            for (input, edges) in zip(node.facts.declaration.inputs, node.inputs) where !edges.isEmpty {
                let numbers = edges.map { "\($0.node + 1)" + ($0.entry?.when.map { " (when \($0))" } ?? "") }
                text += "   \(input.name): \(numbers.joined(separator: " "))\n"
            }
            let parameters = written(node)
            if !parameters.isEmpty { text += "   \(Quoted.onOneLine(parameters.joined(separator: ", ")))\n" }
            if let touching = touching(index), !touching.isEmpty {
                text += "   the input, touched by \(touching.map { "\($0 + 1)" }.joined(separator: ", "))\n"
            }
        }
        text += "\n"
        for output in outputs { text += "output \(output.pointer): \(output.node + 1)\n" }
        return text
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private func dot() -> String {
        func quoted(_ lines: [String]) -> String {
            let escaped = lines.map { Quoted.onOneLine($0).flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" } }
            return "\"" + escaped.joined(separator: "\\n") + "\""
        }
        var text = "digraph pipeline {\n  rankdir=LR\n  node [shape=box, fontname=\"sans-serif\"]\n"
        for index in nodes.indices {
            text += "  n\(index + 1) [label=\(quoted([title(index)] + written(nodes[index])))"
            text += nodes[index].dependence.contains(.pixels) ? "]\n" : ", style=filled, fillcolor=\"#eef4ff\"]\n"
        }
        for index in nodes.indices {
            for (edge, name) in edges(of: index) {
                text += "  n\(edge.node + 1) -> n\(index + 1) [label=\(quoted([name]))"
                text += nodes[edge.node].kind == .coverage ? ", style=dashed]\n" : "]\n"
            }
        }
        for (number, output) in outputs.enumerated() {
            text += "  out\(number + 1) [label=\"output\", shape=oval]\n  n\(output.node + 1) -> out\(number + 1)\n"
        }
        return text + "}\n"
    }

    private func mermaid() -> String {
        func escaped(_ text: String) -> String {
            var result = ""
            for c in Quoted.onOneLine(text) {
                switch c {
                case "\"": result += "#quot;"
                case "#": result += "#35;"
                case "<": result += "#lt;"
                case ">": result += "#gt;"
                case "|": result += "#124;"
                case "`": result += "#96;"
                default: result.append(c)
                }
            }
            return result
        }
        var text = "flowchart LR\n"
        for index in nodes.indices {
            let lines = ([title(index)] + written(nodes[index])).map(escaped)
            text += "  n\(index + 1)[\"\(lines.joined(separator: "<br/>"))\"]\n"
        }
        for index in nodes.indices {
            for (edge, name) in edges(of: index) {
                let arrow = nodes[edge.node].kind == .coverage ? "-.->" : "-->"
                text += "  n\(edge.node + 1) \(arrow)|\"\(escaped(name))\"| n\(index + 1)\n"
            }
        }
        for (number, output) in outputs.enumerated() {
            text += "  out\(number + 1)([output])\n  n\(output.node + 1) --> out\(number + 1)\n"
        }
        return text
    }

    private func json() -> String {
        var writer = JSONWriter()
        writer.object {
            $0.member("document", document.file)
            if let title { $0.member("title", title) }
            $0.key("nodes")
            $0.array { list in
                for index in nodes.indices { write(index, to: &list) }
            }
            $0.key("outputs")
            $0.array { list in
                for output in outputs {
                    list.object {
                        $0.member("pointer", output.pointer.description)
                        $0.member("node", output.node + 1)
                    }
                }
            }
        }
        writer.endLine()
        return writer.text
    }

    private func write(_ index: Int, to writer: inout JSONWriter) {
        let node = nodes[index]
        writer.object {
            $0.member("id", index + 1)
            $0.member("effect", node.facts.id)
            if let name = node.name { $0.member("name", name) }
            $0.member("file", node.file)
            $0.member("pointer", node.pointer.description)
            $0.member("gives", node.kind.rawValue)
            $0.member("depends", node.dependence.names)
            // Absent where it is not the input any more.
            if let touching = touching(index) { $0.member("touched", JSONValue(.array(touching.map { JSONValue($0 + 1) }))) }
            $0.key("inputs")
            $0.object {
                for (input, edges) in zip(node.facts.declaration.inputs, node.inputs) where !edges.isEmpty {
                    $0.member(input.name, JSONValue(.array(edges.map { JSONValue($0.node + 1) })))
                }
            }
            $0.key("parameters")
            $0.object {
                for argument in node.arguments.written {
                    $0.member(node.arguments.declaration(argument).name, argument.written)
                }
            }
        }
    }
}
