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
    private(set) var gallery: Gallery?
    /// The output folder, if the run made one that was not written like a folder: a file may have been meant.
    var madeFolder: BytePath?
    private var toldWarnings: Set<String> = []
    /// Warnings that came again of further pictures.
    private var repeated = 0
    private var toldHelp: Set<String> = []
    /// Lines of `--dry-run`.
    private var planned = InOrder()

    init(_ options: RunOptions, output: Output, errors: Output, folder: BytePath?) {
        self.options = options
        self.output = output
        self.errors = errors
        self.folder = folder
        progress = Progress(errors, style: .none, allBytes: 0)
        toldWarnings = options.told
    }

    /// Begins the report, if one was asked for.
    ///
    /// **Errors.** It cannot be written.
    func openReport() throws(Stop) {
        guard let path = options.report else { return }
        report = path == BytePath("-") ? Report(output) : try Report(file: path)
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

    /// - Parameter pictures: the pictures' numbers.
    func begin(_ pictures: [Int], ignored: Int, bytes: Int64) {
        progress.clear()
        if options.isDry { planned = InOrder(pictures) }
        totals = Totals()
        totals.count = pictures.count
        totals.ignored = ignored
        progress = Progress(errors, style: style, allBytes: bytes)
    }

    private func tellRepeated() {
        guard repeated > 0, !options.usesJSON else { return }
        progress.say(
            repeated == 1
                ? "1 more warning says the same of another picture: --verbose names it"
                : "\(repeated) more warnings say the same of other pictures: --verbose names them")
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
            totals.mostMemory = max(totals.mostMemory, ended.reply?.memory ?? 0)
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
            if warning.severity == .note { totals.notes += 1 } else { totals.warnings += 1 }
            if options.isQuiet, warning.severity == .note { continue }
            if toldWarnings.insert(warning.message).inserted || options.isVerbose {
                tell(warning, of: ended.picture)
            } else if warning.severity == .warning, !options.told.contains(warning.message) {
                repeated += 1
            }
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
        let lines = planned.end(ended.picture.index)
        if !lines.isEmpty { output.write(lines) }
        report?.add(ended, folder: folder)
        gallery?.add(ended, folder: folder)
        progress.update(totals)
    }

    /// A finding about a picture.
    func tell(_ finding: Diagnostic, of picture: Picture) {
        var finding = finding.about(picture: picture.name, forPrograms: options.usesJSON)
        // A row is mended in its table.
        if !options.usesJSON, let rows = options.rows, picture.line > 0 {
            finding.message = "\(picture.name): \(finding.pointer.map { "\($0): " } ?? "")\(finding.message)"
            finding.pointer = nil
            finding.file = rows.file.description
            finding.position = SourcePosition(line: picture.line, column: 1, offset: 0)
        }
        // The same advice for thousands of pictures is noise.
        if !options.usesJSON { finding.help = finding.help.filter { toldHelp.insert($0).inserted } }
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

    /// The end of `check`: what a run would be like.
    private func tellCheck(hasRun: Bool, _ exit: ExitCode) {
        guard hasRun, !options.isQuiet else { return }
        guard !options.usesJSON else {
            var writer = JSONWriter()
            writer.object {
                $0.member("status", "checked")
                $0.member("pictures", totals.count)
                $0.member("failed", totals.failed)
                $0.member("ignored", totals.ignored)
                $0.member("megapixels", totals.megapixels)
                $0.member("bytes", Int(totals.inputBytes))
                $0.member("memory", totals.mostMemory)
                $0.member("warnings", totals.warnings + options.warned)
                $0.member("notes", totals.notes)
            }
            writer.endLine()
            return output.write(writer.bytes)
        }
        var text = Figures.count(totals.count, "picture")
        if totals.megapixels > 0 { text += ", \(Figures.number(totals.megapixels)) MP" }
        text += ", \(Figures.bytes(Int(totals.inputBytes))) to read"
        if totals.mostMemory > 0 { text += "; one needs up to \(Figures.bytes(totals.mostMemory)) of memory" }
        if totals.ignored > 0 { text += "; \(Figures.count(totals.ignored, "other file")) ignored" }
        if totals.failed > 0 { text += "; \(Figures.count(totals.failed, "picture")) would fail" }
        let warnings = totals.warnings + options.warned
        if warnings > 0 { text += "; \(Figures.count(warnings, "warning"))" }
        if totals.notes > 0 { text += "; \(Figures.count(totals.notes, "note"))" }
        output.line(text + (totals.failed + warnings == 0 && exit == .done ? "; nothing wrong" : ""))
    }

    /// A line of `--dry-run`, told when all before it have ended.
    func plan(_ picture: Picture, _ reply: RunReply) {
        if options.isCheck, !options.isVerbose { return }
        // Standard output is the report's, whose reader expects nothing else.
        if options.report == BytePath("-"), !options.usesJSON { return }
        if options.usesJSON { return planJSON(picture, reply) }
        let names = picture.outputs.map { (folder?.appending($0) ?? $0).description }.joined(separator: ", ")
        var line = "\(picture.name) -> \(names)"
        if let size = reply.size { line += "  \(size.width)x\(size.height)" }
        let boxes = reply.allBoxes
        if !boxes.isEmpty {
            line += "  boxes " + boxes.map { "[" + $0.map { "\($0)" }.joined(separator: ",") + "]" }.joined(separator: " ")
        }
        for text in reply.texts { line += "  " + Quoted.text(text) }
        planned.add(Array((line + "\n").utf8), of: picture.index)
    }

    private func planJSON(_ picture: Picture, _ reply: RunReply) {
        var writer = JSONWriter()
        writer.object {
            $0.member("status", "planned")
            if let path = picture.path { $0.member("input", bytes: path.bytes) }
            if picture.line > 0 { $0.member("row", picture.line) }
            $0.key("output")
            $0.array { list in for path in picture.outputs { list.string(bytes: (folder?.appending(path) ?? path).bytes) } }
            if let size = reply.size {
                $0.member("width", size.width)
                $0.member("height", size.height)
                $0.member("pages", size.pages)
            }
            $0.key("boxes")
            $0.array { list in for box in reply.allBoxes { list.array { for side in box { $0.number(side) } } } }
            $0.member("texts", reply.texts)
        }
        writer.endLine()
        planned.add(writer.bytes, of: picture.index)
    }

    func close(_ exit: ExitCode, hasRun: Bool) {
        progress.clear()
        tellRepeated()
        if options.isCheck { return tellCheck(hasRun: hasRun, exit) }
        if hasRun, !options.isQuiet, !options.usesJSON {
            progress.say(
                progress.summary(totals, isDry: options.isDry) + (madeFolder.map { "; the folder \($0) was made" } ?? ""))
            if options.isVerbose, !totals.labels.isEmpty {
                progress.say(
                    "labels: \(totals.labels.misses) drawn, \(totals.labels.hits) used again, "
                        + "at most \(totals.labels.bytes >> 10) KB kept by a worker")
            }
        }
        report?.close(totals, seconds: Clock.now - started, exit: exit)
    }

    /// Begins the page of `--gallery`.
    ///
    /// **Errors.** It cannot be written.
    func openGallery(_ path: BytePath, _ heading: Gallery.Heading, run: RunName) throws(Stop) {
        gallery = try Gallery(path, heading, run: run)
    }

    /// **Errors.** The page cannot be written.
    func closeGallery(_ exit: ExitCode) throws(Stop) {
        try gallery?.close(totals, seconds: Clock.now - started, exit: exit)
        gallery = nil
    }
}

extension Diagnostic {
    /// As told of a picture: the file is the picture, and the document's place stands in the message; for programs it stays in
    /// `pointer`.
    package func about(picture: String, forPrograms: Bool) -> Diagnostic {
        var finding = self
        if forPrograms {
            finding.position = nil
        } else if let file, file != picture {
            let place = position.map { ":\($0.line):\($0.column)" } ?? ""
            finding.message = "\(file)\(place): \(pointer.map { "\($0): " } ?? "")\(message)"
            finding.position = nil
            finding.pointer = nil
        }
        finding.file = picture
        return finding
    }
}
