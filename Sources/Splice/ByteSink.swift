import Glibc

/// Where finished bytes go, in order. It is called with pieces of any size and never after it has thrown.
package typealias ByteSink = (UnsafeRawBufferPointer) throws -> Void

/// A sink that writes to an open file descriptor, whole pieces, through interruptions.
///
/// - **Errors**: `SpliceError.output` with the system's reason; a full disk is one of them.
package func fileSink(_ descriptor: Int32) -> ByteSink {
    { bytes in
        var done = 0
        while done < bytes.count {
            let written = write(descriptor, bytes.baseAddress! + done, bytes.count - done)
            if written < 0 {
                if errno == EINTR { continue }
                throw SpliceError.output(errno)
            }
            done += written
        }
    }
}

/// Why bytes in gave no bytes out.
package enum SpliceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The source is broken: copying it would make the damage permanent.
    case damaged(String)
    /// Pixels of the source that no decoder can make out.
    case undecodable(String)
    /// The caller asked for something that makes no sense for this picture.
    case invalid(String)
    /// The source could not be read; the number is the system's `errno`.
    case input(Int32)
    /// The output could not be written; the number is the system's `errno`.
    case output(Int32)

    package var description: String {
        switch self {
        case .damaged(let reason), .undecodable(let reason): "damaged: \(reason)"
        case .invalid(let reason): reason
        case .input(let code): "cannot be read: \(String(cString: strerror(code)))"
        case .output(let code): "cannot write: \(String(cString: strerror(code)))"
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes of a range, without copying them.
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }
}

extension [UInt8] {
    /// Hands the whole array to a sink.
    func write(to sink: ByteSink) throws { try withUnsafeBytes { if !$0.isEmpty { try sink($0) } } }
}
