import Diagnostics
import LabelpipeBatch
import LabelpipePluginHost

/// `labelpipe plugins check`: every trial of every effect in a process of its own, so that a crash or a hang is a verdict.
struct PluginCheckCommand {
    private let session: Session
    private let file: String
    private let json: Bool
    /// What malloc keeps for itself would look like a leak.
    private static let environment = ["GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.malloc.mxfast=0"]
    /// Seconds for one trial.
    static let limit = 60.0

    init(_ session: Session, file: String, json: Bool) { (self.session, self.file, self.json) = (session, file, json) }

    func run() -> ExitCode {
        var isGood = true
        func tell(_ trial: String, _ effect: String?, _ fault: String?, help: String? = nil) {
            if fault != nil { isGood = false }
            if json {
                var writer = JSONWriter()
                writer.object {
                    if let effect { $0.member("effect", effect) }
                    $0.member("trial", trial)
                    $0.member("verdict", fault == nil ? "good" : "bad")
                    if let fault { $0.member("message", fault) }
                }
                writer.endLine()
                session.output.write(writer.text)
            } else {
                let name = [effect, trial].compactMap(\.self).joined(separator: ", ")
                session.output.line(fault.map { "\(name): \($0)" } ?? "\(name): good")
                if let help { session.output.line("  help: \(help)") }
            }
        }
        let facts: PluginFacts
        do throws(Refusal) {
            facts = try PluginScan(program: session.scanner).facts(file)
        } catch {
            tell("declarations", nil, error.message, help: error.help)
            return .failures
        }
        tell("declarations", nil, nil)
        for effect in facts.effects {
            for trial in Trial.allCases {
                let answer = Child.run(
                    [session.scanner, "plugins", "trial", file, effect.id, trial.rawValue], limit: Self.limit,
                    environment: Self.environment)
                let said = String(decoding: answer.output, as: UTF8.self).split(separator: "\n").joined(separator: " ")
                tell(trial.rawValue, effect.id, answer.end.map { "the process \($0)" } ?? (answer.code == 0 ? nil : said))
            }
        }
        return isGood ? .done : .failures
    }

    /// The child: one trial of one effect. Code 0: it holds; 1: what is printed is the fault.
    static func trial(_ words: [String], _ session: Session) -> ExitCode {
        guard words.count == 3, let trial = Trial(rawValue: words[2]) else { return .usage }
        do {
            let subject = try TrialSubject(file: words[0], effect: words[1], plugins: session.plugins())
            guard let fault = try trial.fault(of: subject) else { return .done }
            session.output.line(fault)
        } catch let findings as Diagnostics {
            session.output.line(findings.all.map(\.message).joined(separator: "; "))
        } catch let failure as TrialSubject.Failure {
            session.output.line(failure.text)
        } catch {
            session.output.line("\(error)")
        }
        return .failures
    }
}
