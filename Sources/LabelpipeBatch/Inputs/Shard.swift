import Glibc
import LabelpipeWorker

/// `--shard`: this process's part of the list, by a hash of the path, so that every process makes the same division.
package struct Shard: Sendable, Equatable {
    /// From 1.
    package let index: Int
    package let count: Int
    /// What it was taken from, to be said.
    package let source: String?

    /// The whole list.
    package static let whole = Shard(index: 1, count: 1, source: nil)

    private init(index: Int, count: Int, source: String?) {
        self.index = index
        self.count = count
        self.source = source
    }

    /// Reads `I/N` (I from 1 to N), or `auto` and `auto/N`, which take the index from what a cluster's scheduler sets.
    ///
    /// **Errors.** A sentence about what was expected.
    package init(_ text: String, environment: (String) -> String?) throws(Failure) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts[0] == "auto", parts.count <= 2 {
            let count = parts.count == 2 ? Int(parts[1]) : nil
            guard parts.count == 1 || (count ?? 0) > 0 else { throw Failure("expected auto or auto/N, got \"\(text)\"") }
            self = try Self.automatic(count: count, environment)
            return
        }
        guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]), count > 0, (1...count).contains(index)
        else {
            throw Failure("expected I/N with I from 1 to N, or auto, got \"\(text)\"")
        }
        self.init(index: index, count: count, source: nil)
    }

    package struct Failure: Error {
        package let message: String
        init(_ message: String) { self.message = message }
    }

    /// Index, its first value, and the number of tasks, by the variables of each scheduler.
    private static let schedulers: [(index: String, first: String?, count: String)] = [
        ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"),
        ("JOB_COMPLETION_INDEX", nil, "JOB_COMPLETIONS"),
        ("CLOUD_RUN_TASK_INDEX", nil, "CLOUD_RUN_TASK_COUNT"),
        ("AWS_BATCH_JOB_ARRAY_INDEX", nil, "AWS_BATCH_JOB_ARRAY_SIZE"),
    ]

    private static func automatic(count given: Int?, _ environment: (String) -> String?) throws(Failure) -> Shard {
        for scheduler in schedulers {
            guard let text = environment(scheduler.index) else { continue }
            guard let index = Int(text) else { throw Failure("\(scheduler.index) is \"\(text)\", which is no number") }
            let first = scheduler.first.flatMap(environment).flatMap { Int($0) } ?? 0
            guard let count = given ?? environment(scheduler.count).flatMap({ Int($0) }), count > 0 else {
                throw Failure("\(scheduler.index) says which part, and \(scheduler.count) not of how many: --shard auto/N")
            }
            guard (0..<count).contains(index - first) else {
                throw Failure("\(scheduler.index) is \(index), which is none of \(count) parts from \(first) on")
            }
            return Shard(index: index - first + 1, count: count, source: scheduler.index)
        }
        throw Failure("auto finds none of \(schedulers.map(\.index).joined(separator: ", "))")
    }

    /// The name of its journal.
    var name: String { "\(index)of\(count)" }

    /// Whether a picture is in this part.
    func has(_ path: BytePath) -> Bool {
        guard count > 1 else { return true }
        // FNV-1a, mixed once more: its lowest bits alone are not even.
        var hash = path.bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        hash = (hash ^ (hash >> 32)) &* 0xd6e8_feb8_6659_fd93
        return Int((hash ^ (hash >> 32)) % UInt64(count)) == index - 1
    }
}
