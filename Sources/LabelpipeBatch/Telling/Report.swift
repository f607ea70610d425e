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
    /// The small copies that a gallery has of it: `before`, `after`.
    var smallCopies: Set<String> = []

    /// The finding that decides.
    var reason: Diagnostic? { findings.first { $0.severity == .error } ?? findings.first }
}

/// `--report`: a JSON line for each picture as it ends, and a last one with totals.
///
/// `input row output status code message node ms bytes boxes mode warnings notes`; what a picture has not is left out. `output` and `mode`
/// are lists where the document has several outputs, and `outputBoxes` has the boxes of each. `row` is the line of the table's row.
/// `warnings` are what `--strict` takes for failures, `notes` what is merely worth a word.
final class Report {
    private let output: Output
    private let descriptor: Int32?

    /// Writes to a file, which is emptied, or to an output that is open (`-`).
    ///
    /// **Errors.** It cannot be written; it is there and no report.
    init(file: BytePath) throws(Stop) {
        // A pipe or a terminal is written to, and has nothing to be looked at. Without O_NONBLOCK a FIFO would wait for a reader.
        var access = O_RDWR | O_CREAT
        if case .success(let facts) = FileFacts.of(file), facts.kind != .file { access = O_WRONLY | O_NONBLOCK }
        let descriptor = file.withCString { open($0, access | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else {
            let reason = errno == ENXIO ? "it is a FIFO, and nobody reads it" : SystemError.last.description
            throw Stop(.unwritable, "the report \(file) cannot be written: \(reason)")
        }
        do throws(Stop) {
            try ToldFile.refuse(descriptor, file, flag: "--report", unless: Self.isReport)
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
        _ = ftruncate(descriptor, 0)
        self.descriptor = descriptor
        output = Output(descriptor: descriptor)
    }

    /// Whether a file that begins so is a report: its first line is a picture's, or the totals.
    private static func isReport(_ start: ArraySlice<UInt8>) -> Bool {
        let line = Array(start.prefix { $0 != 0x0A })
        guard let first = try? JSONValue.parse(line, file: "report"), first["ms"]?.integer != nil else { return false }
        let status = first["status"]?.string
        return status == "totals" || status.flatMap(Ended.Status.init) != nil
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
            write(ended, folder: folder, to: &$0)
        }
        writer.endLine()
        return writer.bytes
    }

    /// The members of a picture's line.
    static func write(_ ended: Ended, folder: BytePath?, to writer: inout JSONWriter) {
        if let path = ended.picture.path {
            writer.member("input", bytes: path.bytes)
        } else if ended.picture.source == .descriptor {
            writer.member("input", "-")
        }
        if ended.picture.line > 0 { writer.member("row", ended.picture.line) }
        let outputs = ended.picture.outputs.map { folder?.appending($0) ?? $0 }
        if outputs.count == 1 {
            writer.member("output", bytes: outputs[0].bytes)
        } else if outputs.count > 1 {
            writer.key("output")
            writer.array { list in for output in outputs { list.string(bytes: output.bytes) } }
        }
        writer.member("status", ended.status.rawValue)
        if let reason = ended.reason, ended.status != .done {
            writer.member("code", reason.code)
            writer.member("message", sentence(reason))
            if let node = reason.pointer { writer.member("node", node.description) }
        }
        writer.member("ms", Int((ended.seconds * 1000).rounded()))
        if ended.status == .done { writer.member("bytes", Int(ended.bytes)) }
        guard let reply = ended.reply else { return }
        writer.key("boxes")
        writer.array { write(boxes: reply.allBoxes, to: &$0) }
        // Which of them are which output's.
        if outputs.count > 1 {
            writer.key("outputBoxes")
            writer.array { list in for boxes in reply.boxes { list.array { write(boxes: boxes, to: &$0) } } }
        }
        let modes = reply.outputs.compactMap(\.mode)
        if modes.count == 1, outputs.count == 1 {
            writer.member("mode", modes[0])
        } else if !modes.isEmpty {
            writer.member("mode", modes)
        }
        for (key, severity) in [("warnings", Diagnostic.Severity.warning), ("notes", .note)] {
            let told = reply.told(severity)
            if !told.isEmpty { writer.member(key, told.map(sentence)) }
        }
    }

    private static func write(boxes: [[Int]], to writer: inout JSONWriter) {
        for box in boxes { writer.array { for side in box { $0.number(side) } } }
    }

    /// The last line.
    func close(_ totals: Totals, seconds: Double, exit: ExitCode) {
        var writer = JSONWriter()
        writer.object {
            $0.member("status", "totals")
            Self.write(totals, seconds: seconds, exit: exit, to: &$0)
        }
        writer.endLine()
        output.write(writer.bytes)
        if let descriptor { _ = Glibc.close(descriptor) }
    }

    /// The members of the last line.
    static func write(_ totals: Totals, seconds: Double, exit: ExitCode, to writer: inout JSONWriter) {
        writer.member("pictures", totals.count)
        writer.member("done", totals.done)
        writer.member("failed", totals.failed)
        writer.member("skipped", totals.skipped)
        writer.member("dropped", totals.dropped)
        writer.member("ignored", totals.ignored)
        writer.member("bytes", Int(totals.outputBytes))
        writer.member("megapixels", totals.megapixels)
        writer.member("warnings", totals.warnings)
        writer.member("notes", totals.notes)
        if !totals.labels.isEmpty {
            writer.key("labels")
            totals.labels.write(to: &writer)
        }
        writer.member("ms", Int((seconds * 1000).rounded()))
        writer.member("exit", Int(exit.number))
    }

    /// A finding in one line, its cause beside it.
    static func sentence(_ finding: Diagnostic) -> String {
        finding.cause.map { "\(finding.message) (\($0))" } ?? finding.message
    }
}
