import Diagnostics
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker

extension Flag {
    static let graphFormat = Flag(
        "format", nil, .choice(GraphFormat.allCases.map(\.rawValue)), "how the graph is written (text)")
}

extension Subcommand {
    static let graph: Subcommand = Subcommand(
        name: "graph", summary: "the order in which a document is drawn", arguments: "PIPELINE [INPUT]",
        examples: ["Pipelines/watermark.json", "Pipelines/watermark.json --format svg > watermark.svg"],
        flags: [.set, .scale, .plugin, .graphFormat], operands: .files,
        notes: ["svg shows the frames that layers have on INPUT, or on the sample photo of preview."]
    ) { parsed, session throws(Stop) in
        guard (1...2).contains(parsed.positional.count) else {
            throw Stop(UsageError("expected one document, got \(parsed.positional.count)"), of: .graph)
        }
        let settings = try Settings(parsed, of: .graph)
        let source = try DocumentSource(reading: parsed.positional[0])
        let setup = try Setup(parsed, source, settings, of: .graph)
        let registry = try session.registry(parsed)
        do throws(Diagnostics) {
            let plan = try source.pipeline(registry).plan(settings.written, scale: settings.scale, allowsOpen: true)
            let word = parsed.path(.graphFormat)?.description ?? "text"
            let format = GraphFormat(rawValue: word) ?? .text
            if let text = plan.graph(format) {
                session.output.write(text)
            } else {
                session.output.write(drawing(plan, setup, parsed, session).svg)
            }
        } catch {
            throw session.refusal(error, json: false)
        }
        return .done
    }

    /// With the frames of layers where a worker can tell them: they need fonts and, some, the picture.
    private static func drawing(_ plan: Plan, _ setup: Setup, _ parsed: Parsed, _ session: Session) -> GraphDrawing {
        guard !plan.isOpen else { return GraphDrawing(plan, note: "some parameters have no value yet") }
        var setup = setup
        setup.count = 1
        let worker = LoneWorker(session.launch(parsed))
        defer { worker.close() }
        do throws(Diagnostics) {
            try worker.prepare(setup)
            let input: PreviewInput =
                if let path = parsed.positional.dropFirst().first { .file(path) } else if plan.takesInput {
                    try .sample(by: worker)
                } else { .nothing }
            let reply = try worker.view(input.view(.frames), descriptors: input.descriptors)
            var frames: [Int: (width: Double, height: Double)] = [:]
            for node in reply.nodes where node.frame.count == 4 { frames[node.index] = (node.frame[2], node.frame[3]) }
            let size = reply.picture.map { "frames in px, on a picture of \($0.width) × \($0.height)" }
            return GraphDrawing(plan, frames: frames, note: size ?? "frames in px")
        } catch {
            for finding in error.all {
                session.errors.line(finding.about(picture: setup.file.description, forPrograms: false).description)
            }
            return GraphDrawing(plan)
        }
    }
}
