import CLinux
import Glibc

/// JSON lines over a socket or a pair of pipes, with descriptors beside them where it is a socket (SCM_RIGHTS).
///
/// Both ends use it: a worker blocks in `receive`, the supervisor polls and calls `fill`. A line names how many descriptors
/// belong to it; they arrive in order.
package final class Channel {
    package let input: Int32
    package let output: Int32
    private let isSocket: Bool
    private var pending: [UInt8] = []
    private var scanned = 0
    private var descriptors: [Int32] = []

    /// A document of 16 MB travels in one line, escaped at worst to six times its size.
    static let longestLine = 128 << 20

    package init(socket: Int32) {
        input = socket
        output = socket
        isSocket = true
    }

    package init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
        isSocket = false
    }

    package enum Failure: Error {
        /// The other end has gone.
        case closed
        case lineTooLong
        case system(SystemError)
    }

    /// Sends one line, waiting until all of it is taken.
    package func send(_ line: [UInt8], descriptors: [Int32] = []) throws(Failure) {
        guard isSocket || descriptors.isEmpty else { throw .system(SystemError(EINVAL)) }
        let bytes = line + [0x0A]
        var sent = 0
        var left = descriptors[...]
        while sent < bytes.count {
            let handed = Array(left.prefix(Int(LP_MOST_DESCRIPTORS)))
            // Each message has a byte of the line at least; all but the last have one.
            let length = handed.count < left.count ? 1 : bytes.count - sent
            let count = bytes.withUnsafeBytes { raw -> Int in
                let start = raw.baseAddress! + sent
                if isSocket {
                    return handed.withUnsafeBufferPointer { lp_send(output, start, length, $0.baseAddress, Int32($0.count), 0) }
                }
                return Glibc.write(output, start, length)
            }
            if count > 0 {
                sent += count
                // They go with the first byte.
                left = left.dropFirst(handed.count)
            } else if errno == EAGAIN {
                // Only the supervisor's end does not block: a worker that does not read for a minute is none.
                var wait = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                if poll(&wait, 1, 60_000) == 0 { throw .system(SystemError(ETIMEDOUT)) }
            } else if errno != EINTR {
                throw errno == EPIPE || errno == ECONNRESET ? .closed : .system(.last)
            }
        }
    }

    /// Reads once what is there. Call after `poll`, or to block until something comes.
    package func fill() throws(Failure) {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var handed = [Int32](repeating: -1, count: Int(LP_MOST_DESCRIPTORS))
            var held: Int32 = 0
            let got =
                isSocket
                ? lp_receive(input, &chunk, chunk.count, &handed, &held, 0)
                : Glibc.read(input, &chunk, chunk.count)
            if got > 0 {
                descriptors.append(contentsOf: handed.prefix(Int(held)))
                pending.append(contentsOf: chunk.prefix(got))
                return
            }
            if got == 0 { throw .closed }
            switch errno {
            case EINTR: continue
            case EAGAIN: return
            case ECONNRESET: throw .closed
            default: throw .system(.last)
            }
        }
    }

    /// The next whole line that has arrived, without its newline.
    package func nextLine() throws(Failure) -> [UInt8]? {
        guard let end = pending[scanned...].firstIndex(of: 0x0A) else {
            scanned = pending.count
            if pending.count > Self.longestLine { throw .lineTooLong }
            return nil
        }
        scanned = 0
        // A long line is handed over, not copied, and leaves no room behind.
        if end == pending.count - 1, pending.capacity > 64 << 10 {
            var line: [UInt8] = []
            swap(&line, &pending)
            line.removeLast()
            return line
        }
        let line = Array(pending[..<end])
        pending.removeSubrange(...end)
        return line
    }

    /// What stands after the last newline, once the other end has closed.
    package func takeRest() -> [UInt8]? {
        defer { pending = [] }
        return pending.isEmpty ? nil : pending
    }

    /// Blocks until a line has come; nil when the other end has closed. What stands after the last newline is a line too.
    package func receive() throws(Failure) -> [UInt8]? {
        while true {
            if let line = try nextLine() { return line }
            do {
                try fill()
            } catch .closed {
                guard !pending.isEmpty else { return nil }
                defer { pending = [] }
                return pending
            }
        }
    }

    /// The next `count` descriptors that came; they are the caller's to close. Fewer if the other end sent fewer.
    package func takeDescriptors(_ count: Int) -> [Int32] {
        let taken = Array(descriptors.prefix(count))
        descriptors.removeFirst(taken.count)
        return taken
    }

    /// Closes what nobody took, and both ends.
    package func close() {
        for descriptor in descriptors { _ = Glibc.close(descriptor) }
        descriptors = []
        _ = Glibc.close(input)
        if output != input { _ = Glibc.close(output) }
    }
}
