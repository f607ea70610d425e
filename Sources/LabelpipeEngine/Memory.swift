import LabelpipeKit
import Synchronization

/// A layer in one place, however many tables it stands in: those of a graph of 20 000 nodes grow by copying.
final class Made: Sendable {
    let layer: Layer

    init(_ layer: Layer) { self.layer = layer }
}

/// Layers that recur from picture to picture, by what made them.
///
/// A layer is kept with what was noted while it was made, and the files that it is made of: that is told again with each picture
/// that it is used for. What
/// is kept is bounded by what it holds; what was not used for the longest time goes first.
final class Memory {
    struct Key: Hashable {
        let node: Int
        /// The base, where the effect has been seen to look at it.
        let base: Context.Base?
        /// The values that another picture may change.
        let values: [Value]
        /// The layers that reach it, by input and edge.
        let inputs: [Int]
        /// The files that it names, as they are now.
        let files: [FileStamp?]
    }

    struct Entry {
        let made: Made
        let notes: [Note]
        let files: [UsedFile]
        var bytes: Int
        /// The number of the picture that it was last used for.
        var lastUse: Int
    }

    /// **Units**: bytes.
    private let budget: Int
    private var entries: [Key: Entry] = [:]
    private var bytes = 0
    private var picture = 0
    /// The effects that have been seen to look at their base.
    private(set) var readsBase: Set<Int> = []
    private(set) var hits = 0
    private(set) var misses = 0

    /// Of the whole process: caches of drawn labels outlive an executor.
    private static let next = Atomic<Int>(0)

    init(budget: Int) { self.budget = budget }

    /// A new picture begins.
    func begin() { picture += 1 }

    /// How many layers are kept, and what they hold.
    var size: (count: Int, bytes: Int) { (entries.count, bytes) }

    func markReadsBase(_ node: Int) { readsBase.insert(node) }

    func find(_ key: Key) -> Entry? {
        guard let index = entries.index(forKey: key) else { return nil }
        hits += 1
        entries.values[index].lastUse = picture
        return entries.values[index]
    }

    /// - Parameter bytes: of the layer itself, as its census has it.
    func keep(_ layer: Layer, notes: [Note], files: [UsedFile], bytes size: Int, for key: Key) -> Made {
        misses += 1
        var layer = layer
        layer.identity = Memory.next.add(1, ordering: .relaxed).newValue
        let made = Made(layer)
        let size = size + 512 + notes.reduce(0) { $0 + $1.message.utf8.count + 64 }
        // What one picture needs goes beyond the budget only so far: a graph may be larger than what is worth keeping.
        if size <= budget / 2, bytes + size <= 2 * budget {
            entries[key] = Entry(made: made, notes: notes, files: files, bytes: size, lastUse: picture)
            bytes += size
        }
        return made
    }

    /// A picture is done: outlines may have grown polygons meanwhile, and what is too much goes.
    func settle() {
        if entries.count <= 256 {
            bytes = 0
            for index in entries.indices {
                if entries.values[index].lastUse == picture {
                    let census = Census(entries.values[index].made.layer, limit: Language.maximumMarks)
                    entries.values[index].bytes = max(entries.values[index].bytes, census.bytes)
                }
                bytes += entries.values[index].bytes
            }
        }
        guard bytes > budget else { return }
        // Down to half, so that it is not done for every picture.
        for (key, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[key] = nil
            bytes -= entry.bytes
            if bytes <= budget / 2 { break }
        }
    }
}
