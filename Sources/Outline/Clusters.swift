/// Boxes that hang together: two are in one cluster if a chain of touching boxes leads from one to the other. What lies in different
/// clusters cannot meet, so it need not be looked at together.
struct Clusters {
    /// Numbers of the boxes, cluster after cluster, in each in rising order.
    private let members: [Int]
    private let starts: [Int]

    var count: Int { starts.count - 1 }
    func members(_ cluster: Int) -> ArraySlice<Int> { members[starts[cluster]..<starts[cluster + 1]] }

    /// **Cost**: n log n, and for each box a look at those it overlaps in the longer direction.
    init(_ boxes: [Box]) {
        var all = Box()
        for box in boxes {
            all.add(box.minX, box.minY)
            all.add(box.maxX, box.maxY)
        }
        let wide = all.maxX - all.minX >= all.maxY - all.minY
        let order = boxes.indices.sorted { a, b in
            wide ? boxes[a].minX < boxes[b].minX : boxes[a].minY < boxes[b].minY
        }
        var leader = Array(boxes.indices)
        func find(_ index: Int) -> Int {
            var index = index
            while leader[index] != index {
                leader[index] = leader[leader[index]]
                index = leader[index]
            }
            return index
        }
        var live = [Int]()
        for index in order {
            let box = boxes[index]
            var kept = 0
            for other in live {
                if wide ? boxes[other].maxX < box.minX : boxes[other].maxY < box.minY { continue }
                live[kept] = other
                kept += 1
                if boxes[other].touches(box) {
                    let (a, b) = (find(other), find(index))
                    if a != b { leader[max(a, b)] = min(a, b) }
                }
            }
            live.removeLast(live.count - kept)
            live.append(index)
        }
        // Leaders are the lowest members, so counting in rising order numbers the clusters by their first member.
        var number = [Int](repeating: 0, count: boxes.count)
        var sizes = [Int]()
        for index in boxes.indices {
            let first = find(index)
            if first == index {
                number[index] = sizes.count
                sizes.append(0)
            }
            sizes[number[first]] += 1
        }
        var starts = [0]
        for size in sizes { starts.append(starts[starts.count - 1] + size) }
        var next = starts
        var members = [Int](repeating: 0, count: boxes.count)
        for index in boxes.indices {
            let cluster = number[find(index)]
            members[next[cluster]] = index
            next[cluster] += 1
        }
        self.members = members
        self.starts = starts
    }
}
