import CLinux
import Glibc

/// What the file system says about a file, without opening it.
package struct FileFacts: Equatable, Sendable {
    /// Which file it is, whatever its names.
    package struct Identity: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64

        package init(device: UInt64, inode: UInt64) {
            self.device = device
            self.inode = inode
        }
    }

    package enum Kind: String, Sendable {
        case file
        case folder
        case fifo = "FIFO"
        case socket
        case device
        case link = "symbolic link"
    }

    package let identity: Identity
    package let kind: Kind
    /// Bytes.
    package let size: Int64
    /// Nanoseconds since 1970.
    package let modified: Int64
    package let links: UInt64
    package let mode: UInt32
    package let owner: UInt32
    package let group: UInt32

    package init(_ status: stat) {
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        kind =
            switch status.st_mode & 0o170000 {
            case 0o100000: .file
            case 0o040000: .folder
            case 0o010000: .fifo
            case 0o140000: .socket
            case 0o120000: .link
            default: .device
            }
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        links = UInt64(status.st_nlink)
        mode = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
    }

    /// Of the file a path leads to, relative to an open folder; links are followed unless told otherwise.
    package static func of(_ path: BytePath, in folder: Int32 = AT_FDCWD, followingLinks: Bool = true)
        -> Swift.Result<FileFacts, SystemError>
    {
        var status = stat()
        let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
        guard path.withCString({ fstatat(folder, $0, &status, flags) }) == 0 else { return .failure(.last) }
        return .success(FileFacts(status))
    }

    /// Of an open descriptor.
    package static func of(descriptor: Int32) -> Swift.Result<FileFacts, SystemError> {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(.last) }
        return .success(FileFacts(status))
    }
}

extension BytePath {
    /// The absolute path of what it leads to, without links; nil, and errno says why, where it leads nowhere.
    package var real: BytePath? {
        guard let real = withCString({ realpath($0, nil) }) else { return nil }
        defer { free(real) }
        return BytePath(UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) })
    }
}

/// An error number of the kernel, with its text.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    /// Of the call that just failed on this thread.
    package static var last: SystemError { SystemError(errno) }

    /// In lower case, as it stands inside a sentence: `no such file or directory`.
    package var description: String {
        // Not `strerror`: its text follows the locale and its buffer is shared between threads.
        switch number {
        case ENOENT: "no such file or folder"
        case EACCES, EPERM: "permission denied"
        case ENOSPC: "no space left on the device"
        case EDQUOT: "disk quota exceeded"
        case EROFS: "the file system is read-only"
        case EEXIST: "it exists already"
        case EISDIR: "it is a folder"
        case ENOTDIR: "a part of the path is not a folder"
        case EIO: "input/output error"
        case ELOOP: "too many symbolic links"
        case EXDEV: "a symbolic link leaves the folder"
        case ENAMETOOLONG: "the name is too long"
        case EMFILE, ENFILE: "too many open files"
        case ENOMEM: "out of memory"
        case EFBIG: "the file would be too large"
        case EPIPE: "the reader has gone away"
        default:
            // The C library's words: this call knows no locale.
            lp_error_words(number).map { String(cString: $0) }.map { $0.prefix(1).lowercased() + $0.dropFirst() }
                ?? "error \(number) of the system"
        }
    }
}
