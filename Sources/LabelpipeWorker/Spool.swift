import CLinux
import Diagnostics
import Glibc

/// Standard input as a file: what comes through a pipe can be read once, a picture has to be read anywhere.
enum Spool {
    /// Pictures larger than this come as files. **Units.** Bytes.
    static let most = 16 << 30

    /// A file without a name with all that a descriptor gives; the descriptor itself where it is a file already. The result is
    /// the caller's to close, the descriptor stays open.
    ///
    /// **Errors.** `unreadable`, `too-large`, `disk-full`.
    static func file(of descriptor: Int32) throws(Diagnostics) -> Int32 {
        if case .success(let facts) = FileFacts.of(descriptor: descriptor), facts.kind == .file {
            return fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        }
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if directory >= 0 { _ = close(directory) } }
        let spool = directory >= 0 ? lp_open_unnamed(directory, 0o600) : -1
        guard spool >= 0 else {
            throw [Diagnostic("unwritable", message: "no temporary file can be made in \(folder): \(SystemError.last)")]
        }
        do throws(Diagnostics) {
            try copy(descriptor, to: spool)
        } catch {
            _ = close(spool)
            throw error
        }
        lseek(spool, 0, SEEK_SET)
        return spool
    }

    private static func copy(_ source: Int32, to spool: Int32) throws(Diagnostics) {
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        var total = 0
        while true {
            let count = read(source, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw [Diagnostic("unreadable", message: "standard input cannot be read: \(SystemError.last)")]
            }
            if count == 0 { return }
            total += count
            guard total <= most else {
                throw [Diagnostic("too-large", message: "standard input gives more than \(most >> 30) GB")]
            }
            var written = 0
            while written < count {
                let step = chunk.withUnsafeBytes { write(spool, $0.baseAddress! + written, count - written) }
                if step < 0, errno == EINTR { continue }
                guard step > 0 else {
                    throw [Diagnostic("disk-full", message: "the temporary file cannot be written: \(SystemError.last)")]
                }
                written += step
            }
        }
    }
}
