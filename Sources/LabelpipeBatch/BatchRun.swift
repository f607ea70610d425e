import Diagnostics
import Glibc
import LabelpipeWorker

/// A run over a list of pictures: the supervisor's loop. It opens no picture and starts no libvips; workers do.
package final class BatchRun {
    private let options: RunOptions
    private let document: BatchDocument
    private var setup: Setup
    private let launch: Launch
    private let output: Output
    private let errors: Output
    private let signals: SignalWatch
    private let runName = RunName()

    private var pictures: [Picture] = []
    private var destination: Destination?
    private var tree: OutputTree?
    private var crew: Crew?
    private var publisher: Publisher?
    private var teller: Teller?
    private var next = 0
    /// Pictures to be begun again, since their worker never was ready.
    private var again: [Int] = []
    /// Files of pictures that a worker has, by the picture's place in the list.
    private var inWork: [Int: [StagedFile]] = [:]
    /// Pictures that are done and not yet named.
    private var publishing: [Int: (reply: RunReply, seconds: Double)] = [:]
    private var exit = ExitCode.done
    /// No more pictures are begun.
    private var isEnding = false
    /// After a signal: when what is still in work is dropped.
    private var graceEnd: Double?

    /// How long pictures in work may take to end after a signal, **seconds**: the prompt is back within half of one.
    private static let grace = 0.3

    /// - Parameters:
    ///   - output: standard output, for what was asked for there.
    ///   - errors: standard error, for what is told.
    package init(
        _ options: RunOptions, document: BatchDocument, setup: Setup, launch: Launch = Launch(), output: Output, errors: Output
    ) {
        self.options = options
        self.document = document
        self.setup = setup
        self.launch = launch
        self.output = output
        self.errors = errors
        // Before any thread or worker exists, so that all of them leave signals to the loop.
        signals = SignalWatch()
    }

    /// Does it all, and returns the code to exit with.
    package func run() -> ExitCode {
        do throws(Stop) {
            try prepare()
            try work()
        } catch {
            abandon()
            tell(error)
            exit = exit.combined(with: error.code)
        }
        crew?.dismiss()
        publisher?.close()
        if let failure = teller?.reportFailure {
            errors.line("error: the report cannot be written: \(failure)")
            exit = exit.combined(with: .unwritable)
        }
        teller?.close(exit, hasRun: next > 0)
        return exit
    }

    private func tell(_ stop: Stop) {
        teller?.progress.clear()
        for line in stop.message.split(separator: "\n") {
            let finding = Diagnostic("stop", message: String(line))
            if options.usesJSON { errors.write(Diagnostics([finding]).json()) } else { errors.line(finding.description) }
        }
        if !options.usesJSON { for help in stop.help { errors.line("  help: \(help)") } }
    }

    // MARK: Before the first pixel

    private func prepare() throws(Stop) {
        var list = InputList()
        list.isRecursive = options.isRecursive
        list.included = options.included.map(Glob.init)
        list.excluded = options.excluded.map(Glob.init)
        if let output = options.output, case .success(let facts) = FileFacts.of(output) { list.outputFolder = facts.identity }
        let isGiven = !options.inputs.isEmpty || !options.lists.isEmpty
        if document.takesInput {
            guard isGiven else {
                throw Stop(.usage, "no picture was given", help: ["labelpipe run PIPELINE INPUT… --output DIR"])
            }
            for input in options.inputs {
                if input == BytePath("-") { list.add(Picture(source: .descriptor)) } else { list.add(input) }
            }
            for from in options.lists {
                for path in InputList.paths(in: from.bytes, closedByNUL: from.closedByNUL) { list.addListed(path) }
            }
        } else {
            guard !isGiven else {
                throw Stop(
                    .usage,
                    "the document takes no picture: it has no image.source, and \(options.inputs.first?.description ?? "a list") was given"
                )
            }
            list.add(Picture(source: .none))
        }
        pictures = list.pictures
        let destination = try Destination(
            options.output, pictures: pictures.count, outputs: document.outputs.count, hasFolder: list.hasFolder)
        self.destination = destination
        let isStandardOutput = if case .standardOutput = destination.kind { true } else { false }
        let teller = try Teller(options, output: output, errors: errors, folder: isStandardOutput ? nil : destination.folder)
        self.teller = teller
        let ignored = try look(list.doubtful, destination)
        guard !pictures.isEmpty else {
            let others = ignored > 0 ? " (\(Figures.count(ignored, "other file")) ignored)" : ""
            throw Stop(
                .usage, "no picture was found\(others)", help: options.isRecursive ? [] : ["--recursive looks into subfolders"])
        }
        if !isStandardOutput {
            try OutputPlan.check(pictures, folder: destination.folder, protectsInputs: true)
            tree = OutputTree(destination.folder, run: runName)
        }
        teller.begin(count: pictures.count, ignored: ignored, bytes: pictures.reduce(0) { $0 + $1.size })
    }

    /// Asks workers what names do not tell: whether files are pictures, and fields of outputs' paths. Leaves in the list what is
    /// to be done, with its outputs; returns how many files are no pictures.
    private func look(_ doubtful: Set<Int>, _ destination: Destination) throws(Stop) -> Int {
        var probes: [Int: ProbeReply] = [:]
        let plan = outputPlan(destination)
        var wanted: [(place: Int, request: ProbeRequest)] = []
        for (place, picture) in pictures.enumerated() where picture.trouble == nil && picture.path != nil {
            let fields = plan.fieldsToProbe(picture)
            guard doubtful.contains(place) || !fields.isEmpty else { continue }
            wanted.append((place, ProbeRequest(key: place, source: picture.source, fields: fields)))
        }
        var ignored: Set<Int> = []
        if !wanted.isEmpty {
            teller?.beginLooking(count: wanted.count)
            try probe(wanted.map(\.request)) { place, result in
                switch result {
                case .success(let reply):
                    probes[place] = reply
                    if reply.format == nil, doubtful.contains(place) { ignored.insert(place) }
                case .failure(let findings):
                    // A camera's raw file or a damaged one is worth a word; what is off or cannot be looked at is not a picture.
                    let isNone = findings.all.allSatisfy {
                        ["not-a-picture", "not-allowed", "not-a-file", "unreadable", "empty"].contains($0.code)
                    }
                    if doubtful.contains(place), isNone {
                        ignored.insert(place)
                    } else {
                        // The run will say it again, or better.
                        pictures[place].trouble = findings.all.first.map(Report.sentence)
                    }
                }
            }
        }
        setup.count = pictures.count - ignored.count
        let final = outputPlan(destination)
        var kept: [Picture] = []
        kept.reserveCapacity(setup.count)
        for (place, picture) in pictures.enumerated() where !ignored.contains(place) {
            var picture = picture
            picture.index = kept.count + 1
            do throws(Diagnostics) {
                picture.outputs = try final.paths(for: picture, probed: probes[place])
            } catch {
                if picture.trouble == nil { picture.trouble = error.all.first.map(Report.sentence) }
            }
            kept.append(picture)
        }
        pictures = kept
        return ignored.count
    }

    private func outputPlan(_ destination: Destination) -> OutputPlan {
        OutputPlan(
            document: document, destination: destination, date: setup.date, count: setup.count,
            emptyMissingFields: options.emptyMissingFields)
    }

    private func probe(_ requests: [ProbeRequest], _ take: (Int, Swift.Result<ProbeReply, Diagnostics>) -> Void) throws(Stop) {
        let crew = Crew(
            launch, setup: setup, deadlines: Deadlines(timeout: options.timeout), size: min(options.jobs, requests.count))
        defer { crew.dismiss() }
        var waiting = Array(requests.reversed())
        while !waiting.isEmpty || crew.busyCount > 0 {
            while crew.hasRoom, let request = waiting.popLast() { try crew.give(.probe(request), descriptors: []) }
            let (events, _) = try crew.wait([signals.descriptor], timeout: 0.2)
            if let code = signals.next() { throw Stop(code, "interrupted before the first picture") }
            for event in events {
                switch event {
                case .finished(let key, .probed(let result), _):
                    take(key, result)
                    teller?.looked()
                case .lost(let key): waiting += requests.filter { $0.key == key }
                case .refused(let findings): throw refusal(findings)
                default: break
                }
            }
        }
    }

    // MARK: The loop

    private func work() throws(Stop) {
        let jobs = min(options.jobs, pictures.count)
        let crew = Crew(launch, setup: setup, deadlines: Deadlines(timeout: options.timeout), size: jobs)
        let publisher = try Publisher(threads: min(options.publishers, pictures.count))
        self.crew = crew
        self.publisher = publisher
        while true {
            // What waits for the disk is bounded, and with it the descriptors.
            while !isEnding, !again.isEmpty || next < pictures.count, crew.hasRoom, publishing.count < 2 * jobs + 2 {
                if let place = again.popLast() {
                    try begin(place, crew)
                } else {
                    next += 1
                    try begin(next - 1, crew)
                }
            }
            if crew.busyCount == 0, publishing.isEmpty, isEnding || again.isEmpty && next == pictures.count { break }
            var patience = teller?.progress.patience ?? 1
            if let graceEnd { patience = min(patience, max(0, graceEnd - Clock.now)) }
            let (events, ready) = try crew.wait([signals.descriptor, publisher.bell], timeout: patience)
            if ready.contains(signals.descriptor), let code = signals.next() {
                guard graceEnd == nil else { return endAtOnce() }
                exit = exit.combined(with: code)
                isEnding = true
                graceEnd = Clock.now + Self.grace
            }
            for event in events { try take(event) }
            if ready.contains(publisher.bell) { for done in publisher.takeDone() { try take(done) } }
            if let end = graceEnd, Clock.now >= end { drop() }
            if let failure = teller?.reportFailure { throw Stop(.unwritable, "the report cannot be written: \(failure)") }
            teller?.tick()
        }
        dropRest()
    }

    /// Hands a picture to a worker, or ends it where that is clear beforehand.
    private func begin(_ place: Int, _ crew: Crew) throws(Stop) {
        let picture = pictures[place]
        if let trouble = picture.trouble { return fail(place, [Diagnostic("unreadable", message: trouble)]) }
        var request = RunRequest(key: place, source: picture.source)
        request.relative = picture.relative
        request.index = picture.index
        request.row = picture.row
        request.identity = picture.identity
        request.isDry = options.isDry
        request.outputs = picture.outputs.enumerated().map { RunRequest.Output(index: $0.offset, path: $0.element) }
        var staged: [StagedFile] = []
        do throws(OutputError) {
            guard try !isThere(picture) else { return }
            if !options.isDry { staged = try stage(picture) }
        } catch {
            return try fail(place, error)
        }
        let descriptors = (picture.source == .descriptor ? [0] : []) + staged.map(\.descriptor)
        inWork[place] = staged
        try crew.give(.run(request), descriptors: descriptors)
    }

    /// Whether an output exists and the picture has been ended for that.
    private func isThere(_ picture: Picture) throws(OutputError) -> Bool {
        guard let tree, options.existing != .overwrite else { return false }
        for path in picture.outputs where try tree.facts(of: path) != nil {
            guard options.existing == .skip else { throw OutputError(SystemError(EEXIST), tree.path.appending(path)) }
            var ended = Ended(picture: picture, status: .skipped)
            ended.findings = [Diagnostic("exists", severity: .note, message: "the output exists already")]
            teller?.end(ended)
            return true
        }
        return false
    }

    private func stage(_ picture: Picture) throws(OutputError) -> [StagedFile] {
        guard let tree else {
            // For standard output: a file without a name, so that a picture that fails sends nothing.
            let path = BytePath(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")
            guard let folder = try OutputTree(path, run: runName).folder(BytePath(""), making: false) else {
                throw OutputError("unwritable", "there is no folder for temporary files: \(path)", stopsRun: true)
            }
            return try [StagedFile(in: folder, relative: BytePath("output"), run: runName)]
        }
        var staged: [StagedFile] = []
        for path in picture.outputs {
            guard let folder = try tree.folder(path.folder, making: true) else {
                throw OutputError("unwritable", "the folder of \(path) vanished", stopsRun: false)
            }
            staged.append(try StagedFile(in: folder, relative: path, run: runName))
        }
        return staged
    }

    private func take(_ event: Crew.Event) throws(Stop) {
        switch event {
        case .phase: break
        case .said(let pid, let bytes): teller?.workerSaid(pid: pid, bytes)
        case .refused(let findings): throw refusal(findings)
        case .lost(let place):
            for file in inWork.removeValue(forKey: place) ?? [] { file.close() }
            again.append(place)
        case .finished(_, .probed, _): break
        case .finished(let place, .ran(let result), let seconds):
            let staged = inWork.removeValue(forKey: place) ?? []
            switch result {
            case .success(let reply):
                if options.isStrict, !reply.warnings.isEmpty {
                    for file in staged { file.close() }
                    return fail(place, reply.warnings.map { Self.asError($0) })
                }
                try finish(place, reply, staged, seconds)
            case .failure(let findings):
                let isFull = findings.all.contains { $0.code == "disk-full" } || staged.contains { Self.isFull($0.descriptor) }
                for file in staged { file.close() }
                fail(place, findings.all, seconds: seconds)
                if isFull { throw Stop(.unwritable, "the disk is full") }
                // What is not installed is missing for the next picture too.
                if teller?.totals.done == 0, pictures[place].row.isEmpty,
                    findings.all.contains(where: { $0.code == "not-installed" })
                {
                    throw Stop(.missing, "something that the document needs is not installed")
                }
            }
        }
    }

    private func finish(_ place: Int, _ reply: RunReply, _ staged: [StagedFile], _ seconds: Double) throws(Stop) {
        if options.isDry {
            teller?.plan(pictures[place], reply)
            teller?.end(Ended(picture: pictures[place], status: .done, reply: reply, seconds: seconds))
        } else if tree == nil {
            let bytes = try copyToOutput(staged)
            for file in staged { file.close() }
            teller?.end(Ended(picture: pictures[place], status: .done, reply: reply, bytes: bytes, seconds: seconds))
        } else {
            publishing[place] = (reply, seconds)
            publisher?.publish(Publisher.Order(key: place, files: staged, replaces: options.existing == .overwrite))
        }
    }

    private func copyToOutput(_ staged: [StagedFile]) throws(Stop) -> Int64 {
        var total: Int64 = 0
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        for file in staged {
            var offset: off_t = 0
            while true {
                let count = pread(file.descriptor, &chunk, chunk.count, offset)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw Stop(.unwritable, "the temporary file cannot be read: \(SystemError.last)") }
                if count == 0 { break }
                output.write(chunk.prefix(count))
                offset += off_t(count)
            }
            total += Int64(offset)
        }
        if let failure = output.failure { throw Stop(.unwritable, "standard output cannot be written: \(failure)") }
        return total
    }

    private func take(_ done: Publisher.Done) throws(Stop) {
        guard let (reply, seconds) = publishing.removeValue(forKey: done.key) else { return }
        var bytes: Int64 = 0
        for result in done.results {
            switch result {
            case .success(let facts): bytes += facts.size
            case .failure(let error) where error.code == "exists" && options.existing == .skip:
                // Another process was quicker.
                var ended = Ended(picture: pictures[done.key], status: .skipped, seconds: seconds)
                ended.findings = [Diagnostic("exists", severity: .note, message: "the output exists already")]
                teller?.end(ended)
                return
            case .failure(let error): return try fail(done.key, error)
            }
        }
        teller?.end(Ended(picture: pictures[done.key], status: .done, reply: reply, bytes: bytes, seconds: seconds))
    }

    // MARK: Ends

    private func fail(_ place: Int, _ findings: [Diagnostic], seconds: Double = 0) {
        teller?.end(Ended(picture: pictures[place], status: .failed, findings: findings, seconds: seconds))
        exit = exit.combined(with: .failures)
        if options.stopsAtFirst { isEnding = true }
        if let most = options.mostFailures, teller?.totals.failed ?? 0 > most {
            isEnding = true
            exit = exit.combined(with: .limit)
        }
    }

    private func fail(_ place: Int, _ error: OutputError) throws(Stop) {
        fail(place, [Diagnostic(error.code, message: error.message)])
        if error.stopsRun { throw Stop(.unwritable, error.message) }
    }

    /// No worker can use the document: it is the document, or something that is not installed.
    private func refusal(_ findings: Diagnostics) -> Stop {
        for finding in findings.all { teller?.say(finding) }
        let isMissing = findings.all.contains { $0.code == "not-installed" }
        return Stop(isMissing ? .missing : .invalid, "the document cannot be used")
    }

    private static func asError(_ warning: Diagnostic) -> Diagnostic {
        var finding = warning
        finding.severity = .error
        return finding
    }

    private static func isFull(_ descriptor: Int32) -> Bool {
        var status = statvfs()
        return fstatvfs(descriptor, &status) == 0 && status.f_blocks > 0 && status.f_bavail * status.f_frsize < 65536
    }

    /// Ends pictures in work without an output.
    private func drop() {
        for place in (crew?.drop() ?? []).sorted() { drop(place) }
        graceEnd = .infinity
    }

    private func drop(_ place: Int) {
        for file in inWork.removeValue(forKey: place) ?? [] { file.close() }
        var ended = Ended(picture: pictures[place], status: .dropped)
        ended.findings = [Diagnostic("dropped", severity: .note, message: "the run was ended before it was done")]
        teller?.end(ended)
    }

    /// The report names every picture.
    private func dropRest() {
        for place in again { drop(place) }
        again = []
        while next < pictures.count {
            drop(next)
            next += 1
        }
    }

    /// The run cannot go on: what is in work is dropped, what is being named is waited for.
    private func abandon() {
        guard let crew, let publisher else { return }
        for place in crew.drop().sorted() { drop(place) }
        for place in inWork.keys.sorted() { drop(place) }
        publisher.close()
        for done in publisher.takeDone() {
            do throws(Stop) { try take(done) } catch { exit = exit.combined(with: error.code) }
        }
        dropRest()
    }

    /// A second signal: nothing is waited for. What has no name yet will have none.
    private func endAtOnce() {
        _ = crew?.drop()
        teller?.progress.clear()
        _exit(exit.number)
    }
}
