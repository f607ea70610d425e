import Glibc

/// What tells that a file is still the one that was read.
struct FileStamp: Hashable, Sendable {
    private let device, inode: UInt
    private let size, seconds, nanoseconds: Int

    /// nil where there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        size = Int(status.st_size)
        seconds = Int(status.st_mtim.tv_sec)
        nanoseconds = Int(status.st_mtim.tv_nsec)
    }
}
