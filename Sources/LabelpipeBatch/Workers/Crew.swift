import CLinux
import Diagnostics
import Glibc
import LabelpipeWorker

/// The workers of a run: starts them when there is work, hands it out, and turns a crash or a hang into a verdict on one picture.
final class Crew {
    /// What became of a request.
    enum Outcome {
        case probed(Swift.Result<ProbeReply, Diagnostics>)
        case ran(Swift.Result<RunReply, Diagnostics>)
        case compared(Swift.Result<CompareReply, Diagnostics>)
        case examined(Swift.Result<ExamineReply, Diagnostics>)
    }

    enum Event {
        case phase(key: Int, Phase, PictureSize?)
        case finished(key: Int, Outcome, seconds: Double)
        /// Its worker ended before it was ready: the picture is not to blame and can be given again.
        case lost(key: Int)
        /// No worker can use the document.
        case refused(Diagnostics)
        /// A worker's standard error, for `--verbose`.
        case said(pid: Int32, [UInt8])
    }

    private let launch: Launch
    private let setup: [UInt8]
    private let deadlines: Deadlines
    let size: Int
    private var workers: [WorkerProcess] = []
    /// Killed and not yet gone: a process in an uninterruptible call ends when it can, and nothing waits for it.
    private var ghosts: [WorkerProcess] = []
    /// Workers in a row that ended before they were ready.
    private var failedStarts = 0
    private var spawnLimit: Int
    /// Workers that ended in a plugin, by its id.
    private var pluginDeaths: [String: Int] = [:]
    /// As many, and the plugin is refused for the rest of the run.
    static let mostPluginDeaths = 3

    init(_ launch: Launch, setup: Setup, deadlines: Deadlines, size: Int) {
        var writer = JSONWriter()
        setup.write(to: &writer)
        self.setup = writer.bytes
        self.launch = launch
        self.deadlines = deadlines
        self.size = max(1, size)
        spawnLimit = self.size
    }

    /// How many requests are out.
    var busyCount: Int { workers.count { $0.work != nil } }

    /// Whether a request can be handed out now.
    var hasRoom: Bool { workers.contains { $0.work == nil && $0.ending == nil } || workers.count < spawnLimit }

    /// Process ids of the workers alive, for tests.
    var pids: [Int32] { workers.map(\.pid) }

    /// Hands a request to an idle worker, or to a new one. The descriptors stay the caller's.
    func give(_ request: Request, descriptors: [Int32]) throws(Stop) {
        var writer = JSONWriter()
        request.write(to: &writer)
        while true {
            let worker = try idleWorker()
            let now = Clock.now
            worker.work = WorkerProcess.Work(request: request, started: now, entered: now)
            do throws(Channel.Failure) {
                try worker.channel.send(writer.bytes, descriptors: descriptors)
                return
            } catch {
                // It died while it had nothing to do: no picture is to blame, another takes the request.
                worker.work = nil
                bury(worker)
                if !worker.isReady { try countFailedStart(worker) }
            }
        }
    }

    /// **Errors.** Workers end one after the other before they are ready: more of them would too.
    private func countFailedStart(_ worker: WorkerProcess) throws(Stop) {
        failedStarts += 1
        guard failedStarts >= 3 else { return }
        let words = Death.sentence(worker.lastWords).map { ": \($0)" } ?? ""
        throw Stop(
            .missing, "worker processes end before they have started\(words)", help: ["labelpipe doctor says what is missing"])
    }

    private func idleWorker() throws(Stop) -> WorkerProcess {
        if let idle = workers.first(where: { $0.work == nil && $0.ending == nil }) { return idle }
        do throws(SystemError) {
            let worker = try WorkerProcess(launch)
            workers.append(worker)
            // What cannot be sent shows as an end of its channel at the next poll.
            try? worker.channel.send(setup)
            return worker
        } catch {
            throw Stop(.limit, "no worker process can be started: \(error)")
        }
    }

    /// Waits until a worker, one of `others` or the timeout has something to say, and returns it with the ready ones of `others`.
    func wait(_ others: [Int32], timeout: Double) throws(Stop) -> (events: [Event], ready: Set<Int32>) {
        var polled: [pollfd] = []
        for worker in workers where worker.ending == nil {
            polled.append(pollfd(fd: worker.channel.input, events: Int16(POLLIN), revents: 0))
            polled.append(pollfd(fd: worker.errors, events: Int16(POLLIN), revents: 0))
        }
        for other in others { polled.append(pollfd(fd: other, events: Int16(POLLIN), revents: 0)) }
        var patience = timeout
        let now = Clock.now
        for worker in workers {
            if let end = deadline(of: worker) { patience = min(patience, end - now) }
            // An ended process is waited for by asking: SIGCHLD would be one more thing shared with a program that embeds us.
            if worker.ending != nil { patience = min(patience, 0.004) }
        }
        let count = poll(&polled, nfds_t(polled.count), Int32(max(0, (patience * 1000).rounded(.up))))
        let ready = count > 0 ? Set(polled.filter { $0.revents != 0 }.map(\.fd)) : []
        var events: [Event] = []
        for worker in workers where worker.ending == nil {
            if ready.contains(worker.errors) {
                let heard = worker.listen()
                if !heard.isEmpty { events.append(.said(pid: worker.pid, heard)) }
            }
            if ready.contains(worker.channel.input) { hear(worker, &events) }
        }
        checkDeadlines()
        try reap(&events)
        return (events, ready.intersection(others))
    }

    private func deadline(of worker: WorkerProcess) -> Double? {
        guard let work = worker.work, worker.ending == nil else { return nil }
        // Until a worker is ready it loads libraries and the document: the first picture does not pay for that alone.
        return deadlines.end(of: work.phase, size: work.size, started: work.started, entered: work.entered)
    }

    private func checkDeadlines() {
        let now = Clock.now
        for worker in workers {
            if let end = deadline(of: worker), now >= end {
                worker.ending = .deadline
                worker.kill()
            }
        }
    }

    /// Takes in what a worker has sent.
    private func hear(_ worker: WorkerProcess, _ events: inout [Event]) {
        do throws(Channel.Failure) {
            // What was sent before a crash counts: a verdict that is there is a verdict.
            var isClosed = false
            do throws(Channel.Failure) { try worker.channel.fill() } catch { isClosed = true }
            while let line = try worker.channel.nextLine() { try take(line, from: worker, &events) }
            if isClosed { throw .closed }
        } catch {
            guard worker.ending == nil else { return }
            worker.ending = .gone
            worker.end = Clock.now
            _ = worker.listen()
        }
    }

    private func take(_ line: [UInt8], from worker: WorkerProcess, _ events: inout [Event]) throws(Channel.Failure) {
        guard let message = try? JSONValue.parse(line, file: "reply", limits: .message), let reply = Reply(message) else {
            throw .closed
        }
        switch reply {
        case .ready:
            worker.isReady = true
            failedStarts = 0
            // Its picture's time begins now.
            worker.work?.entered = Clock.now
        case .refused(let findings): events.append(.refused(findings))
        case .phase(let key, let size, let phase):
            guard worker.work?.request.key == key else { return }
            worker.work?.phase = phase
            worker.work?.entered = Clock.now
            if let size { worker.work?.size = size }
            events.append(.phase(key: key, phase, size))
        case .inside(let place): worker.enters(place)
        case .probed(let key, let result): finish(worker, key, .probed(result), &events)
        case .ran(let key, let result): finish(worker, key, .ran(result), &events)
        // Batches ask for none.
        case .viewed: throw .closed
        case .compared(let key, let result): finish(worker, key, .compared(result), &events)
        case .examined(let key, let result): finish(worker, key, .examined(result), &events)
        }
    }

    private func finish(_ worker: WorkerProcess, _ key: Int, _ outcome: Outcome, _ events: inout [Event]) {
        guard let work = worker.work, work.request.key == key else { return }
        worker.work = nil
        events.append(.finished(key: key, outcome, seconds: Clock.now - work.started))
    }

    /// Gathers those that have ended.
    private func reap(_ events: inout [Event]) throws(Stop) {
        ghosts.removeAll { $0.reap() != nil }
        for worker in workers {
            guard let ending = worker.ending else { continue }
            let status = worker.reap()
            // A hang is known as soon as it is one; of a crash the signal is wanted, which comes with the end. One that closed its
            // end and still runs is not ours any more.
            if case .gone = ending, status == nil {
                if Clock.now > worker.end + 1 { worker.kill() }
                continue
            }
            var isLost = false
            if case .gone = ending, !worker.isReady { isLost = true }
            if let work = worker.work {
                let key = work.request.key
                if isLost {
                    events.append(.lost(key: key))
                } else {
                    let death = Death(worker, work, ending, status: status, timeout: deadlines.timeout)
                    if let plugin = death.plugin { pluginDeaths[plugin, default: 0] += 1 }
                    events.append(.finished(key: key, death.outcome, seconds: Clock.now - work.started))
                }
                worker.work = nil
            }
            bury(worker)
            if isLost { try countFailedStart(worker) }
        }
    }

    private func bury(_ worker: WorkerProcess) {
        workers.removeAll { $0 === worker }
        worker.close()
        if !worker.isReaped, worker.reap() == nil {
            worker.kill()
            ghosts.append(worker)
        }
    }

    /// Why nothing more is drawn that uses a plugin; nil: none is to blame.
    var refusedPlugin: Diagnostic? {
        guard let (plugin, count) = pluginDeaths.first(where: { $0.value >= Self.mostPluginDeaths }) else { return nil }
        return Diagnostic(
            "plugin-refused", message: "plugin \(plugin) is refused: it ended \(count) workers of this run",
            help: ["labelpipe plugins check FILE says what is wrong with it"])
    }

    /// Ends what is in work, without a verdict; returns the keys.
    func drop() -> [Int] {
        let keys = workers.compactMap { $0.work?.request.key }
        for worker in workers {
            worker.ending = .dropped
            worker.work = nil
            worker.kill()
            bury(worker)
        }
        return keys
    }

    /// Closes all workers: idle ones leave by themselves.
    func dismiss() {
        for worker in workers where worker.work != nil { worker.kill() }
        for worker in workers { worker.close() }
        let end = Clock.now + 2
        for worker in workers + ghosts where !worker.isReaped {
            while worker.reap() == nil {
                if Clock.now > end {
                    worker.kill()
                    break
                }
                usleep(500)
            }
        }
        workers = []
        ghosts = []
    }
}
