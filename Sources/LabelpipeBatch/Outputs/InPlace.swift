import Glibc
import LabelpipeWorker

/// `--in-place`: the only way an input may be replaced.
enum InPlace {
    /// Opens the file that will take the picture's place, beside it. A symbolic link stays: what it leads to is replaced.
    ///
    /// **Errors.** A file with other hard links, which would keep the old picture.
    static func stage(
        _ picture: Picture, run: RunName, leftOvers: LeftOvers, breaksLinks: Bool
    ) throws(OutputError) -> StagedFile {
        guard let target = picture.path?.real else { throw OutputError("unreadable", "cannot be read: \(SystemError.last)") }
        guard case .success(let facts) = FileFacts.of(target) else { throw OutputError("unreadable", "the file vanished") }
        guard facts.links == 1 || breaksLinks else {
            throw OutputError(
                "links",
                "the file has \(facts.links) names (hard links), and the others would keep the old picture: --break-links")
        }
        let descriptor = target.folder.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw OutputError(.last, target) }
        let folder = OpenFolder(descriptor: descriptor, path: target.folder)
        leftOvers.sweep(descriptor)
        return try StagedFile(in: folder, relative: target.name, run: run)
    }
}
