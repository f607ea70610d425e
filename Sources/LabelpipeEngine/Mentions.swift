import Diagnostics
import Glibc
import LabelpipeKit

/// What a document names that lies outside of it, with the places where it does.
extension Plan {
    /// A value that a node writes, as far as it is known without a picture.
    package struct Mention: Sendable {
        package let text: String
        let node: Node
        let key: String
        let written: JSONValue

        /// A finding at its place.
        package func finding(
            _ code: String, severity: Diagnostic.Severity = .error, message: String, help: [String] = [],
            suggestion: String? = nil
        ) -> Diagnostic {
            Diagnostic(
                code, severity: severity, file: node.file, position: written.range.start, pointer: node.pointer.appending(key),
                message: message, help: help, suggestion: suggestion)
        }
    }

    /// A node that draws text, and what it says of fonts.
    package struct TextNode: Sendable {
        let node: Node

        /// nil: not written, or different from picture to picture.
        package func mention(_ key: String) -> Mention? { node.mention(key) }
        package func writes(_ key: String) -> Bool { node.arguments[key] != nil }
    }

    package var textNodes: [TextNode] { nodes.filter(\.facts.declaration.givesText).map(TextNode.init) }

    /// The names of the document's parameters, and what they are where nothing sets them, as a user would write it. Paths are left out:
    /// a document's are beside it.
    package var parameterDefaults: (names: Set<String>, written: [String: String]) {
        let declared = document.parameters.filter { !$0.isInternal }
        var written: [String: String] = [:]
        for parameter in declared where parameter.fullKind != .path && parameter.fullKind != .list(.path) {
            if let initial = parameter.initial, !initial.isNull { written[parameter.name] = initial.string ?? initial.compact }
        }
        return (Set(declared.map(\.name)), written)
    }

    /// Whether nodes of other people's make are in it, which may draw with fonts and do not say with which.
    package var hasForeignNodes: Bool { nodes.contains { $0.facts.file != nil || $0.facts.id.hasPrefix(Language.operations) } }

    /// The files that its nodes name and that cannot be read, each at its place.
    ///
    /// **Cost.** A look at the file system for each.
    package var missingFiles: Diagnostics {
        var found = Diagnostics()
        for node in nodes where !node.facts.table.paths.isEmpty {
            for argument in node.arguments.written where node.facts.table.paths.contains(argument.index) {
                let declaration = node.arguments.declaration(argument)
                guard let mention = node.mention(declaration.name), access(mention.text, R_OK) != 0
                else {
                    continue
                }
                let why = String(cString: strerror(errno))
                let name = mention.text.split(separator: "/").last.map(String.init) ?? mention.text
                let folder = Paths.folder(of: mention.text)
                found.append(
                    mention.finding(
                        "missing-file", message: "cannot read the file \(Quoted.text(mention.text, limit: 200)): \(why)",
                        help: [declaration.helpLine(owner: node.facts.id)],
                        suggestion: Suggestions.nearest(to: name, in: Self.files(in: folder))))
            }
        }
        return found
    }

    /// The files that become pictures of their own: what a node without inputs reads that gives colour and draws no text.
    package var pictureFiles: [Mention] {
        nodes.filter { node in
            let facts = node.facts
            guard facts.inputNames.isEmpty, !facts.table.paths.isEmpty, facts.file == nil, !facts.declaration.givesText,
                !facts.id.hasPrefix(Language.operations), case .colour = facts.declaration.output
            else { return false }
            return true
        }.flatMap { node in node.facts.table.paths.compactMap { node.mention(node.facts.table.names[$0]) } }
    }

    private static func files(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < 10_000, let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { !$0.hasPrefix(".") }
    }
}

extension Plan.Node {
    fileprivate func mention(_ key: String) -> Plan.Mention? {
        guard let argument = arguments[key], case .value(.string(let text)) = argument.term else { return nil }
        return Plan.Mention(text: text, node: self, key: key, written: argument.written)
    }
}
