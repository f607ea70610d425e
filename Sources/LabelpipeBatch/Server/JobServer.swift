import Diagnostics
import Glibc
import LabelpipeKit
import LabelpipeWorker

/// `labelpipe worker` for engines that bring their own lists: jobs as JSON lines on standard input, a verdict for each on
/// standard output.
///
/// It is a supervisor like a run's: pictures are done by worker processes of its own, so a picture that crashes one costs a
/// verdict, and outputs appear whole or not at all.
package final class JobServer {
    /// Loads a document by its path.
    ///
    /// **Errors.** All findings about it.
    package typealias Load = (BytePath) throws(Diagnostics) -> (document: BatchDocument, setup: Setup)

    private let jobs: Int
    private let isOrdered: Bool
    private let timeout: Double?
    private let launch: Launch
    private let load: Load
    private let input: Channel
    private let output: Output
    private let errors: Output
    private let signals = SignalWatch()
    private let run = RunName()

    private var lines: [(number: Int, line: [UInt8])] = []
    private var count = 0
    private var isAtEnd = false
    /// The document that workers are ready for.
    private var current: (pipeline: BytePath, document: BatchDocument, setup: Setup, crew: Crew)?
    private var inWork: [Int: Work] = [:]
    private var publishing: [Int: (Work, RunReply, Double)] = [:]
    /// Verdicts that wait for earlier ones.
    private var held: [Int: [UInt8]] = [:]
    private var nextVerdict = 1

    private struct Work {
        let job: JobLine
        var picture: Picture
        var files: [StagedFile]
        let folder: BytePath
        let request: RunRequest
    }

    /// - Parameters:
    ///   - input: an open descriptor that gives jobs.
    ///   - isOrdered: verdicts in the order of the jobs, else as they come.
    package init(
        jobs: Int, isOrdered: Bool, timeout: Double?, launch: Launch, input: Int32, output: Output, errors: Output,
        load: @escaping Load
    ) {
        self.jobs = jobs
        self.isOrdered = isOrdered
        self.timeout = timeout
        self.launch = launch
        self.load = load
        self.input = Channel(input: input, output: input)
        self.output = output
        self.errors = errors
    }

    /// Serves until standard input ends; the code is 0 whatever the verdicts.
    package func serve() -> ExitCode {
        do throws(Stop) {
            let publisher = try Publisher(threads: 2)
            defer {
                current?.crew.dismiss()
                publisher.close()
            }
            while true {
                while let (number, line) = lines.first, inWork.count + publishing.count < 2 * jobs {
                    guard try begin(number, line) else { break }
                    lines.removeFirst()
                }
                if isAtEnd, lines.isEmpty, inWork.isEmpty, publishing.isEmpty { return .done }
                if let code = try turn(publisher) { return code }
                if let failure = output.failure { throw Stop(.unwritable, "verdicts cannot be written: \(failure)") }
            }
        } catch {
            errors.line("error: \(error.message)")
            return error.code
        }
    }

    /// One wait and what came of it; a code where a signal ends the service.
    private func turn(_ publisher: Publisher) throws(Stop) -> ExitCode? {
        var others = [signals.descriptor, publisher.bell]
        if !isAtEnd, lines.count < 2 * jobs { others.append(input.input) }
        var ready: Set<Int32>
        var events: [Crew.Event] = []
        if let crew = current?.crew {
            (events, ready) = try crew.wait(others, timeout: 60)
        } else {
            var polled = others.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            ready = poll(&polled, nfds_t(polled.count), 60_000) > 0 ? Set(polled.filter { $0.revents != 0 }.map(\.fd)) : []
        }
        if ready.contains(signals.descriptor), let code = signals.next() {
            // What is in work is dropped: the engine will give it to somebody else.
            _ = current?.crew.drop()
            return code
        }
        for event in events { take(event, publisher) }
        for done in publisher.takeDone() { take(done) }
        if ready.contains(input.input) { readLines() }
        return nil
    }

    private func readLines() {
        do throws(Channel.Failure) {
            try input.fill()
            while let line = try input.nextLine() { add(line) }
        } catch {
            isAtEnd = true
            while let line = try? input.nextLine() { add(line) }
            if let rest = input.takeRest() { add(rest) }
        }
    }

    private func add(_ line: [UInt8]) {
        guard line.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { return }
        count += 1
        lines.append((count, line))
    }

    // MARK: One job

    /// False if it has to wait: for a worker, or for another document's jobs to end.
    private func begin(_ number: Int, _ line: [UInt8]) throws(Stop) -> Bool {
        var key: JSONValue?
        var picture = Picture(source: .none)
        let work: Work
        do throws(Diagnostics) {
            let job = try JobLine(line, number: number)
            key = job.key
            if let input = job.input { picture.source = .path(input) }
            guard try ready(job.pipeline), let current, current.crew.hasRoom else { return false }
            work = try prepare(job, number, current.document, current.setup)
        } catch {
            if key == nil { key = (try? JSONValue.parse(line, file: "", limits: .message))?["key"] }
            tell(number, key, Ended(picture: picture, status: .failed, findings: error.all), BytePath(""))
            return true
        }
        inWork[number] = work
        try current?.crew.give(.run(work.request), descriptors: work.files.map(\.descriptor))
        return true
    }

    /// Whether workers for the document are there; the ones for another are let go when they are done.
    private func ready(_ pipeline: BytePath) throws(Diagnostics) -> Bool {
        if let current {
            if current.pipeline == pipeline { return true }
            guard inWork.isEmpty else { return false }
            current.crew.dismiss()
            self.current = nil
        }
        let (document, setup) = try load(pipeline)
        let crew = Crew(launch, setup: setup, deadlines: Deadlines(timeout: timeout), size: jobs)
        current = (pipeline, document, setup, crew)
        return true
    }

    private func prepare(
        _ job: JobLine, _ number: Int, _ document: BatchDocument, _ setup: Setup
    ) throws(Diagnostics) -> Work {
        var picture = job.input.map(InputList.listed) ?? Picture(source: .none)
        if let trouble = picture.trouble { throw [trouble] }
        guard document.takesInput == (job.input != nil) else {
            throw [
                Diagnostic(
                    "bad-job", message: document.takesInput ? "the job has no \"input\"" : "the document takes no \"input\"")
            ]
        }
        picture.row = job.cells
        picture.relative = job.relative
        picture.index = job.index
        let own = try document.perRow.map { (perRow) throws(Diagnostics) in try perRow(job.cells) } ?? document
        let folder: Destination
        do throws(Stop) {
            let destination = try Destination(job.output, pictures: 1, outputs: own.outputs.count, hasFolder: false)
            let plan = OutputPlan(
                destination: destination, date: setup.date, count: 1, emptyMissingFields: setup.emptyMissingFields)
            guard plan.fieldsToProbe(picture, own).isEmpty else {
                throw Stop(.usage, "the document's output path needs a look into the picture: give a file as \"output\"")
            }
            do throws(Diagnostics) {
                picture.outputs = try plan.paths(for: picture, own, probed: nil)
            } catch {
                throw Stop(.usage, error.all.first?.message ?? "the output has no path")
            }
            try OutputPlan.check([picture], folder: destination.folder)
            folder = destination
        } catch {
            throw [Diagnostic("bad-job", message: error.message)]
        }
        return try stage(job, number, picture, folder)
    }

    private func stage(
        _ job: JobLine, _ number: Int, _ picture: Picture, _ destination: Destination
    ) throws(Diagnostics) -> Work {
        let tree = OutputTree(destination.folder, run: run)
        var files: [StagedFile] = []
        do throws(OutputError) {
            for path in picture.outputs {
                if !job.overwrites, try tree.facts(of: path) != nil {
                    throw OutputError.existing(destination.folder.appending(path))
                }
                guard let folder = try tree.folder(path.folder, making: true) else { continue }
                files.append(try StagedFile(in: folder, relative: path, run: run))
            }
        } catch {
            for file in files { file.close() }
            throw [Diagnostic(error.code, message: error.message)]
        }
        var request = RunRequest(key: number, source: picture.source)
        request.relative = job.relative
        request.index = job.index
        request.row = job.cells
        request.identity = picture.identity
        request.outputs = picture.outputs.enumerated().map { RunRequest.Output(index: $0.offset, path: $0.element) }
        return Work(job: job, picture: picture, files: files, folder: destination.folder, request: request)
    }

    // MARK: Verdicts

    private func take(_ event: Crew.Event, _ publisher: Publisher) {
        switch event {
        case .finished(let number, .ran(let result), let seconds):
            guard let work = inWork.removeValue(forKey: number) else { return }
            switch result {
            case .success(let reply):
                publishing[number] = (work, reply, seconds)
                var order = Publisher.Order(key: number, files: work.files, replaces: work.job.overwrites)
                order.replacesOwn = true
                publisher.publish(order)
            case .failure(let findings):
                for file in work.files { file.close() }
                fail(number, work, findings.all, seconds)
            }
        case .refused(let findings):
            for (number, work) in inWork.sorted(by: { $0.key < $1.key }) { fail(number, work, findings.all, 0) }
            inWork = [:]
            current?.crew.dismiss()
            current = nil
        case .lost(let number):
            guard let work = inWork.removeValue(forKey: number) else { return }
            fail(number, work, [Diagnostic("crash", message: "the worker ended before it was ready")], 0)
        default: break
        }
    }

    private func take(_ done: Publisher.Done) {
        guard let (work, reply, seconds) = publishing.removeValue(forKey: done.key) else { return }
        var bytes: Int64 = 0
        for result in done.results {
            switch result {
            case .success(let facts): bytes += facts.size
            case .failure(let error): return fail(done.key, work, [Diagnostic(error.code, message: error.message)], seconds)
            }
        }
        let ended = Ended(picture: work.picture, status: .done, reply: reply, bytes: bytes, seconds: seconds)
        tell(done.key, work.job.key, ended, work.folder)
    }

    private func fail(_ number: Int, _ work: Work, _ findings: [Diagnostic], _ seconds: Double) {
        let ended = Ended(picture: work.picture, status: .failed, findings: findings, seconds: seconds)
        tell(number, work.job.key, ended, work.folder)
    }

    private func tell(_ number: Int, _ key: JSONValue?, _ ended: Ended, _ folder: BytePath) {
        let line = Report.line(ended, folder: folder, key: key)
        guard isOrdered else { return output.write(line) }
        held[number] = line
        while let line = held.removeValue(forKey: nextVerdict) {
            output.write(line)
            nextVerdict += 1
        }
    }
}
