import Diagnostics
import Glibc

/// A picture file, opened: always a regular file.
package struct OpenSource {
    package let descriptor: Int32
    /// As named by the user; for standard input what stands in for a name.
    package let path: BytePath
    package let facts: FileFacts

    /// Opens a file. Folders, FIFOs, sockets and devices are refused without waiting for anything.
    ///
    /// **Errors.** `unreadable`, `not-a-file`, `empty`, `changed`.
    package static func open(_ path: BytePath, expecting identity: FileFacts.Identity? = nil) throws(Diagnostics) -> OpenSource {
        // The kind is asked before: opening a device can do things. O_NONBLOCK: a FIFO put there since does not hang.
        switch FileFacts.of(path) {
        case .failure(let error): throw [unreadable(error)]
        case .success(let facts): try requireFile(facts)
        }
        let descriptor = path.withCString { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard descriptor >= 0 else { throw [unreadable(.last)] }
        do throws(Diagnostics) {
            return try taking(descriptor, path: path, expecting: identity)
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
    }

    /// Takes an open descriptor over, for instance standard input from a file.
    package static func taking(_ descriptor: Int32, path: BytePath, expecting identity: FileFacts.Identity? = nil)
        throws(Diagnostics) -> OpenSource
    {
        switch FileFacts.of(descriptor: descriptor) {
        case .failure(let error): throw [unreadable(error)]
        case .success(let facts):
            try requireFile(facts)
            if let identity, identity != facts.identity {
                throw [
                    Diagnostic(
                        "changed", message: "the file was replaced during the run",
                        help: ["run again when nothing writes to the folder"])
                ]
            }
            guard facts.size > 0 else { throw [Diagnostic("empty", message: "the file is empty")] }
            return OpenSource(descriptor: descriptor, path: path, facts: facts)
        }
    }

    package func close() {
        _ = Glibc.close(descriptor)
    }

    private static func unreadable(_ error: SystemError) -> Diagnostic {
        Diagnostic("unreadable", message: "cannot be read: \(error)")
    }

    private static func requireFile(_ facts: FileFacts) throws(Diagnostics) {
        guard facts.kind != .file else { return }
        throw [Diagnostic("not-a-file", message: "is no picture file but a \(facts.kind.rawValue)")]
    }
}
