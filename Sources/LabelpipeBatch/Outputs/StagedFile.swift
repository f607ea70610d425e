import CLinux
import Glibc
import LabelpipeWorker

/// A file that is being written: without a name where the file system can do that, else under a temporary one.
///
/// `@unchecked Sendable`: it is handed from the supervisor's loop to the publishing thread and used by one of them at a time.
final class StagedFile: @unchecked Sendable {
    /// Open for reading and writing, empty.
    let descriptor: Int32
    let folder: OpenFolder
    /// What it will be called.
    let name: BytePath
    /// Below the output folder, for messages.
    let relative: BytePath
    /// What a name needs until then.
    let dotName: BytePath
    private(set) var isNamed: Bool
    private var isClosed = false

    /// **Errors.** The folder takes no file.
    init(in folder: OpenFolder, relative: BytePath, run: RunName, unnamed: Bool = true) throws(OutputError) {
        self.folder = folder
        self.relative = relative
        name = relative.name
        dotName = run.dotName(for: relative.name)
        var isNamed = false
        var descriptor: Int32 = unnamed ? lp_open_unnamed(folder.descriptor, 0o666) : -1
        if !unnamed || descriptor < 0 && [EOPNOTSUPP, EISDIR, EINVAL, ENOSYS].contains(errno) {
            descriptor = Self.openNamed(dotName, in: folder.descriptor)
            isNamed = true
        }
        guard descriptor >= 0 else { throw OutputError(.last, relative) }
        self.descriptor = descriptor
        self.isNamed = isNamed
    }

    /// Makes the file under its temporary name and locks it, so that no other run takes it for a left-over.
    private static func openNamed(_ name: BytePath, in folder: Int32) -> Int32 {
        for _ in 0..<100 {
            let descriptor = name.withCString { openat(folder, $0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666) }
            guard descriptor >= 0 else { return descriptor }
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            // Between the two calls another run may have swept it away.
            if isLocked, case .success(let facts) = FileFacts.of(descriptor: descriptor), facts.links > 0 { return descriptor }
            _ = Glibc.close(descriptor)
        }
        errno = EBUSY
        return -1
    }

    /// Whether anything was written. **Errors.** What the kernel says about the file.
    func writtenBytes() -> Swift.Result<Int64, SystemError> {
        FileFacts.of(descriptor: descriptor).map(\.size)
    }

    /// Gives the file its name: complete, or not at all.
    ///
    /// - Parameter replacing: whether what has the name already is replaced; else that is EEXIST.
    func publish(replacing: Bool) throws(SystemError) {
        if !isNamed {
            if link(to: name) { return }
            guard errno == EEXIST, replacing else { throw .last }
            // linkat cannot replace: a temporary name first. The lock keeps other runs from taking it for a left-over.
            _ = flock(descriptor, LOCK_EX | LOCK_NB)
            guard link(to: dotName) else { throw .last }
            isNamed = true
        }
        if replacing {
            guard rename() else { throw .last }
        } else {
            try renameNew()
        }
        isNamed = false
    }

    private func link(to name: BytePath) -> Bool {
        BytePath("/proc/self/fd/\(descriptor)").withCString { from in
            name.withCString { linkat(AT_FDCWD, from, folder.descriptor, $0, AT_SYMLINK_FOLLOW) }
        } == 0
    }

    private func rename() -> Bool {
        dotName.withCString { from in name.withCString { renameat(folder.descriptor, from, folder.descriptor, $0) } } == 0
    }

    /// By the first of these that the file system can do: a rename that does not replace, a second name, a look and a rename.
    private func renameNew() throws(SystemError) {
        let number = dotName.withCString { from in
            name.withCString { lp_rename_new(folder.descriptor, from, folder.descriptor, $0) }
        }
        if number == 0 { return }
        guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else { throw .last }
        let linked = dotName.withCString { from in name.withCString { linkat(folder.descriptor, from, folder.descriptor, $0, 0) }
        }
        if linked == 0 {
            _ = dotName.withCString { unlinkat(folder.descriptor, $0, 0) }
            return
        }
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { throw .last }
        if case .success = FileFacts.of(name, in: folder.descriptor, followingLinks: false) { throw SystemError(EEXIST) }
        guard rename() else { throw .last }
    }

    /// Lets go of it; what has not been published is gone.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if isNamed { _ = dotName.withCString { unlinkat(folder.descriptor, $0, 0) } }
        _ = Glibc.close(descriptor)
    }

    deinit { close() }
}
