import Glibc

/// The most memory that a worker may take for one picture: beyond it allocations fail, and with them the picture.
///
/// What an allocation that fails does is the library's choice: libvips says so, GLib and Swift end the process. Both are told as
/// the same finding.
package enum MemoryCap {
    /// The picture needs more than its share: it has to wait until others have ended. `got` has the bytes.
    package static let needsMore = "needs-memory"
    /// The cap was hit.
    package static let exceeded = "memory"
    package static let sentence = "more memory is needed than the run allows one picture"
    package static let help = ["--memory SIZE allows more, --jobs 1 gives one picture all of it"]

    /// Lets this process take so many bytes more than it has; nil: as many as there are.
    ///
    /// RLIMIT_DATA counts what is private and writable, touched or not, and nothing else: mapped files, libraries and pages that
    /// are shared do not count, so that the number means about what `--memory` says.
    package static func set(_ bytes: Int?) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0 else { return }
        guard let bytes else {
            limit.rlim_cur = limit.rlim_max
            _ = setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
            return
        }
        guard let held = held else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(held + bytes))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }

    /// What this process has of that kind now, **bytes**: the sixth number of `/proc/self/statm` less its stack.
    private static var held: Int? {
        guard let file = fopen("/proc/self/status", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split { $0 == " " || $0 == "\t" }
            if words.first == "VmData:", words.count > 1 { return Int(words[1]).map { $0 << 10 } }
        }
        return nil
    }

    /// Whether a library's last words are about memory.
    package static func isShortage(_ text: String) -> Bool {
        [
            "out of memory", "failed to allocate", "Cannot allocate memory", "bad_alloc", "Insufficient memory",
            "unable to allocate",
            "ould not allocate memory",
        ]
        .contains { text.contains($0) }
    }
}
