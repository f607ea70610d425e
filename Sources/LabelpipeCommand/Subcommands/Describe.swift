import Diagnostics
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker

extension Flag {
    static let render = Flag("render", nil, .value("FILE"), "draw its example into a picture of this name")
    static let on = Flag("on", nil, .value("FILE"), "the picture that the example draws on, for image.source")
}

extension Subcommand {
    static let describe: Subcommand = Subcommand(
        name: "describe", summary: "one effect: parameters, units, ranges, an example", arguments: "EFFECT [PARAMETER…]",
        examples: ["shadow.drop", "shadow.drop blur offset", "shadow.drop --render shadow.png"],
        flags: [.render, .on, .overwrite, .plugin, .format], operands: .effect,
        notes: ["labelpipe effects names them all."]
    ) { parsed, session throws(Stop) in
        guard let first = parsed.positional.first else {
            throw Stop(UsageError("no effect was given", help: ["labelpipe effects names them all"]), of: .describe)
        }
        let registry = try session.registry(parsed)
        let catalogue = Catalogue(registry)
        let id = first.description
        guard let keys = try told({ () throws(Diagnostic) in try catalogue.keys(of: id) }) else {
            let meant = catalogue.suggestion(for: id)
            throw Stop(
                .usage, "unknown effect \"\(id)\"",
                help: meant.map { ["did you mean \"\($0)\"?"] } ?? ["labelpipe effects names them all"])
        }
        let wanted = parsed.positional.dropFirst().map(\.description)
        for name in wanted where !keys.contains(where: { $0.name == name }) {
            let meant = Suggestions.nearest(to: name, in: keys.map(\.name))
            throw Stop(
                .usage, "\(id) has no \"\(name)\"",
                help: (meant.map { ["did you mean \"\($0)\"?"] } ?? []) + ["it has: \(keys.map(\.name).joined(separator: " "))"])
        }
        if let file = parsed.path(.render) {
            let document = try told { () throws(Diagnostic) in try catalogue.exampleDocument(id) }
            return try ExampleRun(parsed, session, registry).run(document ?? "", id, to: file)
        }
        let page = try told { () throws(Diagnostic) in
            parsed.usesJSON ? try catalogue.describeJSON(id) : try catalogue.describe(id, only: wanted)
        }
        session.output.write(page ?? "")
        return .done
    }
}

/// Draws an effect's example as `run` would.
private struct ExampleRun {
    let parsed: Parsed
    let session: Session
    let registry: Registry

    init(_ parsed: Parsed, _ session: Session, _ registry: Registry) {
        (self.parsed, self.session, self.registry) = (parsed, session, registry)
    }

    func run(_ document: String, _ id: String, to file: BytePath) throws(Stop) -> ExitCode {
        let source = DocumentSource(text: document, name: "\(id).json", folder: DataFolder.pipelines ?? BytePath("."))
        let batch: BatchDocument
        do throws(Diagnostics) {
            batch = BatchDocument(try source.pipeline(registry).plan([:]))
        } catch {
            throw session.refusal(error, json: parsed.usesJSON)
        }
        var options = RunOptions()
        options.inputs = parsed.paths(.on)
        if batch.takesInput, options.inputs.isEmpty {
            throw Stop(
                UsageError("the example of \(id) draws on a picture", help: ["--on FILE names one"]), of: .describe)
        }
        options.output = file
        options.existingHelp = "--overwrite replaces it"
        options.isQuiet = true
        options.usesJSON = parsed.usesJSON
        if parsed.has(.overwrite) { options.existing = .overwrite }
        var setup = Setup()
        setup.document = source.bytes
        setup.file = source.name
        setup.folder = source.folder
        setup.date = try RunStart.now()
        setup.version = Version.text
        let run = BatchRun(
            options, document: batch, setup: setup, launch: session.launch(parsed), output: session.output, errors: session.errors
        )
        return run.run()
    }
}
