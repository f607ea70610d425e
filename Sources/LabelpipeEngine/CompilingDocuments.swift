import Diagnostics
import LabelpipeKit

/// Documents used as effects.
extension Compiler {
    func use(
        _ path: String, _ effect: JSONValue, _ value: JSONValue, _ pointer: JSONPointer, _ outer: Instance,
        feed: Reference?, isLeftOut: Bool
    ) -> Reference {
        let at = pointer.appending("effect")
        let file = Paths.join(outer.document.folder, path)
        let opened: DocumentLibrary.Opened
        switch open(file) {
        case .success(let found): opened = found
        case .failure(.unreadable(let why)):
            report(
                "cannot-read", outer, effect.range.start, at, message: "cannot read the document \(Quoted.text(file)): \(why)")
            return .broken
        case .failure(.invalid(let wrong)):
            findings.append(wrong)
            return .broken
        }
        let document = opened.document
        findings.append(document.findings)
        let ancestry = outer.ancestry + [opened.source]
        if let first = outer.ancestry.firstIndex(where: { $0.isSame(as: opened.source) }) {
            report(
                "document-ring", outer, effect.range.start, at,
                message: "documents use each other in a ring: "
                    + ancestry[first...].map(\.name).joined(separator: " → "))
            return .broken
        }
        guard ancestry.count <= Language.maximumDocuments else {
            report(
                "too-deep", outer, effect.range.start, at,
                expected: "at most \(Language.maximumDocuments) documents inside each other", got: "more")
            return .broken
        }
        var input = feed
        if let json = value["input"] {
            if feed != nil {
                reportFedTwice("input", json, pointer.appending("input"), outer)
            } else {
                input = later(json, pointer.appending("input"), outer)
            }
        }
        let scope = bind(document, path, value, pointer, outer, isLeftOut: isLeftOut)
        var inner = input
        let use = input.map { add(Use(input: $0)) }
        if let use { inner?.crossings.insert(.leave(use: use), at: 0) }
        let instance = Instance(scope: scope, input: inner, isEffect: true, ancestry: ancestry)
        readNames(instance)
        var output = soleOutput(instance, effect, at, outer)
        if let use {
            output.crossings.insert(.enter(use: use), at: 0)
            if !isLeftOut {
                afterwards { [self] in
                    guard !instance.usesSource else { return }
                    report(
                        "unused-input", outer, value.range.start, pointer,
                        message: "\(path) takes no input: it has no image.source",
                        help: ["place its result with layout.place, as \"label\""])
                }
            }
        }
        if !outer.isEffect {
            add(Component(effect: path, document: document, pointer: pointer, output: output))
        }
        return output
    }

    /// The parameters of a document used as an effect are the node's keys.
    func bind(
        _ document: Document, _ path: String, _ value: JSONValue, _ pointer: JSONPointer, _ outer: Instance, isLeftOut: Bool
    ) -> Scope {
        let declared = document.parameters.filter { !$0.isInternal }.map(\.name)
        for member in value.members ?? [] {
            let key = member.key
            if ["effect", "when", "input"].contains(key) || key.hasPrefix("x-") || declared.contains(key) { continue }
            // A parameter that was refused has been reported.
            if document.declares(key), !key.hasPrefix("_") { continue }
            report(
                "unknown-key", outer, member.keyRange.start, pointer.appending(key),
                message: "\(path) has no parameter \(Quoted.text(key))",
                help: [declared.isEmpty ? "it declares none" : "parameters: \(declared.joined(separator: " "))"],
                suggestion: nearest(to: key, in: declared))
        }
        let binder = Binder(document: document, scale: scale, allowsOpen: allowsOpen) { self.report($0) }
        return binder.bind { parameter in
            guard !parameter.isInternal, let json = value[parameter.name] else { return nil }
            return Binder.Supply(
                json: json, pointer: pointer.appending(parameter.name), scope: outer.scope, origin: .document)
        } missing: { parameter in
            guard !isLeftOut else { return }
            self.report(
                "missing-key", outer, value.range.start, pointer, message: "\(path) needs \(Quoted.text(parameter.name))",
                help: [parameter.declaration(scale: 1).helpLine(owner: "parameter of \(path):")])
        }
    }

    /// The node that a document's `output` is, for a document used as an effect.
    func soleOutput(_ instance: Instance, _ effect: JSONValue, _ pointer: JSONPointer, _ outer: Instance) -> Reference {
        let root = instance.document.root
        if let output = root["output"] { return later(output, "/output", instance) }
        guard let outputs = root["outputs"]?.elements, outputs.count == 1, let node = outputs[0]["node"] else {
            // A document without any output has been reported.
            if root["outputs"] != nil {
                report(
                    "many-outputs", outer, effect.range.start, pointer,
                    message: "\(instance.document.file) has several outputs; one used as an effect has exactly one")
            }
            return .broken
        }
        return later(node, "/outputs/0/node", instance)
    }
}
