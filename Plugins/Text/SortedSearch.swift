extension Array {
    /// The first index from which on `isPast` holds; `count` if it never does.
    func firstIndex(sorted isPast: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isPast(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
