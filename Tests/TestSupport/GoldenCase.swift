import Diagnostics
public import LabelpipeEngine
public import LabelpipeKit
import Synchronization

/// A document, and the picture it has to come to: `Tests/Golden/NAME.png`.
///
/// There are three kinds, and none has to be listed anywhere: every effect's `example` (`EFFECT/example`), every
/// `Tests/Golden/EFFECT/CASE.json`, and every document below `Pipelines/` (`Pipelines/…`).
public struct GoldenCase: Sendable, CustomStringConvertible {
    /// Below `Tests/Golden`, without `.png`; a document's second output is called `NAME-2`.
    public let name: String
    public let text: String
    /// What its paths are beside.
    public let folder: String
    /// Values of its parameters, and of fields of rows (`row.NAME`).
    public let settings: [String: String]
    /// Which of its outputs.
    public let output: Int

    public init(name: String, text: String, folder: String, settings: [String: String] = [:], output: Int = 0) {
        (self.name, self.text, self.folder) = (name, text, folder)
        (self.settings, self.output) = (settings, output)
    }

    public var description: String { name }

    public var golden: String { "\(GoldenCase.folder)/\(name).png" }

    public static let folder = beside(#filePath, "../Golden")
    private static let root = beside(#filePath, "../..")

    /// **Errors**: a folder of an effect that is not there, settings of a document that is not there, syntax.
    public static func all(_ registry: Registry) throws -> [GoldenCase] {
        try examples(registry) + written(registry) + pipelines()
    }

    private static func examples(_ registry: Registry) -> [GoldenCase] {
        registry.all.map { entry in
            GoldenCase(
                name: "\(entry.declaration.id)/example",
                text: "{ \"labelpipe\": 1, \"output\": \(entry.declaration.example) }", folder: root + "/Pipelines")
        }
    }

    private static func written(_ registry: Registry) throws -> [GoldenCase] {
        try names(in: folder).filter { registry[$0] != nil }.flatMap { effect in
            try names(in: "\(folder)/\(effect)").filter { $0.hasSuffix(".json") }.flatMap { file in
                try outputs(named: "\(effect)/\(file.dropLast(5))", file: "\(folder)/\(effect)/\(file)", settings: [:])
            }
        }
    }

    private static func pipelines() throws -> [GoldenCase] {
        let all = try JSONValue.parse(readFile("\(folder)/settings.json"), file: "settings.json")
        var settings = Dictionary(
            uniqueKeysWithValues: (all.members ?? []).map { document in
                let values = (document.value.members ?? []).map { ($0.key, $0.value.string ?? $0.value.compact) }
                return (document.key, Dictionary(uniqueKeysWithValues: values))
            })
        var cases: [GoldenCase] = []
        for path in documents(below: root + "/Pipelines", "") {
            cases += try outputs(
                named: "Pipelines/\(path.dropLast(5))", file: "\(root)/Pipelines/\(path)",
                settings: settings.removeValue(forKey: path) ?? [:])
        }
        if let left = settings.keys.sorted().first { throw Orphan(path: "settings.json: \(left)") }
        return cases
    }

    struct Orphan: Error { let path: String }

    private static func documents(below folder: String, _ path: String) -> [String] {
        names(in: folder).flatMap { name -> [String] in
            name.hasSuffix(".json") ? [path + name] : documents(below: "\(folder)/\(name)", "\(path)\(name)/")
        }
    }

    private static func outputs(named name: String, file: String, settings: [String: String]) throws -> [GoldenCase] {
        let bytes = try readFile(file)
        let document = try JSONValue.parse(bytes, file: file)
        // Tables of rows may lie beside documents.
        let count = document["labelpipe"] == nil ? 0 : document["outputs"]?.elements?.count ?? 1
        return (0..<count).map { index in
            GoldenCase(
                name: index == 0 ? name : "\(name)-\(index + 1)", text: String(decoding: bytes, as: UTF8.self),
                folder: String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)]), settings: settings, output: index)
        }
    }

    // MARK: Drawing

    /// What became of a document.
    public struct Drawn: Equatable, Sendable {
        /// nil: it was refused, or failed.
        public let pixels: Pixels?
        /// What was said: notes, findings, the failure.
        public let said: [String]
    }

    /// Draws it on the sample picture, with the same fields every time.
    public func drawn(_ registry: Registry) -> Drawn {
        let notes = Mutex<[String]>([])
        do {
            let layer = try layer(registry) { note in notes.withLock { $0.append("\(note.code): \(note.message)") } }
            let pixels = try Pixels(layer.image().image).rgba
            return Drawn(pixels: pixels, said: notes.withLock { $0 })
        } catch let findings as Diagnostics {
            return Drawn(pixels: nil, said: [findings.render()])
        } catch {
            return Drawn(pixels: nil, said: notes.withLock { $0 } + ["\(error)"])
        }
    }

    /// **Errors**: `Diagnostics`, and what drawing throws.
    public func layer(
        _ registry: Registry, report: @escaping @Sendable (Note) -> Void = { _ in }
    ) throws -> Layer {
        try Draw.prepare()
        return try document.layer(registry, settings: settings, output: output, report: report)
    }

    public var document: LawDocument { LawDocument(name: name, text: text, folder: folder) }

    /// What laws are tried on: documents whose nodes mean the same without settings.
    public static func forLaws(_ registry: Registry) throws -> [LawDocument] {
        try Draw.prepare()
        return try all(registry).filter { $0.output == 0 && $0.settings.isEmpty }.map(\.document)
    }
}
