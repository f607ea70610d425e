import CLinux
import Glibc

/// What a process does that `labelpipe run` started as a worker.
package enum SupervisedWorker {
    /// The socket to the supervisor, by convention of ours.
    package static let socket: Int32 = 3
    /// Set in a worker's environment to its supervisor's process id.
    package static let variable = "LABELPIPE_SUPERVISOR"

    /// The supervisor's process id, if one started this process.
    package static var supervisor: Int32? {
        getenv(variable).flatMap { Int32(String(cString: $0)) }
    }

    /// Serves the supervisor until it closes its end, and returns the exit code.
    package static func serve(_ makeWork: @escaping @Sendable () -> any PictureWork) -> Int32 {
        guard let supervisor, FileFacts.isSocket(socket) else { return 2 }
        // A supervisor that was killed leaves no worker behind. One that went before this line was reached has changed our parent.
        _ = lp_die_with_parent(SIGKILL)
        guard getppid() == supervisor else { return 1 }
        // Ctrl-C reaches the whole group; what is done about it the supervisor alone decides.
        signal(SIGINT, SIG_IGN)
        signal(SIGTERM, SIG_IGN)
        signal(SIGHUP, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        RunningMark.take()
        BigStack.run {
            WorkerLoop(channel: Channel(socket: socket), work: makeWork()).serve()
        }
        return 0
    }
}

extension FileFacts {
    static func isSocket(_ descriptor: Int32) -> Bool {
        if case .success(let facts) = of(descriptor: descriptor) { facts.kind == .socket } else { false }
    }
}

/// Runs something on a thread with a stack that deep graphs and other people's recursive code fit in.
package enum BigStack {
    /// Address space, not memory: what is not touched costs nothing.
    static let bytes = 256 << 20

    /// Returns when `body` has; on the calling thread where no such thread can be had.
    package static func run(_ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        for size in [bytes, 64 << 20, 16 << 20] {
            pthread_attr_setstacksize(&attributes, size)
            var thread = pthread_t()
            let box = Unmanaged.passRetained(Box(body))
            let error = pthread_create(
                &thread, &attributes,
                { argument in
                    Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
                    return nil
                }, box.toOpaque())
            if error == 0 {
                pthread_join(thread, nil)
                return
            }
            box.release()
        }
        body()
    }

    private final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
