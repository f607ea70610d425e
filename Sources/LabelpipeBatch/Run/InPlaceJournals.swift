import LabelpipeWorker
import Synchronization

/// The journals of work in place. A picture's line is kept in the folder that was named and that it was found in; of one that was
/// named itself in its own folder. So a later run finds it in whatever order folders are named, and whichever of them.
final class InPlaceJournals: Sendable {
    private let run: RunName
    private let shard: String
    private let date: Int64
    /// The latest are open, the last one at the end: a list may name pictures of any number of folders.
    private let open = Mutex<[(home: BytePath, journal: Journal)]>([])
    private static let mostOpen = 8

    /// - Parameter date: the run's start, which a resumed run keeps.
    init(run: RunName, shard: String, date: Int64) { (self.run, self.shard, self.date) = (run, shard, date) }

    /// Writes a line and waits until the disk has it.
    ///
    /// **Errors.** The disk does not take it.
    func add(_ entry: Journal.Entry, input: BytePath?, home: BytePath) throws(Stop) {
        let journal = try journal(in: home)
        do throws(SystemError) {
            try journal.addSynced(entry, input: input)
        } catch {
            throw Stop(.unwritable, "the journal cannot be written: \(error)")
        }
    }

    /// **Errors.** It cannot be written.
    func journal(in home: BytePath) throws(Stop) -> Journal {
        try open.withLock { (open) throws(Stop) in
            if let place = open.firstIndex(where: { $0.home == home }) {
                let entry = open.remove(at: place)
                open.append(entry)
                return entry.journal
            }
            let folder: OpenFolder?
            do throws(OutputError) {
                folder = try OutputTree(home, run: run).folder(BytePath(""), making: false)
            } catch {
                throw Stop(.unwritable, error.message)
            }
            guard let folder else { throw Stop(.unwritable, "the folder \(home) vanished") }
            let journal = try Journal(in: folder, shard: shard, date: date)
            // One that is given up is closed when no thread writes into it any more.
            if open.count == Self.mostOpen { open.removeFirst() }
            open.append((home, journal))
            return journal
        }
    }
}

extension Picture {
    /// Where work in place keeps its line.
    var home: BytePath? {
        guard let path else { return nil }
        var folder = path.folder
        for _ in relative.components { folder = folder.folder }
        if folder.isEmpty { folder = BytePath(".") }
        // Where a link leads elsewhere, the next run may come to the file without it.
        guard let real = path.real, let own = folder.real, !real.components.starts(with: own.components) else { return folder }
        return real.folder
    }
}
