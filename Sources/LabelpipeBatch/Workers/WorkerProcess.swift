import CLinux
import Glibc
import LabelpipeWorker

/// How workers are started.
package struct Launch: Sendable {
    /// The program: itself.
    package var executable = BytePath("/proc/self/exe")
    package var arguments = ["labelpipe", "worker"]
    /// Added to the environment.
    package var environment: [String] = []

    package init() {}
}

/// One worker process, seen from the supervisor.
final class WorkerProcess {
    let pid: pid_t
    let channel: Channel
    /// What the worker says on its standard error.
    let errors: Int32
    private(set) var lastWords: [UInt8] = []
    private let mark: RunningMark?
    /// All that it has announced, by their numbers.
    private var places: [PluginPlace] = []
    var work: Work?
    /// Set once the worker has to go: why.
    var ending: Ending?
    var isReady = false
    /// When its end was noticed.
    var end = 0.0
    private var status: Int32?
    /// The most memory it ever had, once it has ended. **Units**: bytes.
    private(set) var peak = 0
    var isReaped: Bool { status != nil }

    /// What it works on.
    struct Work {
        let request: Request
        let started: Double
        var entered: Double
        var phase = Phase.header
        var size: PictureSize?
        /// The plugin whose code runs.
        var plugin: PluginPlace?
        /// Those whose code ran: their pixels may be computed later.
        var plugins: [PluginPlace] = []
    }

    enum Ending {
        /// It closed its end: a crash or an exit.
        case gone
        case deadline
        case dropped
    }

    /// Starts a worker. Costs a fork and an exec; the worker's own start goes on beside the supervisor.
    init(_ launch: Launch) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { throw .last }
        var pipes: [Int32] = [-1, -1]
        // A socket pair, since `pipe2` does not import and a pipe could leak into a process started meanwhile.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pipes) == 0 else {
            let error = SystemError.last
            for end in ends { _ = Glibc.close(end) }
            throw error
        }
        let made = RunningMark.made()
        let started = Self.spawn(launch, socket: ends[1], errors: pipes[1], mark: made?.descriptor)
        if let made { _ = Glibc.close(made.descriptor) }
        mark = made?.mark
        _ = Glibc.close(ends[1])
        _ = Glibc.close(pipes[1])
        guard case .success(let pid) = started else {
            _ = Glibc.close(ends[0])
            _ = Glibc.close(pipes[0])
            made?.mark.forget()
            if case .failure(let error) = started { throw error }
            throw SystemError(EAGAIN)
        }
        self.pid = pid
        for end in [ends[0], pipes[0]] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        channel = Channel(socket: ends[0])
        errors = pipes[0]
    }

    private static func spawn(_ launch: Launch, socket: Int32, errors: Int32, mark: Int32?) -> Swift.Result<pid_t, SystemError> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Copies above all the targets first, since a source may have a target's number.
        let high = fcntl(socket, F_DUPFD_CLOEXEC, 10)
        let highErrors = fcntl(errors, F_DUPFD_CLOEXEC, 10)
        guard high >= 0, highErrors >= 0 else { return .failure(.last) }
        let highMark = mark.map { fcntl($0, F_DUPFD_CLOEXEC, 10) } ?? -1
        defer {
            if highMark >= 0 { _ = Glibc.close(highMark) }
            _ = Glibc.close(high)
            _ = Glibc.close(highErrors)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, highErrors, 2)
        posix_spawn_file_actions_adddup2(&actions, high, SupervisedWorker.socket)
        if highMark >= 0 { posix_spawn_file_actions_adddup2(&actions, highMark, RunningMark.descriptor) }
        var environment =
            launch.environment + [
                "\(SupervisedWorker.variable)=\(getpid())",
                // glibc gives each thread an arena of its own, and they never shrink: 61 MB against 77 after 4,000 labels.
                "MALLOC_ARENA_MAX=2",
                // A second thread in libvips lost errors of truncated files (fixed upstream in 8.15.4).
                "VIPS_CONCURRENCY=1",
                // Swift's crash handler takes a third of a second and swallows signals that are sent rather than met.
                "SWIFT_BACKTRACE=enable=no",
            ]
        let ours = environment.map { $0.split(separator: "=", maxSplits: 1)[0] + "=" }
        var entry = environ
        while let text = entry.pointee {
            let setting = String(cString: text)
            if !ours.contains(where: { setting.hasPrefix($0) }) { environment.append(setting) }
            entry += 1
        }
        let argv = CStrings(launch.arguments)
        let envp = CStrings(environment)
        var pid = pid_t()
        // Whoever started us may have blocked signals; in a worker only those that the supervisor answers stay blocked.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var blocked = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGINT)
        sigaddset(&blocked, SIGTERM)
        sigaddset(&blocked, SIGHUP)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let error = launch.executable.withCString {
            posix_spawn(&pid, $0, &actions, &attributes, argv.pointers, envp.pointers)
        }
        return error == 0 ? .success(pid) : .failure(SystemError(error))
    }

    /// Reads what the worker wrote to its standard error, keeping the last of it.
    func listen() -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 4096)
        var heard: [UInt8] = []
        while true {
            let got = read(errors, &chunk, chunk.count)
            guard got > 0 else { break }
            heard.append(contentsOf: chunk.prefix(got))
            // A worker that never stops talking must not keep the supervisor here.
            if heard.count >= 64 << 10 { break }
        }
        lastWords = Array((lastWords + heard).suffix(8192))
        return heard
    }

    func kill() {
        // Once it has been waited for, the number may be anybody's.
        guard status == nil else { return }
        _ = Glibc.kill(pid, SIGKILL)
    }

    /// The status it ended with, once it has.
    func reap() -> Int32? {
        if let status { return status }
        var status: Int32 = 0
        var usage = rusage()
        let ended = wait4(pid, &status, WNOHANG, &usage)
        guard ended == pid || (ended < 0 && errno == ECHILD) else { return nil }
        self.status = status
        peak = usage.ru_maxrss << 10
        return status
    }

    /// A plugin's code is about to run, or is over.
    func enters(_ place: PluginPlace?) {
        work?.plugin = place
        guard let place else { return }
        if !places.contains(place) { places.append(place) }
        if work?.plugins.contains(place) == false { work?.plugins.append(place) }
    }

    /// Whose pixels it computes, or computed when it ended.
    var computing: PluginPlace? {
        guard let number = mark?.number, number > 0 else { return nil }
        return places.first { $0.number == number }
    }

    /// Closes what is open to it.
    func close() {
        mark?.forget()
        channel.close()
        _ = Glibc.close(errors)
    }
}

/// A list of C strings closed by a null pointer, as exec wants it.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { pointers[index] = strdup(text) }
        pointers[count] = nil
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
