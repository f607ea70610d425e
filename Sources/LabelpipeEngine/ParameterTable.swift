import Diagnostics
import LabelpipeKit

/// The parameters of an effect, an entry or an output with their defaults read, once for all nodes.
final class ParameterTable: Sendable {
    let declarations: [ParameterDeclaration]
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

    func index(of name: String) -> Int? { declarations.firstIndex { $0.name == name } }
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

    init(_ effect: EffectKind, owner: String, scale: Double) {
        self.owner = owner
        (declaration, file, make) = (effect.declaration, effect.file, effect.make)
        table = ParameterTable(declaration.parameters, scale: scale)
        entryTables = declaration.inputs.map { input in
            if case .entries(let parameters) = input.form { ParameterTable(parameters, scale: scale) } else { nil }
        }
    }

    var id: String { declaration.id }
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

    subscript(name: String) -> Argument? { written.first { table.declarations[$0.index].name == name } }

    func declaration(_ argument: Argument) -> ParameterDeclaration { table.declarations[argument.index] }

    /// The parameters that the document gives a value.
    var names: Set<String> { Set(written.map { table.declarations[$0.index].name }) }

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

    var dependence: Dependence {
        var dependence = Dependence()
        for argument in written where !argument.isConstant { dependence.formUnion(argument.term.dependence) }
        for index in varyingDefaults { dependence.formUnion(table.defaults[index]?.dependence ?? []) }
        return dependence
    }

    /// The templates that are filled in, defaults included.
    var templates: [(Template, Scope)] {
        written.flatMap(\.term.templates) + varyingDefaults.flatMap { table.defaults[$0]?.templates ?? [] }
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
