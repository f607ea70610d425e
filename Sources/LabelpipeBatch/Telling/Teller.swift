import Diagnostics
import LabelpipeWorker

/// Everything a run says: failures as they come, each warning once, progress, the report, the summary.
final class Teller {
    private let options: RunOptions
    private let output: Output
    private let errors: Output
    private let folder: BytePath?
    private let started = Clock.now
    private(set) var progress: Progress
    private(set) var totals = Totals()
    private var report: Report?
    private var toldWarnings: Set<String> = []

    init(_ options: RunOptions, output: Output, errors: Output, folder: BytePath?) throws(Stop) {
        self.options = options
        self.output = output
        self.errors = errors
        self.folder = folder
        progress = Progress(errors, style: .none, allBytes: 0)
        if let path = options.report {
            report = path == BytePath("-") ? Report(output) : try Report(file: path)
        }
    }

    private var style: Progress.Style {
        if options.isQuiet { return .none }
        switch options.progress {
        case .none: return .none
        case .plain: return .lines
        case .auto: return errors.columns == nil ? .lines : .bar
        }
    }

    /// Shows that pictures are being looked at before the first is done.
    func beginLooking(count: Int) {
        totals.count = count
        progress = Progress(errors, style: style, allBytes: 0, doing: "looking at pictures")
    }

    func looked() {
        totals.done += 1
        progress.update(totals)
    }

    func begin(count: Int, ignored: Int, bytes: Int64) {
        progress.clear()
        totals = Totals()
        totals.count = count
        totals.ignored = ignored
        progress = Progress(errors, style: style, allBytes: bytes)
    }

    func tick() {
        progress.update(totals)
    }

    /// Why the report cannot be written, if it cannot.
    var reportFailure: SystemError? { report?.failure }

    func end(_ ended: Ended) {
        switch ended.status {
        case .done:
            totals.done += 1
            totals.outputBytes += ended.bytes
            totals.doneBytes += max(1, ended.picture.size)
            totals.megapixels += ended.reply?.size?.megapixels ?? 0
            if let labels = ended.reply?.labels {
                totals.labels.hits += labels.hits
                totals.labels.misses += labels.misses
                totals.labels.bytes = max(totals.labels.bytes, labels.bytes)
            }
        case .failed: totals.failed += 1
        case .skipped: totals.skipped += 1
        case .dropped: totals.dropped += 1
        }
        totals.inputBytes += ended.picture.size
        if ended.status == .failed { for finding in ended.findings { tell(finding, of: ended.picture) } }
        for warning in ended.reply?.warnings ?? [] {
            totals.warnings += 1
            if options.isQuiet, warning.severity == .note { continue }
            if toldWarnings.insert(warning.message).inserted { tell(warning, of: ended.picture) }
        }
        if options.isVerbose {
            switch ended.status {
            case .done:
                let names = ended.picture.outputs.map { (folder?.appending($0) ?? $0).description }.joined(separator: ", ")
                let mode = ended.reply?.outputs.first?.mode.map { ", \($0)" } ?? ""
                progress.say("\(ended.picture.name) -> \(names) (\(Figures.duration(ended.seconds))\(mode))")
            case .skipped: progress.say("\(ended.picture.name): skipped, \(ended.reason?.message ?? "done already")")
            default: break
            }
        }
        report?.add(ended, folder: folder)
        progress.update(totals)
    }

    /// A finding about a picture.
    func tell(_ finding: Diagnostic, of picture: Picture) {
        var finding = finding
        if options.usesJSON {
            // The document's place stays in `pointer`; the file is the picture.
            finding.position = nil
        } else if let file = finding.file, file != picture.name {
            let place = finding.position.map { ":\($0.line):\($0.column)" } ?? ""
            finding.message = "\(file)\(place): \(finding.pointer.map { "\($0): " } ?? "")\(finding.message)"
            finding.position = nil
            finding.pointer = nil
        }
        finding.file = picture.name
        say(finding)
    }

    func say(_ finding: Diagnostic) {
        if options.usesJSON {
            progress.say(Diagnostics([finding]).json())
        } else {
            progress.say(finding.description)
        }
    }

    /// What a worker wrote to its standard error.
    func workerSaid(pid: Int32, _ bytes: [UInt8]) {
        guard options.isVerbose else { return }
        for line in bytes.split(separator: 0x0A) { progress.say("worker \(pid): \(BytePath(line))") }
    }

    /// A line of `--dry-run`.
    func plan(_ picture: Picture, _ reply: RunReply) {
        let names = picture.outputs.map { (folder?.appending($0) ?? $0).description }.joined(separator: ", ")
        var line = "\(picture.name) -> \(names)"
        if let size = reply.size { line += "  \(size.width)x\(size.height)" }
        if !reply.boxes.isEmpty {
            line += "  boxes " + reply.boxes.map { "[" + $0.map { "\($0)" }.joined(separator: ",") + "]" }.joined(separator: " ")
        }
        for text in reply.texts { line += "  " + Quoted.text(text) }
        output.line(line)
    }

    func close(_ exit: ExitCode, hasRun: Bool) {
        progress.clear()
        if hasRun, !options.isQuiet, !options.usesJSON {
            progress.say(progress.summary(totals))
            if options.isVerbose, !totals.labels.isEmpty {
                progress.say(
                    "labels: \(totals.labels.misses) drawn, \(totals.labels.hits) used again, "
                        + "at most \(totals.labels.bytes >> 10) KB kept by a worker")
            }
        }
        report?.close(totals, seconds: Clock.now - started, exit: exit)
    }
}
