import Diagnostics
import LabelpipeKit

/// A pipeline document; a plan is made of it for the values of its parameters.
///
/// ```swift
/// let pipeline = try Pipeline(file: "watermark.json", registry: registry)
/// let plan = try pipeline.plan(["owner": .value("© Ann")])
/// ```
public struct Pipeline: Sendable {
    let document: Document
    let source: SourceFile
    let registry: Registry
    /// Of the documents that it uses, once a plan has been made.
    package let texts: DocumentTexts

    /// A value for a parameter, from outside the document.
    public enum Setting: Sendable {
        /// As on a command line: text, or JSON for what is not text. Templates and expressions mean what they mean.
        case written(String)
        /// From a table's cell: its text is text. An empty cell is no value: what holds without it holds.
        /// `folder`: what relative paths are beside.
        case cell(JSONValue, folder: String? = nil)
        /// From a program.
        case value(JSONValue)
    }

    /// **Errors**: what is wrong with the document's syntax, another version of the language, or that it cannot be read.
    /// Everything else is found by `plan`, all at once.
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
        try self.init(bytes: bytes, name: name, folder: folder, registry: registry, texts: DocumentTexts())
    }

    /// - Parameter texts: documents that are known and not read again.
    package init(
        bytes: [UInt8], name: String, folder: String, registry: Registry, texts: DocumentTexts
    ) throws(Diagnostics) {
        document = try Document(bytes: bytes, file: name, folder: folder)
        source = SourceFile(name: name, identity: SmallFile.identity(of: name))
        self.registry = registry
        self.texts = texts
    }

    public var title: String? { document.title }
    public var description: String? { document.description }

    /// What may be set from outside.
    public var parameters: [ParameterDeclaration] {
        document.parameters.filter { !$0.isInternal }.map { $0.declaration(scale: 1) }
    }

    /// Whether the document, or one that it uses and that a plan has read, holds a field's name, whether it is drawn or not.
    package func mentions(field: String) -> Bool {
        let wanted = Array(field.utf8)
        func holds(_ text: [UInt8]) -> Bool {
            var rest = text[...]
            while let start = rest.firstIndex(of: wanted[0]) {
                rest = rest[start...]
                if rest.starts(with: wanted), rest.dropFirst(wanted.count).first.map({ !Document.isNameByte($0) }) ?? true {
                    return true
                }
                rest = rest.dropFirst()
            }
            return false
        }
        return holds(Array(document.root.compact.utf8)) || texts.all.contains { holds($0.bytes) }
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
        try plan(settings, scale: scale, allowsOpen: allowsOpen, isLast: false)
    }

    /// - Parameter isLast: no other plan will be made: the text is let go as soon as it has been read, which is half of what a
    ///   large graph takes.
    package func plan(
        _ settings: [String: Setting], scale: Double, allowsOpen: Bool, isLast: Bool
    ) throws(Diagnostics) -> Plan {
        guard scale > 0, scale.isFinite else {
            throw [Diagnostic("bad-value", file: "--scale", expected: "a scale above 0", got: format(scale))]
        }
        let compiler = Compiler(registry: registry, scale: scale, allowsOpen: allowsOpen, isLast: isLast, texts: texts)
        compiler.findings.append(document.findings)
        checkNames(settings, compiler)
        let scope = bind(settings, compiler)
        let instance = Compiler.Instance(scope: scope, input: nil, isEffect: false, ancestry: [source])
        compiler.readNames(instance)
        let outputs = OutputReader(compiler: compiler, instance: instance, scale: scale).outputs()
        compiler.readAll()
        if isLast { document.forgetText() }
        var linker = Linker(compiler)
        let plan = linker.plan(roots: outputs, scope: scope)
        try compiler.findings.throwIfErrors()
        guard var plan else {
            throw [Diagnostic("bad-document", file: document.file, message: "the document cannot be linked")]
        }
        plan.findings = compiler.findings
        plan.findings.append(plan.emptyTexts)
        return plan
    }

    private func checkNames(_ settings: [String: Setting], _ compiler: Compiler) {
        let declared = parameters.map(\.name)
        for name in settings.keys.sorted() where !declared.contains(name) {
            // A parameter that was refused has been reported.
            if document.declares(name), !name.hasPrefix("_") { continue }
            var help = declared.isEmpty ? "it declares none" : "parameters: \(declared.joined(separator: " "))"
            if document.declares(name) { help = "a parameter that starts with _ cannot be set from outside" }
            compiler.report(
                Diagnostic(
                    "unknown-parameter", file: "--set \(name)",
                    message: "\(document.file) has no parameter \(Quoted.text(name))", help: [help],
                    suggestion: Suggestions.nearest(to: name, in: declared)))
        }
    }

    private func bind(_ settings: [String: Setting], _ compiler: Compiler) -> Scope {
        let binder = Binder(document: document, scale: compiler.scale, allowsOpen: compiler.allowsOpen) { compiler.report($0) }
        return binder.bind { parameter in
            guard !parameter.isInternal, let setting = settings[parameter.name] else { return nil }
            func supply(_ json: JSONValue, _ origin: Origin, _ folder: String?, _ source: String) -> Binder.Supply {
                Binder.Supply(json: json, pointer: .root, scope: nil, origin: origin, folder: folder, source: source)
            }
            switch setting {
            case .written(let text):
                return supply(JSONValue(setting: text, for: parameter.fullKind), .outside, nil, "--set \(parameter.name)")
            case .cell(let value, let folder):
                if value.string == "" { return nil }
                let json = value.string.map { JSONValue(setting: $0, for: parameter.fullKind) } ?? value
                return supply(json, .data, folder, "column \(parameter.name)")
            case .value(let value): return supply(value, .outside, nil, "parameter \(parameter.name)")
            }
        } missing: { parameter in
            compiler.report(
                Diagnostic(
                    "missing-parameter", file: document.file, position: parameter.position, pointer: parameter.pointer,
                    message: "parameter \(Quoted.text(parameter.name)) has no value",
                    help: parameter.isInternal
                        ? ["one that starts with _ cannot be set from outside: give it a \"default\""]
                        : [
                            "give it one: --set \(parameter.name)=…",
                            parameter.declaration(scale: 1).helpLine(owner: "parameter of \(document.file):"),
                        ]))
        }
    }
}

/// Reads the outputs of the run's own document.
struct OutputReader {
    let compiler: Compiler
    let instance: Compiler.Instance
    let table: ParameterTable

    init(compiler: Compiler, instance: Compiler.Instance, scale: Double) {
        (self.compiler, self.instance) = (compiler, instance)
        table = ParameterTable(OutputKeys.all, scale: scale)
    }

    private func report(
        _ code: String, _ position: SourcePosition, _ pointer: JSONPointer, message: String? = nil, expected: String? = nil,
        got: String? = nil, help: [String] = [], suggestion: String? = nil
    ) {
        compiler.report(
            Diagnostic(
                code, file: instance.document.file, position: position, pointer: pointer, message: message,
                expected: expected, got: got, help: help, suggestion: suggestion))
    }

    func outputs() -> [Linker.Root] {
        let root = instance.document.root
        var roots: [Linker.Root] = []
        if let output = root["output"] {
            roots.append(Linker.Root(reference: compiler.later(output, "/output", instance), arguments: list(at: "/output")))
        }
        guard let value = root["outputs"] else { return roots }
        guard let elements = value.elements, !elements.isEmpty else {
            report(
                "bad-value", value.range.start, "/outputs", expected: "a list of { \"node\": NODE, … }",
                got: value.elements == nil ? value.got : "an empty list")
            return roots
        }
        for (index, element) in elements.enumerated() {
            if let root = output(element, JSONPointer(["outputs", String(index)])) { roots.append(root) }
        }
        return roots
    }

    private func list(at pointer: JSONPointer) -> ArgumentList {
        ArgumentList(table: table, written: [], document: instance.document, pointer: pointer)
    }

    private func output(_ element: JSONValue, _ pointer: JSONPointer) -> Linker.Root? {
        guard let members = element.members else {
            report("bad-value", element.range.start, pointer, expected: "an output { \"node\": NODE, … }", got: element.got)
            return nil
        }
        let keys = table.declarations.map(\.name)
        for member in members where member.key != "node" && !member.key.hasPrefix("x-") && !keys.contains(member.key) {
            report(
                "unknown-key", member.keyRange.start, pointer.appending(member.key),
                message: "an output has no \(Quoted.text(member.key))", help: ["keys: node \(keys.joined(separator: " "))"],
                suggestion: Suggestions.nearest(to: member.key, in: keys + ["node"]))
        }
        var arguments = list(at: pointer)
        _ = compiler.read(element, into: &arguments, owner: "output key", instance)
        checkMetadata(element["set"], pointer.appending("set"))
        guard let node = element["node"] else {
            report(
                "missing-key", element.range.start, pointer, message: "missing \"node\"",
                help: ["an output is { \"node\": NODE, \"path\": …, … }"])
            return nil
        }
        return Linker.Root(reference: compiler.later(node, pointer.appending("node"), instance), arguments: arguments)
    }

    private func checkMetadata(_ set: JSONValue?, _ pointer: JSONPointer) {
        for member in set?.members ?? [] where ExifNames.isUnknown(member.key) {
            compiler.report(
                ExifNames.finding(member.key, instance.document, member.keyRange.start, pointer.appending(member.key)))
        }
        for member in set?.members ?? [] where !member.key.hasPrefix("x-") && !OutputKeys.isMetadata(member.key) {
            if set?.members?.count == 1, member.key == "template" { continue }
            report(
                "unknown-key", member.keyRange.start, pointer.appending(member.key),
                message: "no metadata is called \(Quoted.text(member.key))",
                help: ["\(OutputKeys.commonMetadata.joined(separator: " ")), or a name with exif. iptc. xmp."],
                suggestion: Suggestions.nearest(to: member.key, in: OutputKeys.commonMetadata))
        }
    }
}
