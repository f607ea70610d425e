import Glibc
import LabelpipeWorker

/// Why an output cannot be written, and whether that concerns one picture or all.
package struct OutputError: Error {
    package let code: String
    package let message: String
    /// The run stops: the disk is full, the folder is read-only.
    package let stopsRun: Bool

    init(_ code: String, _ message: String, stopsRun: Bool = false) {
        self.code = code
        self.message = message
        self.stopsRun = stopsRun
    }

    /// There is an output already.
    static func existing(_ path: BytePath) -> OutputError { OutputError(SystemError(EEXIST), path) }

    /// A call on an output or its folder failed.
    init(_ error: SystemError, _ path: BytePath) {
        switch error.number {
        case EEXIST:
            self.init("exists", "the output exists already: \(path)")
        case EXDEV, ELOOP:
            self.init("outside", "the output \(path) would lie outside the output folder: a symbolic link leads out of it")
        case ENOTDIR, EISDIR, ENOTEMPTY:
            self.init("blocked", "the output \(path) cannot be written: \(error)")
        case ENAMETOOLONG, EFBIG, EINVAL, EILSEQ:
            self.init("blocked", "the output \(path) cannot be written: \(error)")
        case ENOSPC, EDQUOT:
            self.init("disk-full", "the output \(path) cannot be written: \(error)", stopsRun: true)
        default:
            self.init("unwritable", "the output \(path) cannot be written: \(error)", stopsRun: true)
        }
    }
}
