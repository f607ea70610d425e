import Diagnostics
import LabelpipeKit

/// A pipeline document, read and structurally checked; a plan is made of it for the values of its parameters.
///
/// ```swift
/// let pipeline = try Pipeline(file: "watermark.json", registry: registry)
/// let plan = try pipeline.plan(["owner": "© Ann"])
/// ```
public struct Pipeline: Sendable {
    let document: Document
    let registry: Registry

    /// A value for a parameter, from outside the document.
    public enum Setting: Sendable {
        /// As on a command line: text, or JSON for what is not text. Templates and expressions mean what they mean.
        case written(String)
        /// From a table's cell: its text is text.
        case cell(JSONValue)
        /// From a program.
        case value(JSONValue)
    }

    /// **Errors**: what is wrong with the document's syntax and top level, or that it cannot be read.
    public init(file: String, registry: Registry) throws(Diagnostics) {
        let bytes: [UInt8]
        do {
            bytes = try SmallFile.read(file, limit: JSONLimits.document.maximumBytes)
        } catch {
            throw [
                Diagnostic("cannot-read", file: file, message: "cannot read the document: \(error.message)")
            ]
        }
        try self.init(bytes: bytes, name: file, folder: Paths.folder(of: file), registry: registry)
    }

    /// - Parameters:
    ///   - name: how messages call the document.
    ///   - folder: what its paths are relative to.
    public init(bytes: [UInt8], name: String, folder: String, registry: Registry) throws(Diagnostics) {
        document = try Document(bytes: bytes, file: name, folder: folder)
        self.registry = registry
    }

    public var title: String? { document.title }
    public var description: String? { document.description }

    /// What may be set from outside.
    public var parameters: [ParameterDeclaration] {
        document.parameters.filter { !$0.isInternal }.map(\.declaration)
    }

    /// The graph for these values.
    ///
    /// - Parameters:
    ///   - settings: by parameter name.
    ///   - scale: what every px length is multiplied by where it is written.
    ///   - allowsOpen: parameters without a value are no error; the plan cannot be run then.
    /// **Errors**: everything that is wrong, sorted by position.
    public func plan(
        _ settings: [String: Setting] = [:], scale: Double = 1, allowsOpen: Bool = false
    ) throws(Diagnostics) -> Plan {
        let compiler = Compiler(registry: registry, scale: scale, allowsOpen: allowsOpen)
        let declared = parameters.map(\.name)
        for name in settings.keys.sorted() where !declared.contains(name) {
            compiler.report(
                Diagnostic(
                    "unknown-parameter", file: "--set \(name)", message: "\(document.file) has no parameter \(Quoted.text(name))",
                    help: declared.isEmpty ? ["it declares none"] : ["parameters: \(declared.joined(separator: " "))"],
                    suggestion: Suggestions.nearest(to: name, in: declared)))
        }
        let binder = Binder(document: document, scale: scale, allowsOpen: allowsOpen) { compiler.report($0) }
        let scope = binder.bind { parameter in
            guard !parameter.isInternal, let setting = settings[parameter.name] else { return nil }
            switch setting {
            case .written(let text):
                return Binder.Supply(
                    json: JSONValue(setting: text, for: parameter.fullKind), pointer: .root, scope: nil,
                    isLiteral: parameter.kind != .template, source: "--set \(parameter.name)")
            case .cell(let value):
                let json = value.string.map { JSONValue(setting: $0, for: parameter.fullKind) } ?? value
                return Binder.Supply(json: json, pointer: .root, scope: nil, isLiteral: true, source: "column \(parameter.name)")
            case .value(let value):
                return Binder.Supply(
                    json: value, pointer: .root, scope: nil, isLiteral: parameter.kind != .template,
                    source: "parameter \(parameter.name)")
            }
        } missing: { parameter in
            compiler.report(
                Diagnostic(
                    "missing-parameter", file: document.file, position: parameter.position, pointer: parameter.pointer,
                    message: "parameter \(Quoted.text(parameter.name)) has no value",
                    help: ["give it one: --set \(parameter.name)=…", parameter.declaration.helpLine(owner: "parameter of \(document.file)")]))
        }
        let instance = Compiler.Instance(scope: scope, input: nil, isEffect: false, ancestry: [document.file])
        compiler.readNames(instance)
        let outputs = readOutputs(compiler, instance)
        let plan = Linker(compiler: compiler).plan(outputs: outputs, scope: scope)
        try compiler.findings.throwIfErrors()
        guard let plan else {
            throw [Diagnostic("bad-document", file: document.file, message: "the document cannot be linked")]
        }
        return plan
    }

    private func readOutputs(
        _ compiler: Compiler, _ instance: Compiler.Instance
    ) -> [(reference: Compiler.Reference, arguments: [Argument], pointer: JSONPointer)] {
        if let output = document.root["output"] {
            let reference = compiler.read(output, "/output", instance, name: nil)
            return [(reference, outputArguments(nil, "/output", compiler, instance), "/output")]
        }
        guard let value = document.root["outputs"] else { return [] }
        guard let elements = value.elements, !elements.isEmpty else {
            compiler.report(
                Diagnostic(
                    "bad-value", file: document.file, position: value.range.start, pointer: "/outputs",
                    expected: "a list of { \"node\": NODE, … }", got: value.got))
            return []
        }
        var outputs: [(reference: Compiler.Reference, arguments: [Argument], pointer: JSONPointer)] = []
        for (index, element) in elements.enumerated() {
            let pointer = JSONPointer(["outputs", String(index)])
            guard element.members != nil, let node = element["node"] else {
                compiler.report(
                    Diagnostic(
                        "missing-key", file: document.file, position: element.range.start, pointer: pointer,
                        message: "missing \"node\"", help: ["an output is { \"node\": NODE, \"path\": …, … }"]))
                continue
            }
            let reference = compiler.read(node, pointer.appending("node"), instance, name: nil)
            outputs.append((reference, outputArguments(element, pointer, compiler, instance), pointer))
        }
        return outputs
    }

    private func outputArguments(
        _ value: JSONValue?, _ pointer: JSONPointer, _ compiler: Compiler, _ instance: Compiler.Instance
    ) -> [Argument] {
        let known = OutputKeys.all.map(\.declaration)
        for member in value?.members ?? []
        where member.key != "node" && !member.key.hasPrefix("x-") && !known.contains(where: { $0.name == member.key }) {
            compiler.report(
                Diagnostic(
                    "unknown-key", file: document.file, position: member.keyRange.start, pointer: pointer.appending(member.key),
                    message: "an output has no \(Quoted.text(member.key))",
                    help: ["keys: node \(known.map(\.name).joined(separator: " "))"],
                    suggestion: Suggestions.nearest(to: member.key, in: known.map(\.name))))
        }
        let reader = ValueReader(scope: instance.scope, owner: "output key") { compiler.report($0) }
        var arguments: [Argument] = []
        for declared in known {
            if let json = value?[declared.name],
                case .some(.some(let argument)) = reader.argument(json, declared, at: pointer.appending(declared.name))
            {
                arguments.append(argument)
            } else if let term = Defaults.term(of: declared) {
                arguments.append(
                    Argument(declaration: declared, term: term, written: nil, pointer: pointer, file: document.file))
            }
        }
        return arguments
    }
}
