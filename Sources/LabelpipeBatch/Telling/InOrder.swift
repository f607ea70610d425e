/// Lets pictures' lines out in the order of the list, whichever picture is done first.
struct InOrder {
    /// Of the pictures that have not ended, and of those that wait for them: by their numbers, which rise.
    private var order: ArraySlice<Int>
    private var waiting: [Int: [UInt8]] = [:]
    private var ended: Set<Int> = []

    init(_ order: [Int] = []) { self.order = order[...] }

    /// Keeps a picture's line.
    mutating func add(_ line: [UInt8], of picture: Int) { waiting[picture] = line }

    /// A picture has ended, with a line or without: what may be told now.
    mutating func end(_ picture: Int) -> [UInt8] {
        guard !order.isEmpty else { return [] }
        ended.insert(picture)
        var told: [UInt8] = []
        while let first = order.first, ended.remove(first) != nil {
            told += waiting.removeValue(forKey: first) ?? []
            order = order.dropFirst()
        }
        return told
    }
}
