import Diagnostics
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker

extension Flag {
    static let scale = Flag("scale", nil, .number("N", 0.001...1000), "multiply every px length of the document: 2 for @2x")
    static let set = Flag(
        "set", nil, .value("NAME=VALUE"), repeats: true, "a parameter of the document; JSON for lists and objects")
}

extension Subcommand {
    static let check: Subcommand = Subcommand(
        name: "check", summary: "find everything that is wrong with documents", arguments: "PIPELINE… [-- INPUT…]",
        examples: ["Pipelines/watermark.json", "Pipelines/watermark.json -- photos/"],
        flags: [.set, .plugin, .recursive, .rows, .quiet, .format],
        more: [
            .scale, .missingField, .include, .exclude, .from, .nul, .jobs, .memory, .timeout, .tolerant, .allow, .limitPixels,
            .limitFrames,
            .verbose,
        ], operands: .files,
        notes: [
            "With inputs every template, font and glyph is resolved for each, and the run's need of memory is told.",
            "Exit code 1 if something was found.",
        ], separates: true
    ) { parsed, session throws(Stop) in
        guard !parsed.positional.isEmpty else { throw Stop(UsageError("no document was given"), of: .check) }
        let registry = try session.registry(parsed)
        let settings = try Settings(parsed, of: .check)
        let hasInputs = !parsed.separated.isEmpty || parsed.has(.from) || parsed.has(.rows)
        var code = ExitCode.done
        for path in parsed.positional {
            let source = try DocumentSource(reading: path)
            if hasInputs {
                code = code.combined(with: try RunCommand(parsed, session).check(source, settings, registry))
                continue
            }
            do throws(Diagnostics) {
                let plan = try source.pipeline(registry).plan(settings.written, scale: settings.scale, allowsOpen: true)
                Session.keep(plan)
                let document = try source.checked(BatchDocument(plan))
                var doubts = source.doubts(document)
                doubts.append(source.collisions(document))
                code = code.combined(with: judge(plan, doubts, path, parsed, session))
            } catch {
                session.tell(error, json: parsed.usesJSON, to: session.output)
                code = code.combined(with: .failures)
            }
        }
        return code
    }

    /// What is to be said of a document that can be drawn.
    private static func judge(
        _ plan: Plan, _ doubts: Diagnostics, _ path: BytePath, _ parsed: Parsed, _ session: Session
    ) -> ExitCode {
        var findings = plan.findings
        findings.append(doubts)
        findings.append(Installed.findings(plan))
        session.warn(findings, parsed, session.output)
        let isClean = findings.all.allSatisfy { $0.severity == .note }
        if !parsed.usesJSON, !parsed.has(.quiet) {
            func count(_ count: Int, _ word: String) -> String { "\(count) \(count == 1 ? word : word + "s")" }
            let told = [(Diagnostic.Severity.error, "error"), (.warning, "warning")].compactMap { severity, word in
                let number = findings.all.count { $0.severity == severity }
                return number == 0 ? nil : count(number, word)
            }
            session.output.line(
                "\(path): \(plan.title.map { "\"\($0)\", " } ?? "")\(count(plan.outputCount, "output")), "
                    + (isClean ? "nothing wrong" : told.joined(separator: ", ")))
        }
        return isClean ? .done : .failures
    }
}
