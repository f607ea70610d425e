import CLinux
import Glibc
import LabelpipeWorker

/// What a file has beside its bytes, for a new one that takes its place.
enum Attributes {
    /// Gives a file the mode, owner, group and extended attributes of another.
    ///
    /// Owner and attributes that this process may not set are left: the file would not be written at all else.
    static func copy(from name: BytePath, in folder: Int32, to descriptor: Int32) {
        let old = name.withCString { openat(folder, $0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) }
        guard old >= 0 else { return }
        defer { _ = close(old) }
        guard case .success(let facts) = FileFacts.of(descriptor: old) else { return }
        // The owner first: changing it takes set-id bits away.
        _ = fchown(descriptor, facts.owner, facts.group)
        _ = fchmod(descriptor, facts.mode)
        var names = [CChar](repeating: 0, count: 64 << 10)
        let length = lp_list_attributes(old, &names, names.count)
        guard length > 0 else { return }
        var value = [UInt8](repeating: 0, count: 64 << 10)
        for name in names.prefix(length).split(separator: 0) {
            let terminated = Array(name) + [0]
            let size = lp_get_attribute(old, terminated, &value, value.count)
            if size >= 0 { _ = lp_set_attribute(descriptor, terminated, value, size) }
        }
    }

    /// Gives a file a time of modification, and of access, in nanoseconds since 1970.
    static func setTimes(_ modified: Int64, of descriptor: Int32) {
        let time = timespec(tv_sec: Int(modified / 1_000_000_000), tv_nsec: Int(modified % 1_000_000_000))
        _ = futimens(descriptor, [time, time])
    }
}
