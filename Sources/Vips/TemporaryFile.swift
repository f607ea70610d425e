import CShim
import Glibc

/// A file that no name leads to: it is gone when nobody reads it any more.
struct TemporaryFile {
    /// Open for reading and writing, and the caller's to close.
    let descriptor: Int32
    /// Where it ends. **Units**: bytes.
    private(set) var size = 0

    /// - Errors: ``PictureFileError/system(call:errno:)``.
    init() throws {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array("\(folder)/labelpipe-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw PictureFileError.system(call: "open", errno: errno) }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// A copy of another file, as far as possible without its bytes being moved.
    mutating func begin(withCopyOf source: Int32, size: Int) throws {
        let failure = copy_shim_file(source, descriptor, Int64(size))
        guard failure == 0 else { throw PictureFileError.system(call: "write", errno: failure) }
        self.size = size
    }

    /// What follows begins at an even place.
    mutating func makeEven() { size += size & 1 }

    mutating func append(_ bytes: [UInt8]) throws {
        try write(bytes, at: size)
        size += bytes.count
    }

    /// Appends a part of another file.
    mutating func append(_ range: Range<Int>, of source: Int32) throws {
        let file = FileBytes(descriptor: source)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
            try append(try file.read(at: start, count: min(1 << 20, range.upperBound - start)))
        }
    }

    func write(_ bytes: [UInt8], at place: Int) throws {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + done, bytes.count - done, off_t(place + done))
            }
            if written < 0 {
                if errno == EINTR { continue }
                throw PictureFileError.system(call: "write", errno: errno)
            }
            done += written
        }
    }
}
