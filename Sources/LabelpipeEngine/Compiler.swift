import Diagnostics
import LabelpipeKit

/// Reads the nodes of a document and of those it uses, and reports all that is wrong with them at once.
///
/// Nothing here calls itself for what lies inside a node: that waits in a list, so that neither a deep document nor
/// documents inside each other use up a thread's stack. The linker connects what was read.
final class Compiler {
    let registry: Registry
    let scale: Double
    /// Parameters without a value do not matter yet.
    let allowsOpen: Bool
    /// The document's text is let go when it has been read: no list of it is held by what is made of it.
    let isLast: Bool
    var findings = Diagnostics()
    private(set) var drafts: [Draft] = []
    /// Of each draft, what is connected to each of its effect's inputs.
    private var connections: [[[DraftEdge]]] = []
    private(set) var slots: [Slot] = []
    private(set) var uses: [Use] = []
    private(set) var components: [Component] = []
    private var pending: [Pending] = []
    private var afterwards: [() -> Void] = []
    private var facts: [String: EffectFacts] = [:]
    private var library: DocumentLibrary
    private var count = 0
    let choice: EffectFacts

    init(registry: Registry, scale: Double, allowsOpen: Bool, isLast: Bool = false, texts: DocumentTexts) {
        library = DocumentLibrary(texts)
        (self.registry, self.scale, self.allowsOpen, self.isLast) = (registry, scale, allowsOpen, isLast)
        choice = EffectFacts(EffectKind(Choice.self), owner: "labelpipe", scale: 1)
    }

    // MARK: Reporting

    func report(_ finding: Diagnostic) { findings.append(finding) }

    func report(
        _ code: String, _ instance: Instance, _ position: SourcePosition, _ pointer: JSONPointer, message: String? = nil,
        expected: String? = nil, got: String? = nil, help: [String] = [], suggestion: String? = nil
    ) {
        report(
            Diagnostic(
                code, file: instance.document.file, position: position, pointer: pointer, message: message,
                expected: expected, got: got, help: help, suggestion: suggestion))
    }

    /// The nearest of many names; not for ever where a document has nothing but mistakes.
    func nearest(to name: String, in names: [String]) -> String? {
        findings.count < 200 ? Suggestions.nearest(to: name, in: names) : nil
    }

    // MARK: The list of what is to be read

    /// A reference to what will be read by `readAll`; names are looked up at once.
    func later(_ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String? = nil) -> Reference {
        if name == nil, let id = value.string { return named(id, value, pointer, instance) }
        slots.append(Slot(name: name, document: instance.document, position: value.range.start))
        pending.append(Pending(slot: slots.count - 1, value: value, pointer: pointer, instance: instance, name: name))
        return .slot(slots.count - 1)
    }

    /// All named nodes of a document: before anything that may use them.
    func readNames(_ instance: Instance) {
        for member in instance.document.nodes {
            instance.names[member.key] = later(member.value, JSONPointer(["nodes", member.key]), instance, name: member.key)
        }
        instance.sortedNames = instance.names.keys.sorted()
    }

    /// Reads everything that waits, and what that leads to.
    func readAll() {
        while let next = pending.popLast() {
            slots[next.slot].reference = read(next.value, next.pointer, next.instance, name: next.name)
        }
        pending = []
        for check in afterwards { check() }
        afterwards = []
    }

    /// What can only be told when all has been read.
    func afterwards(_ check: @escaping () -> Void) { afterwards.append(check) }

    /// Whether one more node may be read; reported once where none may.
    func hasRoom(_ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance) -> Bool {
        count += 1
        if count <= Language.maximumNodes { return true }
        if count == Language.maximumNodes + 1 {
            report(
                "too-many-nodes", instance, value.range.start, pointer,
                expected: "at most \(Language.maximumNodes) nodes, those of documents used as effects included",
                got: "more")
        }
        pending = []
        return false
    }

    // MARK: What was read

    func add(_ draft: Draft, inputs: [[DraftEdge]]) -> Reference {
        drafts.append(draft)
        connections.append(inputs)
        return .node(drafts.count - 1)
    }

    /// What is connected to the drafts, for the linker, which makes edges of it.
    func takeConnections() -> [[[DraftEdge]]] {
        defer { connections = [] }
        return connections
    }

    /// The number of a document's use, measured by its input.
    func add(_ use: Use) -> Int {
        uses.append(use)
        return uses.count - 1
    }

    func add(_ component: Component) { components.append(component) }

    /// A document that a node names.
    func open(_ file: String) -> Result<DocumentLibrary.Opened, DocumentLibrary.Failure> { library.open(file) }

    func facts(_ id: String) throws(Diagnostic) -> EffectFacts? {
        if let known = facts[id] { return known }
        guard let entry = try registry.find(id) else { return nil }
        let made = EffectFacts(entry.effect, owner: entry.owner, scale: scale)
        facts[id] = made
        return made
    }

    func named(_ id: String, _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance) -> Reference {
        if let known = instance.names[id] { return known }
        let names = instance.sortedNames
        let isEffect = id.hasSuffix(Language.documentSuffix) || ((try? facts(id)) ?? nil) != nil
        report(
            "unknown-node", instance, value.range.start, pointer, message: "unknown node \(Quoted.text(id))",
            help: [
                isEffect
                    ? "a string is the id of a node in \"nodes\"; the effect is written { \"effect\": \(Quoted.text(id)) }"
                    : names.isEmpty
                        ? "a string is the id of a node in \"nodes\", and there are none"
                        : "nodes: \(names.prefix(20).joined(separator: " "))\(names.count > 20 ? " …" : "")"
            ], suggestion: isEffect ? nil : nearest(to: id, in: names))
        return .broken
    }
}
