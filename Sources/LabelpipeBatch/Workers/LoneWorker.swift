import Diagnostics
import Glibc
import LabelpipeWorker

/// One worker for somebody who waits for it: previews. A crash or a hang is a verdict on the picture, as in a batch, and the next
/// request finds a fresh worker.
///
/// Use it on one thread, the one that lives longest: a worker ends with the thread that started it.
package final class LoneWorker {
    private let launch: Launch
    private let deadlines: Deadlines
    private var worker: WorkerProcess?
    private var setup: [UInt8]?
    private var nextKey = 0

    package init(_ launch: Launch = Launch(), timeout: Double? = nil) {
        self.launch = launch
        deadlines = Deadlines(timeout: timeout)
    }

    /// Takes another document in, before the first request too.
    ///
    /// **Errors.** The worker cannot use it: all findings.
    package func prepare(_ setup: Setup) throws(Diagnostics) {
        var writer = JSONWriter()
        setup.write(to: &writer)
        if worker != nil, self.setup == writer.bytes { return }
        self.setup = writer.bytes
        do throws(Diagnostics) {
            try setUp()
        } catch {
            self.setup = nil
            throw error
        }
    }

    package func probe(_ source: Source, fields: [String] = []) throws(Diagnostics) -> ProbeReply {
        let request = ProbeRequest(key: key(), source: source, fields: fields)
        guard case .probed(_, let result) = try ask(.probe(request), []) else { throw Self.odd }
        return try result.get()
    }

    /// - Parameter descriptors: the source's, if it is one, then one for each output; they stay the caller's.
    package func run(_ request: RunRequest, descriptors: [Int32]) throws(Diagnostics) -> RunReply {
        var request = request
        request.key = key()
        guard case .ran(_, let result) = try ask(.run(request), descriptors) else { throw Self.odd }
        return try result.get()
    }

    /// As `run`.
    package func view(_ request: ViewRequest, descriptors: [Int32]) throws(Diagnostics) -> ViewReply {
        var request = request
        request.key = key()
        guard case .viewed(_, let result) = try ask(.view(request), descriptors) else { throw Self.odd }
        return try result.get()
    }

    /// Ends the worker.
    package func close() {
        guard let worker else { return }
        self.worker = nil
        worker.kill()
        worker.close()
        while worker.reap() == nil { usleep(500) }
    }

    deinit { close() }

    private static let odd: Diagnostics = [Diagnostic("crash", message: "the worker gave an answer to another question")]

    private func key() -> Int {
        nextKey += 1
        return nextKey
    }

    private func living() throws(Diagnostics) -> WorkerProcess {
        if let worker { return worker }
        do throws(SystemError) {
            let worker = try WorkerProcess(launch)
            self.worker = worker
            return worker
        } catch {
            throw [Diagnostic("no-worker", message: "no worker process can be started: \(error)")]
        }
    }

    private func setUp() throws(Diagnostics) {
        guard let setup else { return }
        // One that has ended meanwhile is found out by writing to it: once more, to a fresh one.
        for attempt in 0..<2 {
            let worker = try living()
            do throws(Channel.Failure) {
                try worker.channel.send(setup)
            } catch {
                close()
                if attempt == 0 { continue }
                throw [Diagnostic("crash", message: "the worker ends before it has started")]
            }
            let request = Request.probe(ProbeRequest(key: 0, source: .none))
            worker.work = WorkerProcess.Work(request: request, started: Clock.now, entered: Clock.now)
            switch try reply(from: worker) {
            case .ready:
                worker.work = nil
                return
            case .refused(let findings):
                close()
                throw findings
            default: throw Self.odd
            }
        }
    }

    private func ask(_ request: Request, _ descriptors: [Int32]) throws(Diagnostics) -> Reply {
        if worker == nil { try setUp() }
        let worker = try living()
        var writer = JSONWriter()
        request.write(to: &writer)
        worker.work = WorkerProcess.Work(request: request, started: Clock.now, entered: Clock.now)
        do throws(Channel.Failure) {
            try worker.channel.send(writer.bytes, descriptors: descriptors)
        } catch {
            // It ended while it had nothing to do.
            close()
            throw [Diagnostic("crash", message: "the worker has ended")]
        }
        defer { worker.work = nil }
        return try reply(from: worker)
    }

    /// Waits for an answer.
    ///
    /// **Errors.** What ended the worker.
    private func reply(from worker: WorkerProcess) throws(Diagnostics) -> Reply {
        while true {
            guard let work = worker.work else { throw Self.odd }
            let end = deadlines.end(of: work.phase, size: work.size, started: work.started, entered: work.entered)
            let patience = max(0, end - Clock.now)
            var polled = [
                pollfd(fd: worker.channel.input, events: Int16(POLLIN), revents: 0),
                pollfd(fd: worker.errors, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&polled, 2, Int32(min(patience * 1000, 3_600_000).rounded(.up)))
            if polled[1].revents != 0 { _ = worker.listen() }
            do throws(Channel.Failure) {
                if polled[0].revents != 0 { try worker.channel.fill() }
                while let line = try worker.channel.nextLine() {
                    guard let message = try? JSONValue.parse(line, file: "reply", limits: .message), let reply = Reply(message)
                    else { throw .closed }
                    if case .inside(let place) = reply {
                        worker.enters(place)
                        continue
                    }
                    guard case .phase(_, let size, let phase) = reply else { return reply }
                    worker.work?.phase = phase
                    worker.work?.entered = Clock.now
                    if let size { worker.work?.size = size }
                }
            } catch {
                throw verdict(on: worker, work, .gone)
            }
            if Clock.now >= end { throw verdict(on: worker, work, .deadline) }
        }
    }

    private func verdict(on worker: WorkerProcess, _ work: WorkerProcess.Work, _ ending: WorkerProcess.Ending) -> Diagnostics {
        self.worker = nil
        _ = worker.listen()
        // One that closed its end is about to end; the signal it ends by is wanted.
        let patience = Clock.now + 1
        while worker.reap() == nil, Clock.now < patience { usleep(500) }
        let status = worker.reap()
        if status == nil { worker.kill() }
        let death = Death(worker, worker.work ?? work, ending, status: status, timeout: deadlines.timeout)
        worker.close()
        while worker.reap() == nil { usleep(500) }
        return [death.finding]
    }
}
