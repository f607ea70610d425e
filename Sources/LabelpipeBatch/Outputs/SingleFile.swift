import CLinux
import Glibc
import LabelpipeWorker

/// One file that a command writes, published as a batch's outputs are: absent, the old one, or complete.
package final class SingleFile {
    /// Open for reading and writing, empty.
    package var descriptor: Int32 { staged.descriptor }
    private let staged: StagedFile

    /// **Errors.** The folder takes no file; a device, a FIFO or a folder has the name: taking it would leave none of that.
    package init(_ path: BytePath) throws(Stop) {
        if case .success(let facts) = FileFacts.of(path, followingLinks: false), facts.kind != .file, facts.kind != .link {
            throw Stop(.unwritable, "\(path) is no file, but a \(facts.kind.rawValue)")
        }
        let run = RunName()
        let folder = path.folder.isEmpty ? BytePath(path.isAbsolute ? "/" : ".") : path.folder
        do throws(OutputError) {
            guard let open = try OutputTree(folder, run: run).folder(BytePath(""), making: true) else {
                throw OutputError("unwritable", "the folder \(folder) vanished")
            }
            staged = try StagedFile(in: open, relative: path.name, run: run)
        } catch {
            throw Stop(.unwritable, "\(path) cannot be written: \(error.message)")
        }
    }

    /// Writes behind what is there.
    ///
    /// **Errors.** What the kernel says.
    package func write(_ bytes: [UInt8]) throws(Stop) {
        let output = Output(descriptor: descriptor)
        output.write(bytes)
        if let failure = output.failure { throw Stop(.unwritable, "\(staged.relative) cannot be written: \(failure)") }
    }

    /// Syncs it and gives it its name. What has that and is replaced leaves it mode and owner.
    ///
    /// **Errors.** What the kernel says; something has the name and is not to be replaced.
    package func publish(replacing: Bool) throws(Stop) {
        do throws(SystemError) {
            if replacing, case .success = FileFacts.of(staged.name, in: staged.folder.descriptor) {
                Attributes.copy(from: staged.name, in: staged.folder.descriptor, to: descriptor)
            }
            guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw .last }
            try staged.publish(replacing: replacing)
            _ = fsync(staged.folder.descriptor)
        } catch {
            throw Stop(.unwritable, "\(staged.relative) cannot be written: \(error)")
        }
        staged.close()
    }
}
