import Glibc
import LabelpipeWorker

/// Reads a folder's names.
package enum Folder {
    package struct Entry {
        package let name: BytePath
        /// Nil where the file system does not say: ask.
        package let kind: FileFacts.Kind?
    }

    /// All entries but `.` and `..`, in the order of the file system. The descriptor stays the caller's.
    package static func entries(of descriptor: Int32) -> Swift.Result<[Entry], SystemError> {
        // A descriptor of its own: reading moves a position that `dup` would share.
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return .failure(.last) }
        guard let folder = fdopendir(copy) else {
            let error = SystemError.last
            _ = close(copy)
            return .failure(error)
        }
        defer { closedir(folder) }
        var entries: [Entry] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: UInt8.self, capacity: 256) {
                    BytePath(UnsafeBufferPointer(start: $0, count: strlen($0)))
                }
            }
            if name.bytes == [0x2E] || name.bytes == [0x2E, 0x2E] { continue }
            entries.append(Entry(name: name, kind: kind(entry.pointee.d_type)))
        }
        return errno == 0 ? .success(entries) : .failure(.last)
    }

    /// As above, by path.
    package static func entries(of path: BytePath) -> Swift.Result<[Entry], SystemError> {
        let descriptor = path.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { return .failure(.last) }
        defer { _ = close(descriptor) }
        return entries(of: descriptor)
    }

    private static func kind(_ type: UInt8) -> FileFacts.Kind? {
        switch Int(type) {
        case 8: .file
        case 4: .folder
        case 10: .link
        case 1: .fifo
        case 12: .socket
        case 2, 6: .device
        default: nil
        }
    }
}
