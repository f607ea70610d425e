import Diagnostics
import LabelpipeKit

extension Reading {
    /// What `$name` is where `kind` is wanted.
    func parameter(_ name: String, _ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        guard let binding = scope.bindings[name] else { return unbound(name, json, kind, pointer) }
        switch binding.content {
        case .absent: return .some(nil)
        case .open: return nil
        case .chosen(let value):
            if takesWords, kind == .string || kind == .template, let word = binding.words?.string {
                return .value(.string(word))
            }
            return chosen(value, name, json, kind, pointer)
        case .term(let term, let has):
            if kind == .path, has != .path, case .value(.string(let text)) = term {
                return path(text, beside: binding.folder, json, pointer, got: "\"$\(name)\", which is \(Quoted.text(text))")
            }
            if let converted = converted(term, from: has, to: kind, folder: binding.folder) { return converted }
            if case .late = term {
                return fail(json, kind, pointer, got: "\"$\(name)\", whose template only a picture can fill in")
            }
            let got =
                kind.isNumeric && has.isNumeric
                ? "\"$\(name)\", which is \(constantText(term, has) ?? has.phrase)" : "\"$\(name)\", which is \(has.phrase)"
            return fail(json, kind, pointer, got: got)
        }
    }

    private func constantText(_ term: Term, _ kind: Kind) -> String? {
        guard case .scalar(let c) = term, let n = c.constant else { return nil }
        return format(n) + (kind.isLength ? "px" : "")
    }

    /// The value of a choice, read as what this place wants.
    private func chosen(_ value: JSONValue, _ name: String, _ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        guard hops < Language.maximumDepth else {
            return fail(json, kind, pointer, got: "\"$\(name)\", which stands for itself")
        }
        var reading = self
        reading.hops += 1
        reading.report = { finding in
            var finding = finding
            finding.position = json.range.start
            finding.pointer = pointer
            if hops == 0 { finding.help.append("\"$\(name)\" stands for \(value.got) here") }
            self.report(finding)
        }
        return reading.term(value, kind, pointer)
    }

    private func unbound(_ name: String, _ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        if scope.document.declares(name) {
            // A parameter that could not be read has been reported already; one declared later is not there yet.
            if scope.document.isTooEarly(pointer, toUse: name) {
                report(
                    Diagnostic(
                        "unknown-parameter", file: scope.document.file, position: json.range.start, pointer: pointer,
                        message: "\"$\(name)\" is not declared before this",
                        help: ["a default may use the parameters that stand before it"]))
            }
            return nil
        }
        let names = scope.document.parameters.map(\.name)
        var help = names.isEmpty ? "the document declares no parameters" : "parameters: \(names.joined(separator: " "))"
        if kind == .string || kind == .template || kind == .path { help += "; text that begins with $ is written $$" }
        report(
            Diagnostic(
                "unknown-parameter", file: scope.document.file, position: json.range.start, pointer: pointer,
                message: "unknown parameter \"$\(name)\"", help: [help],
                suggestion: Suggestions.nearest(to: name, in: names).map { "$" + $0 }))
        return nil
    }

    /// A parameter's value where another kind is wanted; nil where that makes no sense.
    private func converted(_ term: Term, from has: Kind, to wanted: Kind, folder: String) -> Term? {
        if has == wanted { return term }
        if case .either(let kinds) = wanted {
            for kind in kinds {
                if let term = converted(term, from: has, to: kind, folder: folder) { return term }
            }
            return nil
        }
        switch term {
        case .late(let template, let scope, let declaration) where has.converts(to: wanted):
            // Read as what is wanted, once it is known.
            return .late(
                template, scope,
                ParameterDeclaration(declaration.name, wanted, .required, range: declaration.range, doc: declaration.doc))
        case .text(let template, let scope):
            switch wanted {
            case .string, .template: return term
            case .path, .choice, .anchor, .color:
                return .late(template, scope, ParameterDeclaration(declaration.name, wanted, .required, doc: declaration.doc))
            default: return nil
            }
        case .value(.string(let text)):
            switch wanted {
            case .string, .template: return term
            case .path: return text.utf8.contains(0) ? nil : .value(.string(Paths.absolute(text, in: folder)))
            case .choice, .anchor, .color:
                var reading = self
                reading.origin = .data
                reading.report = { _ in }
                return reading.term(JSONValue(.string(text)), wanted, .root).flatMap { $0 }
            default: return nil
            }
        case .value(.color(let color)): return wanted == .paint ? .value(.paint(.color(color))) : nil
        case .value(.paint(.color(let color))): return wanted == .color ? .value(.color(color)) : nil
        case .scalar(let c): return converted(c, from: has, to: wanted)
        case .offset(let x, let y): return wanted == .size ? .size(x, y) : nil
        case .size(let width?, let height?): return wanted == .offset ? .offset(width, height) : nil
        case .list(let terms):
            guard case .list(let element) = has, case .list(let other) = wanted else { return nil }
            let all = terms.compactMap { converted($0, from: element, to: other, folder: folder) }
            return all.count == terms.count ? .list(all) : nil
        default: return nil
        }
    }

    private func converted(_ c: Calculation, from has: Kind, to wanted: Kind) -> Term? {
        switch (has, wanted) {
        case (.integer, .number), (.integer, .angle), (.number, .angle), (.angle, .number): return .scalar(c)
        case (.number, .integer), (.angle, .integer):
            return c.constant.flatMap { $0.rounded() == $0 ? .scalar(c) : nil }
        case (.length, .ownLength): return .own(c)
        case (.length, .insets): return .insets(top: c, left: c, bottom: c, right: c)
        case (.number, _) where wanted.isLength, (.integer, _) where wanted.isLength:
            // Here the number becomes px: this is where it is written.
            return converted(c * .length(scope.scale, .px), from: .length, to: wanted == .length ? .ownLength : wanted)
                .map { if wanted == .length, case .own(let c) = $0 { .scalar(c) } else { $0 } }
        default: return nil
        }
    }
}

extension Kind {
    var isNumeric: Bool {
        switch self {
        case .number, .integer, .angle, .length, .ownLength: true
        default: false
        }
    }

    /// Whether a text that is a value of this kind may be read as one of the other.
    fileprivate func converts(to other: Kind) -> Bool {
        switch (self, other) {
        case (.number, _), (.integer, _): other.isNumeric || other == .insets
        case (.angle, .number), (.length, .ownLength), (.length, .insets), (.color, .paint): true
        default: false
        }
    }
}
