import CVips
import Synchronization

/// A call of libvips that failed.
public struct VipsError: Error, Sendable, CustomStringConvertible {
    /// libvips' name of what failed, e.g. `jpegload_source`.
    public let operation: String
    /// libvips' own text: its different lines, at most 20.
    public let message: String
    /// The error thrown by a Swift callback that libvips was running, if that is why.
    public let cause: (any Error)?

    public init(operation: String, message: String, cause: (any Error)? = nil) {
        self.operation = operation
        self.message = message
        self.cause = cause
    }

    /// The file system is full, or the user's share of it.
    public var isOutOfSpace: Bool {
        message.contains("No space left on device") || message.contains("Disk quota exceeded")
    }

    public var description: String { message.hasPrefix(operation) ? message : "\(operation): \(message)" }

    /// The error of a libvips call that has just failed.
    package static func taken(by operation: String) -> VipsError {
        ErrorBuffer.take(operation: operation)
    }
}

/// libvips' error buffer is one text for the whole process. Every failing call empties it at once, under this lock.
/// Two pictures evaluated at the same time in one process can therefore see each other's texts: a worker has one.
package enum ErrorBuffer {
    private static let cause = Mutex<(any Error)?>(nil)

    /// The buffer's text, which is gone from the buffer afterwards.
    package static func takeText() -> String {
        cause.withLock { cause in
            cause = nil
            return copyAndClear()
        }
    }

    static func take(operation: String) -> VipsError {
        cause.withLock { cause in
            let text = copyAndClear()
            defer { cause = nil }
            return VipsError(operation: operation, message: text.isEmpty ? "failed without a reason" : text, cause: cause)
        }
    }

    /// Called in a libvips callback that has to return -1: the first error is the one that is kept.
    static func raise(_ error: any Error, in domain: String) {
        cause.withLock { cause in
            if cause == nil { cause = error }
            lpv_error(domain, String(describing: error))
        }
    }

    /// What a call writes into the buffer although it does not fail; what was there before stays there.
    package static func written(by call: () -> Void) -> String {
        let before = takeText()
        call()
        let text = takeText()
        if !before.isEmpty { lpv_error(nil, before) }
        return text
    }

    private static func copyAndClear() -> String {
        guard let copy = vips_error_buffer_copy() else { return "" }
        defer { g_free(copy) }
        // Coders repeat themselves: one full disk gives the same two lines for every block that could not be written.
        var lines: [Substring] = []
        for line in String(cString: copy).split(whereSeparator: \.isNewline) where !lines.contains(line) {
            lines.append(line)
            if lines.count == 20 { break }
        }
        return lines.joined(separator: "\n")
    }
}
