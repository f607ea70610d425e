import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeLaws
import LabelpipePluginHost
import Vips

/// `labelpipe plugins check`: the laws that bundled effects are tested with, each tried on each effect in a process of its
/// own, so that a crash or a hang is a verdict.
struct PluginCheckCommand {
    private let session: Session
    private let file: String
    private let json: Bool
    /// Seconds for one trial.
    private let limit: Double

    init(_ session: Session, file: String, json: Bool, limit: Double) {
        (self.session, self.file, self.json, self.limit) = (session, file, json, limit)
    }

    func run() -> ExitCode {
        var isGood = true
        func tell(_ trial: String, _ effect: String?, _ verdict: Trial.Verdict, help: String? = nil) {
            var fault: String?
            var word = "good"
            switch verdict {
            case .good: break
            case .none: word = "does not apply"
            case .bad(let what): (fault, word, isGood) = (what, "bad", false)
            case .hung(let what): (fault, word, isGood) = ("\(what); what else there is to try is left out", "bad", false)
            }
            if json {
                var writer = JSONWriter()
                writer.object {
                    if let effect { $0.member("effect", effect) }
                    $0.member("trial", trial)
                    $0.member("verdict", word)
                    if let fault { $0.member("message", fault) }
                }
                writer.endLine()
                session.output.write(writer.text)
            } else {
                let name = [effect, trial].compactMap(\.self).joined(separator: ", ")
                session.output.line("\(name): \(fault ?? word)")
                if let help { session.output.line("  help: \(help)") }
            }
        }
        let facts: PluginFacts
        do throws(Refusal) {
            facts = try PluginScan(program: session.scanner).facts(file)
        } catch {
            tell("declarations", nil, .bad(error.message), help: error.help)
            return .failures
        }
        tell("declarations", nil, .good)
        for effect in facts.effects {
            for law in Law.allCases {
                let verdict = Trial.run(file, effect.id, law, program: session.scanner, limit: limit)
                tell(law.rawValue, effect.id, verdict)
                // What cannot show itself would have the same said of it by every law.
                if law == .example, case .bad = verdict { break }
                // What hangs would hang by every law that draws, each time until the limit.
                if case .hung = verdict { break }
            }
        }
        return isGood ? .done : .failures
    }
}

/// One law, tried on one effect of a plugin, in a process of its own.
enum Trial {
    enum Verdict {
        case good
        /// The law says nothing about this effect.
        case none
        case bad(String)
        /// Bad too: it was ended by the limit.
        case hung(String)
    }

    /// What malloc keeps for itself would look like a leak.
    private static let environment = ["GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.malloc.mxfast=0"]
    static func run(_ file: String, _ effect: String, _ law: Law, program: String, limit: Double) -> Verdict {
        let answer = Child.run([program, "plugins", "trial", file, effect, law.rawValue], limit: limit, environment: environment)
        if let end = answer.end { return answer.isLate ? .hung("the process \(end)") : .bad("the process \(end)") }
        // Whoever ends the process with a good code has not said what was found.
        guard let json = try? JSONValue.parse(answer.output, file: "trial"), let bad = json["bad"]?.elements,
            let checked = json["checked"]?.integer
        else { return .bad("the process ended with code \(answer.code) before the trial was over") }
        if let first = bad.first?.string {
            return .bad(bad.count == 1 ? first : "\(first) (and \(bad.count - 1) more)")
        }
        return checked == 0 ? .none : .good
    }

    /// The child.
    static func answer(_ words: [String], _ session: Session) -> ExitCode {
        guard words.count == 3, let law = Law(rawValue: words[2]) else { return .usage }
        // What the plugin writes to standard output is none of the answer.
        let answer = fcntl(1, F_DUPFD_CLOEXEC, 100)
        let nowhere = open("/dev/null", O_WRONLY)
        dup2(nowhere, 1)
        close(nowhere)
        var verdict = Law.Verdict()
        do {
            verdict = try self.verdict(law, file: words[0], effect: words[1], session)
        } catch {
            let text = (error as? Refusal)?.message ?? (error as? Diagnostic)?.message ?? "\(error)"
            verdict.violations = [Law.Violation(subject: words[1], text: text)]
        }
        var writer = JSONWriter()
        writer.object {
            $0.member("checked", verdict.checked)
            $0.member("bad", verdict.violations.map(\.text))
        }
        var bytes = writer.bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(answer, $0.baseAddress, $0.count) }
            guard count > 0 else { return .failures }
            bytes = bytes.dropFirst(count)
        }
        return .done
    }

    private static func verdict(_ law: Law, file: String, effect: String, _ session: Session) throws -> Law.Verdict {
        try VipsRuntime.start(concurrency: 1)
        let loaded = try LoadedPlugin.load(file)
        let foreign = ForeignPlugin(file: file, facts: loaded.facts).plugin(Unwatched())
        let registry = try Registry(session.plugins() + [lawPlugin, foreign])
        guard let declaration = registry[effect]?.declaration else { return Law.Verdict() }
        let subjects = try? Subject.all(in: [LawDocument(exampleOf: declaration)], registry)
        return law.verdict(of: declaration, on: subjects?[effect] ?? [], registry, patience: .seconds(2))
    }
}
