@_exported public import Diagnostics

/// A node of a graph: an effect with what is connected to it. The same graph as a document's, written in Swift.
///
/// ```swift
/// let label = Node("text.mask", ["text": "© Ann", "size": "4vmin"])
///     .then("fill.solid", ["color": "white"])
///     .then("shadow.drop")
/// let marked = Node("image.source").then("layout.place", ["anchor": "bottom-right", "insets": "3vmin", "label": .node(label)])
/// ```
///
/// Keys and values are those of documents; text is text, also where it begins with `$`. Nothing is checked here:
/// ``Graph/check()`` finds everything that is wrong, as it would in a document.
public struct Node: Sendable {
    public let effect: String
    public let settings: [(key: String, value: Setting)]
    /// The steps before it, from the first.
    let before: [Node]

    /// What stands behind a key.
    public indirect enum Setting: Sendable {
        case value(JSONValue)
        /// Another node, for an input.
        case node(Node)
        /// For a list of layers.
        case nodes([Node])
        /// An entry of a list of layers, with keys of its own.
        case entries([Entry])
        /// Text with {fields}.
        case template(String)
    }

    /// A layer of a list, with opacity, blend and what else the list's entries take.
    public struct Entry: Sendable {
        public let layer: Node
        public let settings: [(key: String, value: JSONValue)]
        public init(_ layer: Node, _ settings: KeyValuePairs<String, JSONValue> = [:]) {
            (self.layer, self.settings) = (layer, settings.map { ($0.key, $0.value) })
        }
    }

    /// A node without a step before it.
    public init(_ effect: String, _ settings: KeyValuePairs<String, Setting> = [:]) {
        self.init(effect, settings, before: [])
    }

    private init(_ effect: String, _ settings: KeyValuePairs<String, Setting>, before: [Node]) {
        (self.effect, self.settings, self.before) = (effect, settings.map { ($0.key, $0.value) }, before)
    }

    /// The next step of a chain: this node is its first input.
    public func then(_ effect: String, _ settings: KeyValuePairs<String, Setting> = [:]) -> Node {
        Node(effect, settings, before: before + [Node(effect: self)])
    }

    /// Without what is before it.
    private init(effect node: Node) { (effect, settings, before) = (node.effect, node.settings, []) }

    // MARK: As a document has it

    var json: JSONValue {
        let own = [Node](before) + [Node(effect: self)]
        return JSONValue(.array(own.map(\.object)))
    }

    private var object: JSONValue {
        JSONValue(
            .object(
                [JSONValue.Member(key: "effect", value: JSONValue(.string(effect)))]
                    + settings.map { JSONValue.Member(key: $0.key, value: $0.value.json) }))
    }
}

extension Node.Setting {
    var json: JSONValue {
        switch self {
        case .value(let value): value.escaped
        case .node(let node): node.json
        case .nodes(let nodes): JSONValue(.array(nodes.map(\.json)))
        case .entries(let entries):
            JSONValue(
                .array(
                    entries.map { entry in
                        JSONValue(
                            .object(
                                [JSONValue.Member(key: "layer", value: entry.layer.json)]
                                    + entry.settings.map { JSONValue.Member(key: $0.key, value: $0.value.escaped) }))
                    }))
        case .template(let text):
            JSONValue(.object([JSONValue.Member(key: "template", value: JSONValue(.string(text)))]))
        }
    }
}

extension JSONValue {
    /// The same value where a leading `$` would mean a parameter.
    fileprivate var escaped: JSONValue {
        switch content {
        case .string(let text) where text.hasPrefix("$"): JSONValue(.string("$" + text))
        case .array(let values): JSONValue(.array(values.map(\.escaped)))
        case .object(let members):
            JSONValue(.object(members.map { JSONValue.Member(key: $0.key, value: $0.value.escaped) }))
        default: self
        }
    }
}

extension Node.Setting: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByStringInterpolation
{
    public init(stringLiteral text: String) { self = .value(JSONValue(.string(text))) }
    public init(floatLiteral number: Double) { self = .value(JSONValue(number)) }
    public init(integerLiteral number: Int) { self = .value(JSONValue(number)) }
    public init(booleanLiteral flag: Bool) { self = .value(JSONValue(.bool(flag))) }
    public init(arrayLiteral values: JSONValue...) { self = .value(JSONValue(.array(values))) }
}
