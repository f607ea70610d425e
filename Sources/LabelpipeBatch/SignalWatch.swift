import CLinux
import Glibc

/// SIGINT, SIGTERM and SIGHUP as something to be polled, so that no code of ours runs inside a signal handler.
final class SignalWatch {
    let descriptor: Int32
    private var previous = sigset_t()

    /// Blocks them on the calling thread and the ones it will start.
    init() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        // `nohup` means that a terminal that closes is no reason to end; a signal that is blocked would arrive although it is ignored.
        var hangUp = sigaction()
        if sigaction(SIGHUP, nil, &hangUp) != 0 || lp_is_ignored(&hangUp) == 0 { sigaddset(&set, SIGHUP) }
        pthread_sigmask(SIG_BLOCK, &set, &previous)
        descriptor = lp_signal_descriptor(&set)
    }

    /// The code to end with, if a signal has come.
    func next() -> ExitCode? {
        switch lp_next_signal(descriptor) {
        case SIGINT: .interrupted
        case SIGTERM: .terminated
        case SIGHUP: .hungUp
        default: nil
        }
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
}
