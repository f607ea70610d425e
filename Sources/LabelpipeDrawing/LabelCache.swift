import LabelpipeKit
import Outline
import Synchronization
import Vips

/// Labels that have been rendered, for the following pictures of the same size and kind.
///
/// The key is the caller's: equal keys mean equal marks at the same place. What else a rendering depends on (size and encoding of
/// the page, profile, opacity, blend) is added here. Each worker process has one of its own: workers draw at the same time, so a
/// run would not end sooner if one drew for all. A second worker costs 19 ms of processor time a run, its start included, with a
/// label in a corner, and 37 ms with one of 4000 × 1000 px under a blur of σ 128: more than that a shared one could not save.
///
/// A label that was never asked for twice stays on trial, in a small part of the budget: a text of its own on each of a million
/// pictures does not fill the memory. One that comes back after its trial is believed, so that labels that take turns stay too.
package final class LabelCache: Sendable {
    struct Key: Hashable, Sendable {
        let caller: String
        let orientation: Orientation
        let model: Encoding.Model
        let format: PixelFormat
        let isLinear: Bool
        let profile: [UInt8]?
        let opacity: Double
        let blend: BlendMode
        let space: BlendSpace
    }

    /// How often a label was found, and rendered, and what is kept now.
    package struct Counts: Sendable, Equatable {
        package var hits = 0
        package var misses = 0
        package var bytes = 0
    }

    /// That of the process.
    package static let shared = LabelCache(budget: 128 << 20)

    private struct Entry {
        let label: Label
        var used: Int
        var isOnTrial: Bool
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var clock = 0
        var counts = Counts()
        var onTrial = 0
        /// Hashes of labels that were dropped while on trial.
        var dropped: Set<Int> = []

        mutating func drop(_ key: Key) {
            guard let entry = entries.removeValue(forKey: key) else { return }
            counts.bytes -= entry.label.byteCount
            guard entry.isOnTrial else { return }
            onTrial -= entry.label.byteCount
            if dropped.count >= 4096 { dropped = [] }
            dropped.insert(key.hashValue)
        }

        /// Drops the least recently used of some until they are few enough; never `newest`.
        mutating func drop(_ isMeant: (Entry) -> Bool, but newest: Key, until isEnough: (State) -> Bool) {
            while !isEnough(self),
                let oldest = entries.filter({ isMeant($0.value) && $0.key != newest }).min(by: { $0.value.used < $1.value.used })
            {
                drop(oldest.key)
            }
        }
    }

    private let state = Mutex(State())
    private let budget: Int
    private let trialBudget: Int

    /// - Parameter budget: bytes of renderings that are kept; the least recently used go first.
    package init(budget: Int) {
        self.budget = budget
        trialBudget = budget / 32
    }

    package var counts: Counts { state.withLock { $0.counts } }

    func label(_ key: Key, _ make: () -> Label) -> Label {
        state.withLock { state in
            state.clock += 1
            if let found = state.entries[key] {
                state.counts.hits += 1
                state.entries[key]?.used = state.clock
                if found.isOnTrial {
                    state.entries[key]?.isOnTrial = false
                    state.onTrial -= found.label.byteCount
                }
                return found.label
            }
            state.counts.misses += 1
            let label = make()
            if label.byteCount > budget { return label }
            let isOnTrial = state.dropped.remove(key.hashValue) == nil
            state.entries[key] = Entry(label: label, used: state.clock, isOnTrial: isOnTrial)
            state.counts.bytes += label.byteCount
            if isOnTrial { state.onTrial += label.byteCount }
            state.drop(\.isOnTrial, but: key) { $0.onTrial <= trialBudget }
            state.drop({ _ in true }, but: key) { $0.counts.bytes <= budget }
            return label
        }
    }
}
