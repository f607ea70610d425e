import Diagnostics
import LabelpipeKit

/// What an editor shows of a document: its nodes and parameters with what may be written and the places where it is, in bytes of
/// the document's text.
extension Plan {
    /// Writes the members `title takesInput nodes outputs parameters`.
    package func writeControls(to writer: inout JSONWriter) {
        if let title { writer.member("title", title) }
        writer.member("takesInput", takesInput)
        writer.key("outputs")
        writer.array { list in for output in outputs { list.number(output.node) } }
        writer.key("nodes")
        writer.array { list in
            for summary in summaries { list.object { write(summary, to: &$0) } }
            let written = components.compactMap { component in
                document.root[pointer: component.pointer].map { (component, $0) }
            }
            for (component, json) in written.sorted(by: { $0.1.range.start < $1.1.range.start }) {
                list.object { write(component, json, to: &$0) }
            }
        }
        writer.key("parameters")
        writer.array { list in
            for parameter in document.parameters {
                let value = document.root[pointer: parameter.pointer.appending("default")]
                let json = document.root[pointer: parameter.pointer]
                list.object {
                    parameter.declaration(scale: 1).writeMembers(to: &$0)
                    $0.place(value, insert: json?["type"]?.range.end, key: "default")
                }
            }
        }
    }

    /// A document used as an effect: its parameters are the node's keys, and what flows out of it is that of its last node.
    private func write(_ component: Component, _ json: JSONValue, to writer: inout JSONWriter) {
        writer.member("index", component.node)
        writer.member("effect", component.effect)
        writer.member("file", document.file)
        writer.member("pointer", component.pointer.description)
        writer.member("gives", nodes[component.node].kind.rawValue)
        guard let effect = json["effect"] else { return }
        writer.member("start", json.range.start.offset)
        writer.member("end", json.range.end.offset)
        writer.key("parameters")
        writer.array { list in
            for parameter in component.document.parameters where !parameter.isInternal {
                list.object {
                    parameter.declaration(scale: 1).writeMembers(to: &$0)
                    $0.place(json[parameter.name], insert: effect.range.end, key: parameter.name)
                }
            }
        }
    }

    private func write(_ summary: NodeSummary, to writer: inout JSONWriter) {
        let node = nodes[summary.index]
        writer.member("index", summary.index)
        writer.member("effect", summary.effect)
        if let name = summary.name { writer.member("name", name) }
        writer.member("file", summary.file)
        writer.member("pointer", summary.pointer)
        writer.member("gives", summary.kind)
        // Of another document's node nothing can be written here.
        guard node.arguments.document === document, let json = document.root[pointer: node.pointer],
            let effect = json["effect"], effect.string == summary.effect
        else { return }
        writer.member("start", json.range.start.offset)
        writer.member("end", json.range.end.offset)
        writer.key("parameters")
        writer.array { list in
            for parameter in node.facts.declaration.parameters {
                list.object {
                    parameter.declaration.writeMembers(to: &$0)
                    $0.place(json[parameter.declaration.name], insert: effect.range.end, key: parameter.declaration.name)
                }
            }
        }
    }
}

extension JSONWriter {
    /// Where a value stands, or where its key can be written behind another.
    fileprivate mutating func place(_ value: JSONValue?, insert: SourcePosition?, key: String) {
        member("key", key)
        if let value, !value.range.isNone {
            member("written", value.compact)
            member("start", value.range.start.offset)
            member("end", value.range.end.offset)
        } else if let insert {
            member("insert", insert.offset)
        }
    }
}
