import CGLib
import Glibc

/// SHA-256, by GLib.
package struct Digest: ~Copyable {
    // G_CHECKSUM_SHA256: the name is lost where two modules have GLib.
    private let checksum = g_checksum_new(GChecksumType(rawValue: 2))

    package init() {}

    deinit { g_checksum_free(checksum) }

    package mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { g_checksum_update(checksum, $0.baseAddress, gssize($0.count)) }
    }

    /// Adds a text with its length, so that two in a row are not one.
    package mutating func add(_ text: String) {
        add(Array("\(text.utf8.count):".utf8))
        var text = text
        // In place: the text of a large graph has megabytes.
        text.withUTF8 { [checksum] in g_checksum_update(checksum, $0.baseAddress, gssize($0.count)) }
    }

    /// The digest's first half, 32 hexadecimal digits: enough to tell files apart, short enough for a line of a journal.
    package mutating func text() -> String {
        String(String(cString: g_checksum_get_string(checksum)).prefix(32))
    }

    /// Of the first and the last 64 KiB of a file and its size; of all of it where it is no longer.
    static func ends(of descriptor: Int32, size: Int64) -> String? {
        let part: Int64 = 65536
        var digest = Digest()
        digest.add("\(size)")
        let isRead: Bool
        if size <= 2 * part {
            isRead = digest.add(descriptor, from: 0, length: size)
        } else {
            isRead = digest.add(descriptor, from: 0, length: part) && digest.add(descriptor, from: size - part, length: part)
        }
        guard isRead else { return nil }
        return digest.text()
    }

    /// Of a whole file.
    package static func whole(of descriptor: Int32, size: Int64) -> String? {
        var digest = Digest()
        digest.add("\(size)")
        return digest.add(descriptor, from: 0, length: size) ? digest.text() : nil
    }

    /// False where the file cannot be read that far.
    private mutating func add(_ descriptor: Int32, from: Int64, length: Int64) -> Bool {
        var chunk = [UInt8](repeating: 0, count: Int(min(length, 1 << 18)))
        var done: Int64 = 0
        while done < length {
            let count = pread(descriptor, &chunk, Int(min(Int64(chunk.count), length - done)), off_t(from + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            g_checksum_update(checksum, chunk, gssize(count))
            done += Int64(count)
        }
        return true
    }
}
