import CLinux
import Glibc
import LabelpipeWorker

/// An open folder below the output folder. Closed when nobody needs it any more.
final class OpenFolder: Sendable {
    let descriptor: Int32
    let path: BytePath

    init(descriptor: Int32, path: BytePath) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { _ = close(descriptor) }
}

/// The output folder and what lies below it. Nothing that it opens can lie elsewhere, whatever links others put there meanwhile.
final class OutputTree {
    /// As the user named it.
    let path: BytePath
    /// Whether its root was made by this run.
    private(set) var isNew = false
    private let leftOvers: LeftOvers
    private var root: OpenFolder?
    /// The folders that were made for it, outermost first.
    private var made: [BytePath] = []
    /// The folders used last, the latest at the end: bounded, so that a deep tree costs no descriptors.
    private var recent: [(path: BytePath, folder: OpenFolder)] = []
    private static let mostOpen = 12

    init(_ path: BytePath, run: RunName) {
        self.path = path.isEmpty ? BytePath(".") : path
        leftOvers = LeftOvers(not: run)
    }

    /// The root's identity, if it exists.
    var identity: FileFacts.Identity? {
        if case .success(let facts) = FileFacts.of(path), facts.kind == .folder { facts.identity } else { nil }
    }

    /// What stands at a place of the tree, a link itself rather than its target; nil if nothing does.
    ///
    /// Makes no folder.
    func facts(of relative: BytePath) throws(OutputError) -> FileFacts? {
        guard let folder = try folder(relative.folder, making: false) else { return nil }
        switch FileFacts.of(relative.name, in: folder.descriptor, followingLinks: false) {
        case .success(let facts): return facts
        case .failure(let error) where error.number == ENOENT: return nil
        case .failure(let error): throw OutputError(error, relative)
        }
    }

    /// Opens a folder of the tree, `""` for its root, making what is missing if asked to; nil if it is missing.
    func folder(_ relative: BytePath, making: Bool) throws(OutputError) -> OpenFolder? {
        if let place = recent.firstIndex(where: { $0.path == relative }) {
            let entry = recent.remove(at: place)
            recent.append(entry)
            return entry.folder
        }
        guard let root = try openRoot(making: making) else { return nil }
        guard !relative.isEmpty else { return root }
        guard let descriptor = try open(relative, below: root, making: making) else { return nil }
        let folder = OpenFolder(descriptor: descriptor, path: path.appending(relative))
        leftOvers.sweep(folder.descriptor)
        recent.append((relative, folder))
        if recent.count > Self.mostOpen { recent.removeFirst() }
        return folder
    }

    private func openRoot(making: Bool) throws(OutputError) -> OpenFolder? {
        if let root { return root }
        var descriptor = openFolder(AT_FDCWD, path)
        if case .failure(let error) = descriptor, error.number == ENOENT {
            guard making else { return nil }
            try makeRoot()
            isNew = true
            descriptor = openFolder(AT_FDCWD, path)
        }
        switch descriptor {
        case .success(let descriptor):
            let folder = OpenFolder(descriptor: descriptor, path: path)
            leftOvers.sweep(folder.descriptor)
            root = folder
            return folder
        case .failure(let error):
            throw OutputError("unwritable", "the output folder \(path) cannot be used: \(error)", stopsRun: true)
        }
    }

    /// Makes the root and what it lies in. Another run that makes the same folder at the same time is welcome.
    private func makeRoot() throws(OutputError) {
        var made = BytePath(path.isAbsolute ? "/" : "")
        for component in path.components {
            made = made.appending(BytePath(component))
            if made.withCString({ mkdir($0, 0o777) }) == 0 {
                self.made.append(made)
                continue
            }
            if errno == EEXIST || errno == EISDIR { continue }
            let error = SystemError.last
            // A parent that exists and may not be written to answers EACCES or EROFS rather than EEXIST on some file systems.
            if case .success(let facts) = FileFacts.of(made), facts.kind == .folder { continue }
            throw OutputError("unwritable", "the output folder \(path) cannot be made: \(error)", stopsRun: true)
        }
    }

    /// Takes the root away again where it is new and nothing has come to lie in it.
    func removeUnused() {
        root = nil
        recent = []
        for folder in made.reversed() { guard folder.withCString({ rmdir($0) }) == 0 else { return } }
        isNew = false
    }

    private func openFolder(_ parent: Int32, _ path: BytePath) -> Swift.Result<Int32, SystemError> {
        let descriptor = path.withCString { openat(parent, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        return descriptor >= 0 ? .success(descriptor) : .failure(.last)
    }

    /// Opens a folder below the root. The kernel keeps the path inside (openat2); where it has no such call, a walk of our own
    /// follows no link at all.
    private func open(_ relative: BytePath, below root: OpenFolder, making: Bool) throws(OutputError) -> Int32? {
        var made = false
        while true {
            let descriptor = relative.withCString { lp_open_folder_beneath(root.descriptor, $0) }
            if descriptor >= 0 { return descriptor }
            let error = SystemError.last
            switch error.number {
            case ENOENT where !making: return nil
            case ENOENT where !made:
                made = true
                try make(relative, below: root)
            // EAGAIN: somebody renamed a folder meanwhile and the kernel could not be sure.
            case EAGAIN, EINTR: continue
            case ENOSYS, EPERM, E2BIG: return try walk(relative, below: root, making: making)
            default: throw OutputError(error, relative)
            }
        }
    }

    private func make(_ relative: BytePath, below root: OpenFolder) throws(OutputError) {
        var made = BytePath("")
        var parent = root.descriptor
        defer { if parent != root.descriptor { _ = close(parent) } }
        for component in relative.components {
            let name = BytePath(component)
            made = made.appending(name)
            if name.withCString({ mkdirat(parent, $0, 0o777) }) != 0, errno != EEXIST { throw OutputError(.last, made) }
            var next = made.withCString { lp_open_folder_beneath(root.descriptor, $0) }
            if next < 0, errno == ENOSYS || errno == EPERM || errno == E2BIG {
                next = name.withCString { openat(parent, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) }
            }
            guard next >= 0 else { throw OutputError(.last, made) }
            if parent != root.descriptor { _ = close(parent) }
            parent = next
        }
    }

    private func walk(_ relative: BytePath, below root: OpenFolder, making: Bool) throws(OutputError) -> Int32? {
        var parent = fcntl(root.descriptor, F_DUPFD_CLOEXEC, 0)
        for component in relative.components {
            let name = BytePath(component)
            if making { _ = name.withCString { mkdirat(parent, $0, 0o777) } }
            let next = name.withCString { openat(parent, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) }
            let error = SystemError.last
            _ = close(parent)
            guard next >= 0 else {
                if error.number == ENOENT, !making { return nil }
                throw OutputError(error, relative)
            }
            parent = next
        }
        return parent
    }
}
