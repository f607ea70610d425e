import Diagnostics
import Glibc
import LabelpipeWorker

/// What became of one picture.
struct Ended {
    enum Status: String {
        case done
        case failed
        case skipped
        /// The run was ended before the picture was.
        case dropped
    }

    let picture: Picture
    let status: Status
    var findings: [Diagnostic] = []
    var reply: RunReply?
    var bytes: Int64 = 0
    var seconds = 0.0

    /// The finding that decides.
    var reason: Diagnostic? { findings.first { $0.severity == .error } ?? findings.first }
}

/// `--report`: a JSON line for each picture as it ends, and a last one with totals.
///
/// `input output status code message node ms bytes boxes mode warnings`; what a picture has not is left out. `output` and `mode`
/// are lists where the document has several outputs.
final class Report {
    private let output: Output
    private let descriptor: Int32?

    /// Writes to a file, which is emptied, or to an output that is open (`-`).
    init(file: BytePath) throws(Stop) {
        let descriptor = file.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else { throw Stop(.unwritable, "the report \(file) cannot be written: \(SystemError.last)") }
        self.descriptor = descriptor
        output = Output(descriptor: descriptor)
    }

    init(_ output: Output) {
        self.output = output
        descriptor = nil
    }

    /// Why lines are being lost, if they are.
    var failure: SystemError? { output.failure }

    func add(_ ended: Ended, folder: BytePath?) {
        output.write(Self.line(ended, folder: folder))
    }

    /// A picture's line.
    ///
    /// - Parameter key: what a job was called.
    static func line(_ ended: Ended, folder: BytePath?, key: JSONValue? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            if let key { $0.member("key", key) }
            if let path = ended.picture.path {
                $0.member("input", bytes: path.bytes)
            } else if ended.picture.source == .descriptor {
                $0.member("input", "-")
            }
            let outputs = ended.picture.outputs.map { folder?.appending($0) ?? $0 }
            if outputs.count == 1 {
                $0.member("output", bytes: outputs[0].bytes)
            } else if outputs.count > 1 {
                $0.key("output")
                $0.array { list in for output in outputs { list.string(bytes: output.bytes) } }
            }
            $0.member("status", ended.status.rawValue)
            if let reason = ended.reason, ended.status != .done {
                $0.member("code", reason.code)
                $0.member("message", Self.sentence(reason))
                if let node = reason.pointer { $0.member("node", node.description) }
            }
            $0.member("ms", Int((ended.seconds * 1000).rounded()))
            if ended.status == .done { $0.member("bytes", Int(ended.bytes)) }
            if let reply = ended.reply {
                $0.key("boxes")
                $0.array { list in for box in reply.boxes { list.array { for side in box { $0.number(side) } } } }
                let modes = reply.outputs.compactMap(\.mode)
                if modes.count == 1, outputs.count == 1 {
                    $0.member("mode", modes[0])
                } else if !modes.isEmpty {
                    $0.member("mode", modes)
                }
                if !reply.warnings.isEmpty { $0.member("warnings", reply.warnings.map(Self.sentence)) }
            }
        }
        writer.endLine()
        return writer.bytes
    }

    /// The last line.
    func close(_ totals: Totals, seconds: Double, exit: ExitCode) {
        var writer = JSONWriter()
        writer.object {
            $0.member("status", "totals")
            $0.member("pictures", totals.count)
            $0.member("done", totals.done)
            $0.member("failed", totals.failed)
            $0.member("skipped", totals.skipped)
            $0.member("dropped", totals.dropped)
            $0.member("ignored", totals.ignored)
            $0.member("bytes", Int(totals.outputBytes))
            $0.member("megapixels", totals.megapixels)
            $0.member("warnings", totals.warnings)
            if !totals.labels.isEmpty {
                $0.key("labels")
                totals.labels.write(to: &$0)
            }
            $0.member("ms", Int((seconds * 1000).rounded()))
            $0.member("exit", Int(exit.number))
        }
        writer.endLine()
        output.write(writer.bytes)
        if let descriptor { _ = Glibc.close(descriptor) }
    }

    /// A finding in one line, its cause beside it.
    static func sentence(_ finding: Diagnostic) -> String {
        finding.cause.map { "\(finding.message) (\($0))" } ?? finding.message
    }
}
