import LabelpipeKit
import Outline
import Synchronization

/// Labels that have been rendered, for the following pictures of the same size and kind.
///
/// The key is the caller's: equal keys mean equal marks at the same place. What else a rendering depends on (size and encoding of
/// the page, profile, opacity, blend) is added here.
package final class LabelCache: Sendable {
    struct Key: Hashable, Sendable {
        let caller: String
        let orientation: Orientation
        let model: Encoding.Model
        let bits: Int
        let isLinear: Bool
        let profile: [UInt8]?
        let opacity: Double
        let blend: BlendMode
        let space: BlendSpace
    }

    private struct Entry {
        let label: Label
        var used: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var clock = 0
    }

    private let state = Mutex(State())
    private let budget: Int

    /// - Parameter budget: bytes of renderings that are kept; the least recently used go first.
    package init(budget: Int) { self.budget = budget }

    func label(_ key: Key, _ make: () -> Label) -> Label {
        state.withLock { state in
            state.clock += 1
            if let found = state.entries[key] {
                state.entries[key]?.used = state.clock
                return found.label
            }
            let label = make()
            if label.byteCount > budget { return label }
            state.entries[key] = Entry(label: label, used: state.clock)
            var total = state.entries.values.reduce(0) { $0 + $1.label.byteCount }
            while total > budget, let oldest = state.entries.min(by: { $0.value.used < $1.value.used }) {
                total -= oldest.value.label.byteCount
                state.entries[oldest.key] = nil
            }
            return label
        }
    }
}
