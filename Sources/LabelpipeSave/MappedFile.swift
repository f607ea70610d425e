import Glibc
import LabelpipeKit

/// A file's bytes, in memory as the kernel pages them in.
final class MappedFile {
    let bytes: UnsafeRawBufferPointer

    /// **Errors**: what the system says.
    init(descriptor: Int32) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0,
            let address = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), address != MAP_FAILED
        else { throw DrawingError("unreadable", "the file cannot be mapped: \(String(cString: strerror(errno)))") }
        madvise(address, Int(status.st_size), MADV_SEQUENTIAL)
        bytes = UnsafeRawBufferPointer(start: address, count: Int(status.st_size))
    }

    /// Lets go of the pages that are in memory; they come back when they are looked at.
    func forget() { madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, MADV_DONTNEED) }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
