import Diagnostics
import LabelpipeKit

/// The parameters of an effect, an entry or an output with their defaults read, once for all nodes.
final class ParameterTable: Sendable {
    let declarations: [ParameterDeclaration]
    /// Of the declarations, which are large: they are not copied only to be asked for it.
    let names: [String]
    /// Whether the document has to write it.
    let isRequired: [Bool]
    /// nil where there is none.
    let defaults: [Term?]
    /// The defaults that are the same for every picture.
    let constants: [String: Value]
    /// The others.
    let varying: [Int]
    /// The parameters that name files.
    let paths: [Int]

    /// - Parameter scale: a default in px is a length like any other: `--scale` multiplies it.
    init(_ parameters: [any AnyParameter], scale: Double) {
        declarations = parameters.map(\.declaration)
        names = declarations.map(\.name)
        isRequired = declarations.map(\.isRequired)
        defaults = declarations.map { Defaults.term(of: $0, scale: scale) }
        var constants: [String: Value] = [:]
        var varying: [Int] = []
        let resolver = Resolver(measures: Measures(base: nil, em: nil))
        for (index, declaration) in declarations.enumerated() {
            guard let term = defaults[index] else { continue }
            if term.isConstant, let value = try? resolver.value(term, declaration) {
                constants[declaration.name] = value
            } else {
                varying.append(index)
            }
        }
        (self.constants, self.varying) = (constants, varying)
        paths = parameters.indices.filter { parameters[$0].declaration.kind == .path }
    }

    func index(of name: String) -> Int? { names.firstIndex(of: name) }
}

/// An effect as the engine uses it.
final class EffectFacts: Sendable {
    /// Makes a node of it.
    let make: @Sendable (Arguments) throws -> EffectKind.Application
    let declaration: EffectDeclaration
    /// The file of a plugin's code.
    let file: String?
    let owner: String
    let table: ParameterTable
    /// Of the entries of each input.
    let entryTables: [ParameterTable?]
    let inputNames: [String]
    /// The input whose text gives the em: the first, or what is measured by another.
    let emInput: Int

    init(_ effect: EffectKind, owner: String, scale: Double) {
        self.owner = owner
        (declaration, file, make) = (effect.declaration, effect.file, effect.make)
        table = ParameterTable(declaration.parameters, scale: scale)
        entryTables = declaration.inputs.map { input in
            if case .entries(let parameters) = input.form { ParameterTable(parameters, scale: scale) } else { nil }
        }
        inputNames = declaration.inputs.map(\.name)
        emInput = declaration.inputs.firstIndex { $0.measuredBy != nil } ?? 0
    }

    var id: String { declaration.id }

    /// Whether something beside the document decides what it draws: fonts, files, a plugin's own.
    var needsInstalled: Bool { declaration.givesText || file != nil || !table.paths.isEmpty }
}

/// A value that a document writes for a parameter.
struct Argument: Sendable {
    /// In the table.
    let index: Int
    let term: Term
    let written: JSONValue
    let isConstant: Bool

    init(index: Int, term: Term, written: JSONValue) {
        (self.index, self.term, self.written) = (index, term, written)
        isConstant = term.isConstant
    }
}

/// What one node, entry or output of a document says; defaults stay in the table.
struct ArgumentList: Sendable {
    let table: ParameterTable
    var written: [Argument]
    /// Where it is written.
    let document: Document
    /// The object that the keys stand in.
    let pointer: JSONPointer

    subscript(name: String) -> Argument? { written.first { table.names[$0.index] == name } }

    func declaration(_ argument: Argument) -> ParameterDeclaration { table.declarations[argument.index] }

    /// The parameters that the document gives a value.
    var names: Set<String> { Set(written.map { table.names[$0.index] }) }

    /// Where the value stands that a pointer of an error leads to, or what of it is nearest; nil for what is not written.
    func position(of pointer: JSONPointer?) -> SourcePosition? {
        guard let tokens = pointer?.tokens, tokens.count > self.pointer.count else { return nil }
        let own = tokens.dropFirst(self.pointer.count)
        guard let first = own.first, var json = self[first]?.written else { return nil }
        for token in own.dropFirst() {
            guard let inner = json[pointer: JSONPointer([token])], !inner.range.isNone else { break }
            json = inner
        }
        return json.range.start
    }

    /// The defaults that hold here and differ from picture to picture.
    var varyingDefaults: [Int] {
        table.varying.isEmpty ? [] : table.varying.filter { index in !written.contains { $0.index == index } }
    }

    /// Whether all that is written is the same for every picture and text.
    var isConstant: Bool {
        for index in written.indices where !written[index].isConstant { return false }
        return true
    }

    var dependence: Dependence {
        if isConstant, table.varying.isEmpty { return [] }
        var dependence = Dependence()
        for argument in written where !argument.isConstant { dependence.formUnion(argument.term.dependence) }
        for index in varyingDefaults { dependence.formUnion(table.defaults[index]?.dependence ?? []) }
        return dependence
    }

    /// The templates that are filled in, defaults included.
    var templates: [(Template, Scope)] {
        if table.varying.isEmpty, isConstant { return [] }
        return written.flatMap(\.term.templates) + varyingDefaults.flatMap { table.defaults[$0]?.templates ?? [] }
    }
}

/// Defaults as terms.
enum Defaults {
    /// A document without parameters: what a default is written in.
    private static let document: Document = {
        let text = "{\"labelpipe\":1,\"output\":\"x\"}"
        guard let document = try? Document(bytes: Array(text.utf8), file: "defaults", folder: "/") else {
            preconditionFailure("the document of the defaults is well-formed")
        }
        return document
    }()

    /// nil where there is none, or where it is not what its own declaration asks for: the registry refuses such effects.
    static func term(of declaration: ParameterDeclaration, scale: Double) -> Term? {
        try? read(declaration, scale: scale).get()
    }

    /// **Errors**: why the default is none.
    static func read(_ declaration: ParameterDeclaration, scale: Double) -> Result<Term?, Diagnostics> {
        guard let json = declaration.defaultValue else { return .success(nil) }
        var findings = Diagnostics()
        let scope = Scope(document: document, bindings: [:], scale: scale)
        let reader = ValueReader(scope: scope, owner: "default", origin: .document) { findings.append($0) }
        // A range says px as they are: at --scale 2 the default may lie beyond it.
        let plain = ParameterDeclaration(
            declaration.name, declaration.kind, .required, range: scale == 1 ? declaration.range : nil, doc: declaration.doc)
        guard case .some(.some(let term)) = reader.term(json, plain, at: .root) else { return .failure(findings) }
        return .success(term)
    }
}
