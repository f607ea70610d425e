import LabelpipeKit
import Synchronization

/// Watches an effect while it is applied: what it asks for decides for which pictures its layer can be used again.
final class Watch: Sendable {
    private struct Seen {
        var base = false
        var source = false
        var notes: [Note] = []
        var files: [UsedFile] = []
    }

    private let seen = Mutex(Seen())
    private let source: @Sendable (Int?) throws -> Picture
    private let report: @Sendable (Note) -> Void
    private let uses: @Sendable (UsedFile) -> Void

    private let isRehearsal: Bool

    init(_ job: Executor.Job) { (source, report, uses, isRehearsal) = (job.source, job.report, job.uses, job.isRehearsal) }

    var hasReadBase: Bool { seen.withLock(\.base) }
    var hasOpenedSource: Bool { seen.withLock(\.source) }
    var notes: [Note] { seen.withLock(\.notes) }
    var files: [UsedFile] { seen.withLock(\.files) }

    func context(base: Context.Base?) -> Context {
        Context(
            base: base, isRehearsal: isRehearsal,
            source: { page in
                self.seen.withLock { $0.source = true }
                return try self.source(page)
            },
            report: { note in
                self.seen.withLock { $0.notes.append(note) }
                self.report(note)
            },
            uses: { file in
                let isNew = self.seen.withLock { seen in
                    if seen.files.contains(file) { return false }
                    seen.files.append(file)
                    return true
                }
                if isNew { self.uses(file) }
            }, baseIsRead: { self.seen.withLock { $0.base = true } })
    }
}
