import CLinux
import Glibc
import LabelpipeWorker

/// What the file system of a folder can do, found out by doing it: what publishing is made of.
package struct FolderAbilities {
    /// One thing that was tried.
    package struct Trial {
        package let name: String
        /// Nil: it works.
        package let failure: SystemError?
        /// What is done without it.
        package let without: String
    }

    package private(set) var trials: [Trial] = []
    /// **Units**: bytes.
    package private(set) var free: Int64 = 0
    /// Whether `A` and `a` are one name.
    package private(set) var foldsCase = false

    /// Leaves nothing behind.
    ///
    /// **Errors.** The folder cannot be opened.
    package init(of path: BytePath) throws(SystemError) {
        let folder = path.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else { throw .last }
        defer { _ = close(folder) }
        var status = statvfs()
        if fstatvfs(folder, &status) == 0 { free = Int64(status.f_bavail) * Int64(status.f_frsize) }
        let run = RunName()
        // Names that the next run would sweep away, should this process be killed in between.
        let (one, other) = (run.dotName(for: BytePath("doctor")), run.dotName(for: BytePath("DOCTOR")))
        defer { for name in [one, other] { _ = name.withCString { unlinkat(folder, $0, 0) } } }

        let unnamed = lp_open_unnamed(folder, 0o600)
        add(
            "files without a name (O_TMPFILE)", unnamed >= 0,
            "outputs are written under a dot-name, which SIGKILL can leave behind")
        var file = unnamed
        if unnamed >= 0 {
            add(
                "naming them (linkat)",
                BytePath("/proc/self/fd/\(unnamed)").withCString { from in
                    one.withCString { linkat(AT_FDCWD, from, folder, $0, AT_SYMLINK_FOLLOW) }
                } == 0, "outputs cannot be published: is /proc mounted?")
        } else {
            file = one.withCString { openat(folder, $0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
            add("writing files", file >= 0, "nothing can be written here")
        }
        guard file >= 0 else { return }
        defer { _ = close(file) }
        foldsCase = other.withCString { faccessat(folder, $0, F_OK, 0) } == 0
        add(
            "renaming without replacing (renameat2)",
            one.withCString { from in other.withCString { lp_rename_new(folder, from, folder, $0) } } == 0 || foldsCase,
            "a second name and a look take its place")
        add(
            "locks (flock)", flock(file, LOCK_EX | LOCK_NB) == 0,
            "two runs on one folder may take each other's files for left-overs")
        add("syncing files (fsync)", fsync(file) == 0, "what was written may be lost with the power")
        add("syncing folders", fsync(folder) == 0, "names may be lost with the power")
        add(
            "extended attributes", lp_set_attribute(file, "user.labelpipe", [1], 1) == 0,
            "--in-place cannot keep them, where there are any")
        let beneath = ".".withCString { lp_open_folder_beneath(folder, $0) }
        add("staying inside (openat2)", beneath >= 0, "folders are walked one by one, and no link is followed")
        if beneath >= 0 { _ = close(beneath) }
    }

    private mutating func add(_ name: String, _ works: Bool, _ without: String) {
        trials.append(Trial(name: name, failure: works ? nil : .last, without: without))
    }
}
