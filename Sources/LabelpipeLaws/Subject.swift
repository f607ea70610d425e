public import Diagnostics
public import LabelpipeEngine
public import LabelpipeKit

/// A node of a document with what reaches it: what laws are run over.
public struct Subject: Sendable, CustomStringConvertible {
    public let declaration: EffectDeclaration
    /// Where it stands.
    let origin: LawDocument
    private let nodes: JSONValue
    /// The steps of the chain before the node.
    private var before: [JSONValue]
    /// The node itself.
    public private(set) var node: JSONValue

    public var description: String { "\(declaration.id) in \(origin.name)" }

    /// Every node of every document, by effect.
    public static func all(in cases: [LawDocument], _ registry: Registry) throws -> [String: [Subject]] {
        var found: [String: [Subject]] = [:]
        for one in cases {
            let document = try JSONValue.parse(Array(one.text.utf8), file: one.name)
            // What a parameter stands for is not known here.
            if document["parameters"] != nil { continue }
            let nodes = document["nodes"] ?? [:]
            var walk = Walk(registry: registry, origin: one, nodes: nodes)
            walk.visit(document["output"] ?? [], [])
            for node in nodes.members ?? [] { walk.visit(node.value, []) }
            for subject in walk.found { found[subject.declaration.id, default: []].append(subject) }
        }
        return found
    }

    private struct Walk {
        let registry: Registry
        let origin: LawDocument
        let nodes: JSONValue
        var found: [Subject] = []

        mutating func visit(_ value: JSONValue, _ before: [JSONValue]) {
            if let steps = value.elements {
                for (index, step) in steps.enumerated() { visit(step, Array(steps[..<index])) }
                return
            }
            guard let id = value["effect"]?.string, let declaration = registry[id]?.declaration else { return }
            found.append(Subject(declaration: declaration, origin: origin, nodes: nodes, before: before, node: value))
            for input in declaration.inputs {
                guard let connected = value[input.name] else { continue }
                if input.isList {
                    for element in connected.elements ?? [] { visit(element["layer"] ?? element, []) }
                } else {
                    visit(connected, [])
                }
            }
        }
    }

    // MARK: Changing it

    /// With other parameters; nil takes one out.
    public func setting(_ values: [String: JSONValue?]) -> Subject {
        var members = (node.members ?? []).filter { values[$0.key] == nil }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            if let value { members.append(JSONValue.Member(key: key, value: value)) }
        }
        var subject = self
        subject.node = JSONValue(.object(members))
        return subject
    }

    /// With a step more between the inputs called `names` (nil: all) and the node.
    public func preceded(by step: JSONValue, at names: [String]? = nil) -> Subject {
        var subject = self
        if let first = declaration.inputs.first, !before.isEmpty, names?.contains(first.name) ?? true {
            subject.before.append(step)
        }
        func chained(_ value: JSONValue) -> JSONValue {
            if value["layer"] != nil { return value.replacing(["layer"]) { chained($0) } }
            return JSONValue(.array((value.elements ?? [value]) + [step]))
        }
        for input in declaration.inputs where names?.contains(input.name) ?? true {
            guard let connected = node[input.name] else { continue }
            let changed = input.isList ? JSONValue(.array((connected.elements ?? []).map(chained))) : chained(connected)
            subject.node = subject.node.replacing([input.name]) { _ in changed }
        }
        return subject
    }

    /// Whether something is connected to an input.
    public func isConnected(_ input: Input) -> Bool {
        node[input.name] != nil || (input.name == declaration.inputs.first?.name && !before.isEmpty)
    }

    /// What is connected to the first input (of a list: its first element), by itself.
    public var firstInput: JSONValue? {
        if !before.isEmpty { return JSONValue(.array(before)) }
        guard let input = declaration.inputs.first, let connected = node[input.name] else { return nil }
        guard input.isList else { return connected }
        return connected.elements?.first.map { $0["layer"] ?? $0 }
    }

    // MARK: Drawing it

    /// The layer that the node gives.
    public func layer(_ registry: Registry) throws -> Layer { try layer(of: JSONValue(.array(before + [node])), registry) }

    /// The layer of anything else in the same document.
    public func layer(of output: JSONValue, _ registry: Registry) throws -> Layer { try document(output).layer(registry) }

    /// Whether something in the same document is not painted yet.
    public func isMask(_ output: JSONValue, _ registry: Registry) -> Bool {
        let steps = (output.elements ?? [output]) + [["effect": "mask.grow", "by": 0]]
        return (try? layer(of: JSONValue(.array(steps)), registry)) != nil
    }

    /// What is wrong with the node, by the keys of it that are.
    public func findings(_ registry: Registry) -> [(key: String, finding: Diagnostic)] {
        let one = document(JSONValue(.array(before + [node])))
        do {
            let pipeline = try Pipeline(bytes: Array(one.text.utf8), name: one.name, folder: one.folder, registry: registry)
            _ = try pipeline.plan()
            return []
        } catch {
            let own = ["output", "\(before.count)"]
            return error.all.map { finding in
                let tokens = finding.pointer?.tokens ?? []
                return (Array(tokens.prefix(2)) == own && tokens.count > 2 ? tokens[2...].joined(separator: "/") : "", finding)
            }
        }
    }

    /// Outputs take colour: `law.paint` makes it of masks.
    private func document(_ output: JSONValue) -> LawDocument {
        let output: JSONValue = .init(.array((output.elements ?? [output]) + [["effect": "law.paint"]]))
        let members: [(String, JSONValue)] = [("labelpipe", 1), ("nodes", nodes), ("output", output)]
        let text = JSONValue(.object(members.map { JSONValue.Member(key: $0.0, value: $0.1) })).compact
        return LawDocument(name: origin.name, text: text, folder: origin.folder)
    }
}

extension Input {
    var isList: Bool {
        switch form {
        case .many, .entries: true
        case .one, .optional: false
        }
    }
}

extension JSONValue {
    /// With another value at a pointer; nil takes it out.
    public func replacing(_ pointer: ArraySlice<String>, by change: (JSONValue) -> JSONValue?) -> JSONValue {
        guard let token = pointer.first else { return change(self) ?? nil }
        let rest = pointer.dropFirst()
        func changed(_ value: JSONValue) -> JSONValue? { rest.isEmpty ? change(value) : value.replacing(rest, by: change) }
        switch content {
        case .object(let members):
            return JSONValue(
                .object(
                    members.compactMap { member in
                        member.key == token
                            ? changed(member.value).map { Member(key: member.key, value: $0) } : member
                    }))
        case .array(let elements):
            return JSONValue(.array(elements.enumerated().compactMap { "\($0)" == token ? changed($1) : $1 }))
        default: return self
        }
    }
}
