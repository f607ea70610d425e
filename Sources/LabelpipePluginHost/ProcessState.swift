import Glibc
import Vips

/// What a process has of which other people's code may not take hold: working directory, locale, signals, libvips' threads.
struct ProcessState {
    let process = getpid()
    private let folder = Self.workingFolder()
    private let locale = setlocale(LC_ALL, nil).map { String(cString: $0) } ?? "C"
    private let mask = Self.mask()
    private let threads = VipsRuntime.concurrency
    private let handlers = Self.signals.map { Self.handler(of: $0) }

    /// Those whose handlers matter to a worker: what ends it is for its supervisor to see, and Ctrl-C for it to answer.
    private static let signals = [
        SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGALRM, SIGHUP,
    ]

    /// Puts everything back; returns what had been changed. Once only.
    func restored() -> [String] {
        var changes: [String] = []
        if folder >= 0 {
            let now = Self.workingFolder()
            if !Self.isSame(folder, now) {
                changes.append("working directory")
                _ = fchdir(folder)
            }
            if now >= 0 { close(now) }
            close(folder)
        }
        if setlocale(LC_ALL, nil).map({ String(cString: $0) }) != locale {
            changes.append("locale")
            setlocale(LC_ALL, locale)
        }
        if Self.mask() != mask {
            changes.append("signal mask")
            var set = sigset_t()
            sigemptyset(&set)
            for signal in mask { sigaddset(&set, signal) }
            pthread_sigmask(SIG_SETMASK, &set, nil)
        }
        var isChanged = false
        for (signal, old) in zip(Self.signals, handlers) where Self.handler(of: signal) != old {
            isChanged = true
            var action = old.action
            sigaction(signal, &action, nil)
        }
        if isChanged { changes.append("signal handlers") }
        if alarm(0) > 0 { changes.append("timer") }
        if VipsRuntime.concurrency != threads {
            changes.append("libvips' threads")
            try? VipsRuntime.start(concurrency: threads)
        }
        return changes
    }

    /// O_PATH, which hides behind _GNU_SOURCE: a folder that may not be listed is one to go back to all the same.
    private static func workingFolder() -> Int32 { open(".", 0o10_000_000 | O_DIRECTORY | O_CLOEXEC) }

    private static func isSame(_ a: Int32, _ b: Int32) -> Bool {
        var (first, second) = (stat(), stat())
        return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev
            && first.st_ino == second.st_ino
    }

    /// Of the calling thread.
    private static func mask() -> [Int32] {
        var set = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &set)
        return (1...64).filter { sigismember(&set, $0) == 1 }
    }

    private struct Handler: Equatable {
        let action: sigaction
        /// Address and flags: what two handlers differ by.
        private let words: [Int]

        init(_ action: sigaction) {
            self.action = action
            // Both members of the union are one address, and functions compare with nothing: as a number they do. `SIG_DFL` is 0.
            words = [unsafeBitCast(action.__sigaction_handler.sa_sigaction, to: Int.self), Int(action.sa_flags)]
        }

        static func == (a: Handler, b: Handler) -> Bool { a.words == b.words }
    }

    private static func handler(of signal: Int32) -> Handler {
        var action = sigaction()
        _ = sigaction(signal, nil, &action)
        return Handler(action)
    }
}
