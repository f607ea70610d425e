import Outline
import Synchronization

/// The latest bands of something that is drawn in whole rows and asked for in thin strips, from top to bottom.
final class BandCache<Value: Sendable>: Sendable {
    let height: Int
    private let latest = Mutex<[(band: Region, value: Value)]>([])

    init(height: Int) { self.height = height }

    /// The bands of `box` that `region` touches.
    func bands(of region: Region, in box: Region) -> [Region] {
        let first = (region.y - box.y) / height
        let last = (region.maxY - 1 - box.y) / height
        return (first...last).map {
            Region(x: box.x, y: box.y + $0 * height, width: box.width, height: height).intersection(box)
        }
    }

    /// A band, made unless it is one of the latest, of which there are as many as a row of tiles of 256 px may lie on. Threads that
    /// need others wait: each band is made once.
    func get(_ band: Region, _ make: () throws -> Value) throws -> Value {
        try latest.withLock { latest in
            if let found = latest.first(where: { $0.band == band }) { return found.value }
            // First gone, then made: never more than these in memory.
            if latest.count == 254 / height + 2 { latest.removeFirst() }
            let value = try make()
            latest.append((band, value))
            return value
        }
    }
}
