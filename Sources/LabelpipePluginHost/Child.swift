import CLinux
import Glibc

/// A child process with a time limit, whose end is an answer whatever it is.
public struct Child: Sendable {
    public let output: [UInt8]
    /// How it ended, as a predicate: "was killed by SIGSEGV"; nil: well, with code 0 or 1.
    public let end: String?
    public let code: Int32
    /// Whether it was ended because its time was over.
    public var isLate = false

    /// - Parameters:
    ///   - limit: seconds.
    ///   - environment: settings added to this process's.
    public static func run(_ command: [String], limit: Double, environment: [String] = []) -> Child {
        var pipes: [Int32] = [-1, -1]
        guard pipe(&pipes) == 0 else {
            return Child(output: [], end: "did not begin: \(String(cString: strerror(errno)))", code: -1)
        }
        defer { close(pipes[0]) }
        for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A group of its own: what it starts ends with it.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        let arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        let own = environment + ["SWIFT_BACKTRACE=enable=no", "VIPS_CONCURRENCY=1"]
        var settings: [UnsafeMutablePointer<CChar>?] = own.map { strdup($0) }
        var entry = environ
        while let text = entry.pointee {
            settings.append(strdup(text))
            entry += 1
        }
        settings.append(nil)
        defer { for text in arguments + settings { free(text) } }
        var pid = pid_t()
        let error = posix_spawn(&pid, command[0], &actions, &attributes, arguments, settings)
        close(pipes[1])
        guard error == 0 else { return Child(output: [], end: "did not begin: \(String(cString: strerror(error)))", code: -1) }
        let end = now() + limit
        let output = heard(pipes[0], until: end)
        var status: Int32 = 0
        while waitpid(pid, &status, WNOHANG) == 0 {
            if now() >= end {
                kill(-pid, SIGKILL)
                waitpid(pid, &status, 0)
                return Child(
                    output: output, end: "took more than \(limit == limit.rounded() ? "\(Int(limit))" : "\(limit)") s", code: -1,
                    isLate: true)
            }
            usleep(2000)
        }
        let signal = lp_ending_signal(status)
        let code = lp_exit_code(status)
        let verdict =
            signal != 0
            ? "was killed by \(String(cString: lp_signal_name(signal)))" : code > 1 ? "ended with code \(code)" : nil
        return Child(output: output, end: verdict, code: code)
    }

    /// All that comes until the other end closes, or the time is over.
    private static func heard(_ descriptor: Int32, until end: Double) -> [UInt8] {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while output.count < 1 << 22 {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = end - now()
            guard left > 0 else { break }
            guard poll(&polled, 1, Int32(left * 1000) + 1) > 0 else { continue }
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            output += chunk.prefix(count)
        }
        return output
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
