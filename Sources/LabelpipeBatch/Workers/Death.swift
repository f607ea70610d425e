import CLinux
import Diagnostics
import Glibc
import LabelpipeWorker

/// A worker that ended in the middle of a picture, as a finding about that picture.
struct Death {
    let finding: Diagnostic
    private let request: Request
    /// The plugin that it ended in, or that alone can be to blame.
    let plugin: String?

    init(_ worker: WorkerProcess, _ work: WorkerProcess.Work, _ ending: WorkerProcess.Ending, status: Int32?, timeout: Double?) {
        request = work.request
        let words = Self.sentence(worker.lastWords)
        // Pixels are computed after a plugin's call: in what it has handed over its code may still run.
        let place =
            work.plugin ?? worker.computing
            ?? (work.phase == .save && work.plugins.count == 1 ? work.plugins[0] : nil)
        plugin = place?.plugin
        let doing =
            place.map { work.plugin == nil ? "while \(work.phase.doing) of \($0.text)" : "in \($0.text)" }
            ?? "while \(work.phase.doing)"
        switch ending {
        case .deadline:
            let limit = timeout.map { "the \(Self.seconds($0)) of --timeout are over" } ?? "its time is over"
            finding = Diagnostic(
                "timeout", message: "the worker hung \(doing): \(limit)", help: ["--timeout SECONDS gives more"])
        case .gone, .dropped:
            let status = status ?? 0
            let signal = lp_ending_signal(status)
            if let words, MemoryCap.isShortage(words) {
                finding = Diagnostic(
                    MemoryCap.exceeded, message: "\(MemoryCap.sentence): the worker ended \(doing)",
                    help: MemoryCap.help, cause: words)
            } else if signal != 0 {
                finding = Diagnostic(
                    "crash", message: "the worker was killed by \(Self.name(of: signal)) \(doing)",
                    help: signal == SIGKILL ? ["the system may have run out of memory; fewer --jobs need less"] : [],
                    cause: words ?? Self.size(worker.peak))
            } else {
                finding = Diagnostic(
                    "crash", message: "the worker exited with code \(lp_exit_code(status)) \(doing)",
                    cause: words)
            }
        }
    }

    var outcome: Crew.Outcome {
        switch request {
        case .probe: .probed(.failure([finding]))
        // Batches ask for no views.
        case .run, .view: .ran(.failure([finding]))
        case .compare: .compared(.failure([finding]))
        case .examine: .examined(.failure([finding]))
        }
    }

    /// How large a silent worker had become, where that may be the reason.
    private static func size(_ peak: Int) -> String? {
        peak > 400 << 20 ? "it had grown to \(Figures.bytes(peak))" : nil
    }

    /// The last line a worker said, if it said any; what Swift lists of the stack behind its reason is none.
    static func sentence(_ words: [UInt8]) -> String? {
        var lines = words.split(separator: 0x0A)
        if let stack = lines.firstIndex(where: { $0.elementsEqual("Current stack trace:".utf8) }), stack > 0 {
            lines = Array(lines[..<stack])
        }
        return lines.last { !$0.allSatisfy { $0 == 0x20 } }.map { BytePath($0).description }
    }

    private static func seconds(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value)) s" : "\(value) s"
    }

    static func name(of signal: Int32) -> String { String(cString: lp_signal_name(signal)) }
}
