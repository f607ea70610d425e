import Diagnostics
import LabelpipeKit

/// Gives a document's parameters their values.
struct Binder {
    /// A value from outside the parameter's own declaration.
    struct Supply {
        let json: JSONValue
        let pointer: JSONPointer
        /// What wrote it; nil: the command line, a program or a table's row.
        let scope: Scope?
        let origin: Origin
        /// What relative paths in it are beside, where no document wrote it.
        var folder: String?
        /// How messages name where it comes from, where no document wrote it.
        var source: String?
    }

    let document: Document
    let scale: Double
    let allowsOpen: Bool
    let report: (Diagnostic) -> Void

    /// All parameters, in order: a default may use those before it.
    func bind(supply: (Document.Declared) -> Supply?, missing: (Document.Declared) -> Void) -> Scope {
        var bindings: [String: Scope.Binding] = [:]
        for parameter in document.parameters {
            // No scope outlives this call but for what a template keeps: the dictionary is never copied.
            switch binding(parameter, supply(parameter), bindings) {
            case .some(.some(let binding)): bindings[parameter.name] = binding
            case .some(nil): missing(parameter)
            case nil: break
            }
        }
        return Scope(document: document, bindings: bindings, scale: scale)
    }

    /// nil: refused and reported. `.some(nil)`: it has no value.
    private func binding(
        _ parameter: Document.Declared, _ supply: Supply?, _ bindings: [String: Scope.Binding]
    ) -> Scope.Binding?? {
        let own = Scope(document: document, bindings: bindings, scale: scale)
        var initial = Scope.Binding?.none
        if let json = parameter.initial {
            let supply = Supply(json: json, pointer: parameter.pointer.appending("default"), scope: own, origin: .document)
            // A default is checked also where it is not used.
            initial = bound(parameter, supply, own, isDefault: true)
        }
        if let supply {
            guard let binding = bound(parameter, supply, own, isDefault: false) else { return nil }
            // An absent value counts as not written.
            guard case .absent = binding.content, !parameter.isOptional else { return binding }
        }
        if let initial { return initial }
        if parameter.initial != nil { return nil }
        return allowsOpen ? Scope.Binding(content: .open, folder: document.folder) : .some(nil)
    }

    /// nil: refused and reported.
    private func bound(_ parameter: Document.Declared, _ supply: Supply, _ own: Scope, isDefault: Bool) -> Scope.Binding? {
        let writer =
            supply.scope
            ?? Scope(document: document, bindings: own.bindings, scale: scale, folder: supply.folder ?? Paths.workingFolder)
        let report = { (finding: Diagnostic) in
            var finding = finding
            if let source = supply.source {
                finding.file = source
                finding.position = nil
                finding.pointer = nil
            }
            self.report(finding)
        }
        if supply.json.isNull { return Scope.Binding(content: .absent, folder: writer.folder) }
        let declaration = parameter.declaration(scale: scale)
        let owner = "parameter of \(document.file):"
        if let choices = parameter.choices {
            return Choosing(
                parameter: parameter, choices: choices, declaration: declaration, owner: owner, writer: writer,
                origin: supply.origin, pointer: supply.pointer, report: report
            ).binding(of: supply.json, in: own)
        }
        let reader = ValueReader(
            scope: writer, owner: owner, origin: supply.origin, takesWords: isDefault, report: report)
        switch reader.term(supply.json, declaration, at: supply.pointer) {
        case nil: return openBinding(supply.json, writer)
        case .some(nil): return Scope.Binding(content: .absent, folder: writer.folder)
        case .some(.some(.list(let all))) where all.isEmpty && !isDefault && parameter.initial?.elements?.isEmpty == false:
            // Who lists nothing where something is listed by default chooses nothing else.
            return Scope.Binding(content: .absent, folder: writer.folder)
        case .some(.some(let term)):
            return Scope.Binding(
                limited(term, declaration, kind: parameter.fullKind), kind: parameter.fullKind, folder: writer.folder)
        }
    }

    /// `$name` of a parameter that is still open is open too; nil for anything else.
    private func openBinding(_ json: JSONValue, _ writer: Scope) -> Scope.Binding? {
        guard allowsOpen, let text = json.string, text.hasPrefix("$"),
            case .open? = writer.bindings[String(text.dropFirst())]?.content
        else { return nil }
        return Scope.Binding(content: .open, folder: writer.folder)
    }

    /// A range that only a picture can decide about goes with the value.
    private func limited(_ term: Term, _ declaration: ParameterDeclaration, kind: Kind) -> Term {
        guard let range = declaration.range, !term.isConstant else { return term }
        func limited(_ c: Calculation) -> Calculation {
            c.constant == nil ? .limited(c, range, parameter: declaration.name) : c
        }
        switch term {
        case .scalar(let c): return .scalar(limited(c))
        case .own(let c): return .own(limited(c))
        case .insets(let a, let b, let c, let d):
            return .insets(top: limited(a), left: limited(b), bottom: limited(c), right: limited(d))
        case .offset(let a, let b): return .offset(limited(a), limited(b))
        case .size(let a, let b): return .size(a.map(limited), b.map(limited))
        case .list(let all): return .list(all.map { self.limited($0, declaration, kind: kind) })
        default: return term
        }
    }
}

extension Scope.Binding {
    /// A value, with what it costs to work it out.
    init(_ term: Term, kind: Kind, folder: String) {
        self.init(content: .term(term, kind), folder: folder)
        for (template, scope) in term.templates {
            parts += template.lookups
            for field in template.fields {
                guard let binding = scope.bindings[field] else { continue }
                parts += binding.parts
                depth = max(depth, binding.depth + 1)
            }
        }
    }
}
