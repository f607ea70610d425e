import CLinux
import Glibc
import LabelpipeBatch
import LabelpipeWorker

/// How many pictures are worth doing at once.
enum Cores {
    /// The cores that this process may use, by its affinity and by its control group's quota.
    static var count: Int {
        let usable = max(1, Int(lp_usable_cores()))
        return quota.map { min(usable, max(1, Int($0.rounded(.up)))) } ?? usable
    }

    /// `cpu.max` of the group: microseconds of a period, and the period.
    private static var quota: Double? {
        guard let bytes = try? SmallInput.read(BytePath("/sys/fs/cgroup/cpu.max"), limit: 4096) else { return nil }
        let numbers = bytes.split { $0 == 0x20 || $0 == 0x0A }.map { Double(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 2, let time = numbers[0], let period = numbers[1], period > 0 else { return nil }
        return time / period
    }
}

/// How much memory pictures may be expected to need together.
enum Memory {
    /// Three quarters of what this process may have: the rest is for files that the system keeps, and for everybody else.
    static var usable: Int? { all.map { $0 / 4 * 3 } }

    /// The machine's, or less by the control group's limit. **Units**: bytes.
    static var all: Int? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let machine = pages > 0 ? pages * sysconf(Int32(_SC_PAGESIZE)) : nil
        return [machine, group].compactMap(\.self).min()
    }

    /// The control group's limit, by the second version's file or the first's; nil where there is none.
    private static var group: Int? {
        for file in ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"] {
            guard let bytes = try? SmallInput.read(BytePath(file), limit: 4096) else { continue }
            let text = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
            // The first version writes a huge number where there is none.
            if let limit = Int(text), limit > 0, limit < 1 << 50 { return limit }
        }
        return nil
    }
}

/// The moment that `{date}` tells.
enum RunStart {
    /// Seconds since 1970; `SOURCE_DATE_EPOCH` stands for now where it is set, for outputs that can be made again.
    ///
    /// **Errors.** It is set and no such number.
    static func now() throws(Stop) -> Int64 {
        guard let pointer = getenv("SOURCE_DATE_EPOCH") else { return Int64(time(nil)) }
        let text = String(cString: pointer)
        // 9999-12-31: what a date of four digits can tell.
        guard let seconds = Int64(text), (0...253_402_300_799).contains(seconds) else {
            throw Stop(.usage, "SOURCE_DATE_EPOCH: expected whole seconds since 1970, got \"\(text)\"")
        }
        return seconds
    }
}
