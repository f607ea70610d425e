import Glibc
import LabelpipeKit
import Vips

/// Reads a file by its descriptor, and changes a finished one in place.
struct FileEdit {
    private let descriptor: Int32
    /// Ours, not the user's: errors say so.
    private let isOutput: Bool

    init(source: Int32) { (descriptor, isOutput) = (source, false) }
    init(output: Int32) { (descriptor, isOutput) = (output, true) }

    var size: Int {
        get throws {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
            return Int(status.st_size)
        }
    }

    /// nil where the file does not have so many bytes there.
    ///
    /// **Errors**: what the system refuses: a part that cannot be read is not a part that is not there.
    func read(_ at: Int, _ count: Int) throws -> [UInt8]? {
        guard at >= 0, count >= 0, at <= (try size) - count else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress! + done, count - done, off_t(at + done)) }
            if got < 0 {
                if errno == EINTR { continue }
                throw unreadable(errno)
            }
            if got == 0 { return nil }
            done += got
        }
        return bytes
    }

    /// **Errors**: `DrawingError`, a full disk with its own code.
    func write(_ bytes: [UInt8], at place: Int) throws {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + done, bytes.count - done, off_t(place + done))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw FileEdit.failure(errno) }
            done += written
        }
    }

    /// Moves everything from `place` on back and writes bytes into the gap.
    ///
    /// **Cost**: the rest of the file is copied once.
    func insert(_ bytes: [UInt8], at place: Int) throws {
        if bytes.isEmpty { return }
        var end = try size
        while end > place {
            let start = max(place, end - (1 << 20))
            guard let block = try read(start, end - start) else { throw FileEdit.failure(EIO) }
            try write(block, at: start + bytes.count)
            end = start
        }
        try write(bytes, at: place)
    }

    /// Takes bytes out: everything behind them moves forward.
    ///
    /// **Cost**: the rest of the file is copied once.
    func remove(_ range: Range<Int>) throws {
        let end = try size
        for start in stride(from: range.upperBound, to: end, by: 1 << 20) {
            guard let block = try read(start, min(1 << 20, end - start)) else { throw FileEdit.failure(EIO) }
            try write(block, at: start - range.count)
        }
        try truncate(to: end - range.count)
    }

    func truncate(to size: Int) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw FileEdit.failure(errno) }
    }

    func append(_ bytes: [UInt8]) throws { try write(bytes, at: try size) }

    private func unreadable(_ number: Int32) -> any Error {
        isOutput
            ? DrawingError("unwritable", "the output cannot be read again: \(String(cString: strerror(number)))")
            : PictureFileError.system(call: "read", errno: number)
    }

    static func failure(_ number: Int32) -> DrawingError {
        let isFull = number == ENOSPC || number == EDQUOT
        return DrawingError(
            isFull ? "disk-full" : "unwritable",
            isFull ? "no space is left for the output" : "the output cannot be written: \(String(cString: strerror(number)))")
    }
}

extension [UInt8] {
    /// **Units**: 4 bytes, the first the highest.
    init(bigEndian32 value: Int) { self = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    init(littleEndian32 value: Int) { self = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } }

    func bigEndian32(_ at: Int) -> Int { self[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
    func littleEndian32(_ at: Int) -> Int { self[at..<(at + 4)].reversed().reduce(0) { $0 << 8 | Int($1) } }
}
