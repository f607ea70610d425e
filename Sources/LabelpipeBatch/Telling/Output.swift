import Glibc
import LabelpipeWorker

/// Where text goes: standard output, standard error, or what a test collects.
package final class Output {
    private let descriptor: Int32?
    /// What was written, where nothing leaves the process.
    package private(set) var collected: [UInt8] = []
    /// Set at the first failing write: why.
    package private(set) var failure: SystemError?

    /// Writes to an open descriptor.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Collects.
    package init() {
        descriptor = nil
    }

    /// The columns of the terminal it goes to; nil where it is none.
    package var columns: Int? {
        guard let descriptor, isatty(descriptor) != 0 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    package func write(_ bytes: some Collection<UInt8>) {
        guard let descriptor else {
            collected.append(contentsOf: bytes)
            return
        }
        guard failure == nil else { return }
        let bytes = Array(bytes)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, bytes.count - written) }
            if count > 0 {
                written += count
            } else if errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if errno != EINTR {
                failure = .last
                return
            }
        }
    }

    package func write(_ text: String) {
        write(Array(text.utf8))
    }

    package func line(_ text: String) {
        write(text + "\n")
    }
}
