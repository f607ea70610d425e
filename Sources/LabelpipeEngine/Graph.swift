import Diagnostics
import LabelpipeKit

/// A plan as people and programs read it.
public enum GraphFormat: String, CaseIterable, Sendable { case text, dot, mermaid, json, svg }

extension Plan {
    /// The plan drawn in a format; nil for `svg`, which is laid out elsewhere.
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
        node.arguments.compactMap { argument in
            guard let value = argument.written else { return nil }
            return "\(argument.declaration.name) \(value.string ?? value.compact)"
        }
    }

    private func title(_ index: Int) -> String {
        let node = nodes[index]
        return node.entry.declaration.id + (node.name.map { " “\($0)”" } ?? "")
    }

    /// What a node's result may be kept for.
    private func cacheText(_ node: Node) -> String {
        let names = node.dependence.names
        if names.contains("pixels") { return "drawn for each picture" }
        return names.isEmpty ? "drawn once a run" : "drawn once for each \(names.joined(separator: " and "))"
    }

    private func text() -> String {
        var text = (title.map { "\($0)\n" } ?? "") + "\(document.file): \(nodes.count) nodes, \(outputs.count) output\(outputs.count == 1 ? "" : "s")\n"
        for index in nodes.indices {
            let node = nodes[index]
            text += "\n\(index + 1)  \(title(index))  → \(node.kind.rawValue), \(cacheText(node))\n"
            text += "   \(node.file == document.file ? "" : node.file)\(node.pointer)\n"
            for (input, edges) in node.inputs where !edges.isEmpty {
                text += "   \(input.name): \(edges.map { "\($0.node + 1)" }.joined(separator: " "))\n"
            }
            let parameters = written(node)
            if !parameters.isEmpty { text += "   \(parameters.joined(separator: ", "))\n" }
        }
        text += "\n"
        for output in outputs { text += "output \(output.pointer): \(output.node + 1)\n" }
        return text
    }

    private func quoted(_ text: String) -> String {
        var result = "\""
        for c in text {
            switch c {
            case "\"", "\\": result += "\\\(c)"
            case "\n", "\r\n": result += "\\n"
            default: result.append(c)
            }
        }
        return result + "\""
    }

    private func dot() -> String {
        var text = "digraph pipeline {\n  rankdir=LR\n  node [shape=box, fontname=\"sans-serif\"]\n"
        for index in nodes.indices {
            let lines = [title(index)] + written(nodes[index])
            text += "  n\(index + 1) [label=\(quoted(lines.joined(separator: "\n")))"
            text += nodes[index].dependence.contains(.pixels) ? "]\n" : ", style=filled, fillcolor=\"#eef4ff\"]\n"
        }
        for index in nodes.indices {
            for (input, edges) in nodes[index].inputs {
                for edge in edges {
                    let kind = nodes[edge.node].kind
                    text += "  n\(edge.node + 1) -> n\(index + 1) [label=\(quoted(input.name))"
                    text += kind == .coverage ? ", style=dashed]\n" : "]\n"
                }
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
            for c in text {
                switch c {
                case "\"": result += "#quot;"
                case "#": result += "#35;"
                case "<": result += "#lt;"
                case ">": result += "#gt;"
                case "\n", "\r\n": result += " "
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
            for (input, edges) in nodes[index].inputs {
                for edge in edges {
                    let arrow = nodes[edge.node].kind == .coverage ? "-.->" : "-->"
                    text += "  n\(edge.node + 1) \(arrow)|\(input.name)| n\(index + 1)\n"
                }
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
                for index in nodes.indices {
                    let node = nodes[index]
                    list.object {
                        $0.member("id", index + 1)
                        $0.member("effect", node.entry.declaration.id)
                        if let name = node.name { $0.member("name", name) }
                        $0.member("file", node.file)
                        $0.member("pointer", node.pointer.description)
                        $0.member("gives", node.kind.rawValue)
                        $0.member("depends", node.dependence.names)
                        $0.key("inputs")
                        $0.object {
                            for (input, edges) in node.inputs where !edges.isEmpty {
                                $0.member(input.name, JSONValue(.array(edges.map { JSONValue($0.node + 1) })))
                            }
                        }
                        $0.key("parameters")
                        $0.object {
                            for argument in node.arguments {
                                if let value = argument.written { $0.member(argument.declaration.name, value) }
                            }
                        }
                    }
                }
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
}
