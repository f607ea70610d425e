import CLinux
import Glibc

/// SIGINT and SIGTERM as something to be polled, so that no code of ours runs inside a signal handler.
final class SignalWatch {
    let descriptor: Int32
    private var previous = sigset_t()

    /// Blocks both on the calling thread and the ones it will start.
    init() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &set, &previous)
        descriptor = lp_signal_descriptor(&set)
    }

    /// The code to end with, if a signal has come.
    func next() -> ExitCode? {
        switch lp_next_signal(descriptor) {
        case SIGINT: .interrupted
        case SIGTERM: .terminated
        default: nil
        }
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
}
