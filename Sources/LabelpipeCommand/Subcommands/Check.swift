import Diagnostics
import LabelpipeBatch
import LabelpipeEngine

extension Flag {
    static let scale = Flag("scale", nil, .number("N", 0.001...1000), "multiply every px length of the document: 2 for @2x")
    static let set = Flag(
        "set", nil, .value("NAME=VALUE"), repeats: true, "a parameter of the document; JSON for lists and objects")
}

extension Subcommand {
    static let check: Subcommand = Subcommand(
        name: "check", summary: "find everything that is wrong with documents", arguments: "PIPELINE…",
        examples: ["Pipelines/watermark.json"], flags: [.set, .scale, .format], operands: .files,
        notes: ["Exit code 1 if something was found."]
    ) { parsed, session throws(Stop) in
        guard !parsed.positional.isEmpty else { throw Stop(UsageError("no document was given"), of: .check) }
        let registry = try session.registry()
        let settings = try Settings(parsed, of: .check)
        var code = ExitCode.done
        for path in parsed.positional {
            let source = try DocumentSource(reading: path)
            do throws(Diagnostics) {
                let plan = try source.pipeline(registry).plan(settings.written, scale: settings.scale, allowsOpen: true)
                if !parsed.usesJSON {
                    let count = plan.outputCount
                    session.output.line(
                        "\(path): \(plan.title.map { "\"\($0)\", " } ?? "")\(count) \(count == 1 ? "output" : "outputs"), nothing wrong"
                    )
                }
            } catch {
                session.tell(error, json: parsed.usesJSON, to: session.output)
                code = .failures
            }
        }
        return code
    }

    static let graph: Subcommand = Subcommand(
        name: "graph", summary: "the order in which a document is drawn", arguments: "PIPELINE",
        examples: ["Pipelines/watermark.json", "watermark.json --format dot | dot -Tsvg > watermark.svg"],
        flags: [.set, .scale, .graphFormat], operands: .files
    ) { parsed, session throws(Stop) in
        guard parsed.positional.count == 1 else {
            throw Stop(UsageError("expected one document, got \(parsed.positional.count)"), of: .graph)
        }
        let settings = try Settings(parsed, of: .graph)
        let source = try DocumentSource(reading: parsed.positional[0])
        let registry = try session.registry()
        do throws(Diagnostics) {
            let plan = try source.pipeline(registry).plan(settings.written, scale: settings.scale, allowsOpen: true)
            let word = parsed.path(.graphFormat)?.description ?? "text"
            session.output.write(GraphFormat(rawValue: word).flatMap(plan.graph) ?? "")
        } catch {
            throw session.refusal(error, json: false)
        }
        return .done
    }
}

extension Flag {
    static let graphFormat = Flag("format", nil, .choice(["text", "dot", "mermaid", "json"]), "how the graph is written (text)")
}
