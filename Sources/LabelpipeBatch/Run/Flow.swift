import Diagnostics
import Glibc
import LabelpipeWorker

/// The loop: hands pictures out, takes verdicts in, publishes.
extension BatchRun {
    func work() throws(Stop) {
        guard !pictures.isEmpty else { return }
        let jobs = min(options.jobs, pictures.count)
        let crew = Crew(launch, setup: setup, deadlines: Deadlines(timeout: options.timeout), size: jobs)
        let descriptors = try Descriptors(each: document.outputs.count + (options.gallery == nil ? 0 : 2), jobs: jobs)
        let publisher = try Publisher(threads: min(options.publishers, pictures.count))
        self.crew = crew
        self.publisher = publisher
        while true {
            // What waits for the disk is bounded, and with it the descriptors.
            while !isEnding, crew.hasRoom, publishing.count < 2 * jobs + 2,
                descriptors.hasRoom(beside: inWork.count + publishing.count), let place = nextPlace()
            { try begin(place, crew) }
            if crew.busyCount == 0, publishing.isEmpty, isEnding || isHandedOut { break }
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
            // Whether the bell was heard or not: looking costs nothing.
            for done in publisher.takeDone() { try take(done) }
            if let end = graceEnd, Clock.now >= end { drop() }
            if let failure = teller?.reportFailure { throw Stop(.unwritable, "the report cannot be written: \(failure)") }
            if let failure = journal?.failure { throw Stop(.unwritable, "the journal cannot be written: \(failure)") }
            teller?.tick()
        }
        dropRest()
    }

    private var isHandedOut: Bool { again.isEmpty && waiting.isEmpty && next == pictures.count }

    /// The next picture to be begun; nil when there is none, or when the first that waits for memory has to wait on.
    private func nextPlace() -> Int? {
        if let first = waiting.first {
            guard fits(first) else { return nil }
            return waiting.removeFirst()
        }
        if let place = again.popLast() { return place }
        guard next < pictures.count else { return nil }
        next += 1
        return next - 1
    }

    /// Hands a picture to a worker, or ends it where that is clear beforehand.
    private func begin(_ place: Int, _ crew: Crew) throws(Stop) {
        let picture = pictures[place]
        if let trouble = picture.trouble { return fail(place, [trouble]) }
        if let refusal = crew.refusedPlugin { return fail(place, [refusal]) }
        guard let look = try attempt(place, { () throws(OutputError) in try lookRequest(place) }) else { return }
        if let request = look { return try give(.probe(request), [], place, crew) }
        guard let fonts = try attempt(place, { () throws(OutputError) in try fontsRequest(place) }) else { return }
        if let request = fonts {
            rehearsing.insert(place)
            return try give(.run(request), [], place, crew)
        }
        guard try attempt(place, { () throws(OutputError) in try isThere(place) }) == false, try isAdmitted(place) else { return }
        var request = drawing(place)
        request.isDry = options.isDry
        // What came through a pipe cannot be given back.
        request.share = picture.path == nil ? nil : committed[place]
        request.cap = cap(place)
        request.hash = journal == nil ? nil : options.resume ?? .ends
        var staged: [StagedFile] = []
        if !options.isDry {
            guard let files = try attempt(place, { () throws(OutputError) in try stage(picture) }) else { return }
            staged = files
            if let gallery = teller?.gallery {
                guard let copies = try attempt(place, { () throws(OutputError) in try gallery.stage(picture) }) else { return }
                staged += copies
                request.thumbnails = true
            }
        }
        inWork[place] = staged
        try give(.run(request), (picture.source == .descriptor ? [0] : []) + staged.map(\.descriptor), place, crew)
    }

    /// What draws a picture.
    func drawing(_ place: Int) -> RunRequest {
        let picture = pictures[place]
        var request = RunRequest(key: place, source: picture.source)
        request.relative = picture.relative
        request.index = picture.index
        request.row = picture.row
        request.identity = picture.identity
        request.outputs = picture.outputs.enumerated().map { RunRequest.Output(index: $0.offset, path: $0.element) }
        return request
    }

    private func give(_ request: Request, _ descriptors: [Int32], _ place: Int, _ crew: Crew) throws(Stop) {
        do throws(Stop) {
            try crew.give(request, descriptors: descriptors)
        } catch {
            for file in inWork.removeValue(forKey: place) ?? [] { file.close() }
            again.append(place)
            throw error
        }
    }

    /// Nil where it went wrong and the picture has been ended for that.
    private func attempt<Value>(_ place: Int, _ body: () throws(OutputError) -> Value) throws(Stop) -> Value? {
        do throws(OutputError) {
            return try body()
        } catch {
            try fail(place, error)
            return nil
        }
    }

    /// Opens a picture's outputs, without names.
    private func stage(_ picture: Picture) throws(OutputError) -> [StagedFile] {
        guard let destination else { return [] }
        switch destination.kind {
        case .inPlace: return try [InPlace.stage(picture, run: runName, leftOvers: leftOvers, breaksLinks: options.breaksLinks)]
        case .standardOutput:
            // A file without a name, so that a picture that fails sends nothing.
            let path = BytePath(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")
            guard let folder = try OutputTree(path, run: runName).folder(BytePath(""), making: false) else {
                throw OutputError("unwritable", "there is no folder for temporary files: \(path)", stopsRun: true)
            }
            return try [StagedFile(in: folder, relative: BytePath("output"), run: runName)]
        case .folder, .file:
            var staged: [StagedFile] = []
            for path in picture.outputs {
                guard let folder = try tree?.folder(path.folder, making: true) else {
                    throw OutputError("unwritable", "the folder of \(path) vanished")
                }
                staged.append(try StagedFile(in: folder, relative: path, run: runName, unnamed: options.usesUnnamedFiles))
            }
            return staged
        }
    }

    // MARK: Verdicts

    private func take(_ event: Crew.Event) throws(Stop) {
        switch event {
        case .phase: break
        case .said(let pid, let bytes): teller?.workerSaid(pid: pid, bytes)
        case .refused(let findings): throw refusal(findings)
        case .lost(let place):
            for file in inWork.removeValue(forKey: place) ?? [] { file.close() }
            committed[place] = nil
            rehearsing.remove(place)
            again.append(place)
        case .finished(let place, .ran(let result), _) where rehearsing.contains(place):
            rehearsing.remove(place)
            // What is wrong with it the run will say.
            rehearsed[place] = .some((try? result.get())?.fonts)
            again.append(place)
        case .finished(let place, .probed(let result), _):
            // What is wrong with it the run will say.
            looked[place] = (try? result.get()) ?? ProbeReply()
            again.append(place)
        case .finished(let place, .ran(let result), let seconds):
            let staged = inWork.removeValue(forKey: place) ?? []
            committed[place] = nil
            looked[place] = nil
            rehearsed[place] = nil
            switch result {
            case .success(let reply):
                if options.isStrict, !reply.told(.warning).isEmpty {
                    for file in staged { file.close() }
                    return fail(place, reply.told(.warning).map { Self.asError($0) })
                }
                try finish(place, reply, staged, seconds)
            case .failure(let findings):
                if waitsForMemory(place, findings) {
                    for file in staged { file.close() }
                } else {
                    try fail(place, findings, staged, seconds)
                }
            }
        // Never asked for by a run.
        case .finished(_, .compared, _), .finished(_, .examined, _): break
        }
    }

    private func fail(_ place: Int, _ findings: Diagnostics, _ staged: [StagedFile], _ seconds: Double) throws(Stop) {
        let isFull = findings.all.contains { $0.code == "disk-full" } || staged.contains { Self.isFull($0.descriptor) }
        for file in staged { file.close() }
        fail(place, findings.all, seconds: seconds)
        if isFull { throw Stop(.unwritable, "the disk is full") }
        // What is not installed is missing for the next picture too.
        if teller?.totals.done == 0, pictures[place].row.isEmpty, findings.all.contains(where: { $0.code == "not-installed" }) {
            throw Stop(.missing, "something that the document needs is not installed")
        }
    }

    private func finish(_ place: Int, _ reply: RunReply, _ staged: [StagedFile], _ seconds: Double) throws(Stop) {
        guard !options.isDry else {
            teller?.plan(pictures[place], reply)
            teller?.end(Ended(picture: pictures[place], status: .done, reply: reply, seconds: seconds))
            return
        }
        if case .standardOutput = destination?.kind {
            let bytes = try copyToOutput(staged)
            for file in staged { file.close() }
            teller?.end(Ended(picture: pictures[place], status: .done, reply: reply, bytes: bytes, seconds: seconds))
            return
        }
        // Behind the outputs lie a gallery's small copies.
        let count = pictures[place].outputs.count
        var order = Publisher.Order(key: place, files: Array(staged.prefix(count)), replaces: replaces)
        order.beside = Array(staged.dropFirst(count))
        if options.isInPlace { order.inPlace = inPlace(place, reply) }
        if options.keepsTimes { order.modified = pictures[place].modified }
        publishing[place] = (reply, seconds)
        publisher?.publish(order)
    }

    private func inPlace(_ place: Int, _ reply: RunReply) -> Publisher.InPlaceOrder {
        let picture = pictures[place]
        let key = key(of: picture)
        let (journals, home) = (inPlaceJournals, picture.home)
        return Publisher.InPlaceOrder(identity: picture.identity) { made throws(Stop) in
            var entry = Journal.Entry(source: reply.source, key: key)
            entry.outputs = picture.outputs.map { ($0, made.size) }
            entry.result = made
            guard let journals, let home else { return }
            try journals.add(entry, input: picture.path, home: home)
        }
    }

    /// Whether an output that exists gives way.
    var replaces: Bool { options.existing == .overwrite || options.isInPlace || options.resume != nil }

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

    func take(_ done: Publisher.Done) throws(Stop) {
        guard let (reply, seconds) = publishing.removeValue(forKey: done.key) else { return }
        let picture = pictures[done.key]
        var bytes: Int64 = 0
        var entry = Journal.Entry(source: reply.source, key: key(of: picture))
        if document.drawsText { entry.fonts = Journal.Fonts(state: fontState, used: reply.fonts) }
        for (path, result) in zip(picture.outputs, done.results) {
            switch result {
            case .success(let facts):
                bytes += facts.size
                entry.outputs.append((path, facts.size))
            case .failure(let error) where error.code == "exists" && options.existing == .skip:
                // Another process was quicker.
                return skip(done.key, Self.existsNote, seconds: seconds)
            case .failure(let error): return try fail(done.key, error)
            }
        }
        // In place its line is there already, in another journal.
        journal?.add(entry, input: picture.path)
        var ended = Ended(picture: picture, status: .done, reply: reply, bytes: bytes, seconds: seconds)
        ended.smallCopies = Set(zip(["before", "after"], done.beside).filter(\.1).map(\.0))
        teller?.end(ended)
    }

    private static func isFull(_ descriptor: Int32) -> Bool {
        var status = statvfs()
        return fstatvfs(descriptor, &status) == 0 && status.f_blocks > 0 && status.f_bavail * status.f_frsize < 65536
    }

    private static func asError(_ warning: Diagnostic) -> Diagnostic {
        var finding = warning
        finding.severity = .error
        finding.message = Findings.strict(warning.message)
        return finding
    }
}
