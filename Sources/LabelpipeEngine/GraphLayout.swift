/// Puts the boxes of a graph in rows, each above those that need it, and finds ways for the lines between them.
///
/// The usual layered drawing (Sugiyama, Tagawa, Toda 1981), simple: rows by distance from the ends, the order in a row by the
/// middle of the neighbours, long lines led through rows by points of their own.
package struct GraphLayout {
    package struct Line {
        package let from: Int
        package let to: Int
        /// Where on the lower box it arrives, 0…1 of its width.
        let port: Double

        package init(from: Int, to: Int, port: Double) { (self.from, self.to, self.port) = (from, to, port) }
    }

    let sizes: [(width: Double, height: Double)]
    let lines: [Line]
    /// Top left of each box.
    package private(set) var places: [(x: Double, y: Double)] = []
    /// From box to box: the points of each line.
    package private(set) var ways: [[(x: Double, y: Double)]] = []
    package private(set) var width = 0.0
    package private(set) var height = 0.0

    private static let between = (columns: 28.0, rows: 78.0)
    /// Above a row, where lines come down straight, so that none crosses what is written at another. px
    package static let arrival = 42.0
    /// Beyond this many points lines go straight, whatever lies between.
    private static let mostPoints = 100_000

    /// - Parameter lines: each from a box to one with a higher number.
    package init(sizes: [(width: Double, height: Double)], lines: [Line]) {
        (self.sizes, self.lines) = (sizes, lines)
        var grid = Grid(sizes: sizes, lines: lines, mostPoints: Self.mostPoints)
        grid.order()
        grid.settle(gap: Self.between.columns)
        var top = 0.0
        places = Array(repeating: (0, 0), count: sizes.count)
        var y = [Double](repeating: 0, count: grid.items.count)
        // Of each item's row.
        var bottom = y
        for row in grid.rows {
            let tallest = row.map { grid.items[$0].height }.max() ?? 0
            for item in row { (y[item], bottom[item]) = (top, top + tallest) }
            top += tallest + Self.between.rows
        }
        let left = grid.items.indices.map { grid.center[$0] - grid.items[$0].width / 2 }.min() ?? 0
        for index in sizes.indices { places[index] = (grid.center[index] - sizes[index].width / 2 - left, y[index]) }
        width = grid.items.indices.map { grid.center[$0] + grid.items[$0].width / 2 - left }.max() ?? 0
        height = max(0, top - Self.between.rows)
        for (number, line) in lines.enumerated() {
            // Straight down as far as there are boxes beside it: lines only bend between the rows.
            var way = [(grid.center[line.from] - left, y[line.from] + sizes[line.from].height)]
            way.append((grid.center[line.from] - left, bottom[line.from]))
            for item in grid.points[number] {
                way.append((grid.center[item] - left, y[item] - Self.arrival))
                way.append((grid.center[item] - left, bottom[item]))
            }
            let port = places[line.to].x + sizes[line.to].width * line.port
            way.append((port, y[line.to] - Self.arrival))
            way.append((port, y[line.to]))
            ways.append(way)
        }
    }

    /// Boxes and the points of long lines, in rows.
    private struct Grid {
        var items: [(width: Double, height: Double)]
        var rows: [[Int]] = []
        var rowOf: [Int]
        var center: [Double] = []
        /// Of each line, the points between its ends.
        var points: [[Int]]
        private var above: [[Int]]
        private var below: [[Int]]

        init(sizes: [(width: Double, height: Double)], lines: [Line], mostPoints: Int) {
            items = sizes
            // As near as possible to what needs them: counted from the ends.
            var depth = [Int](repeating: 0, count: sizes.count)
            for line in lines.sorted(by: { $0.from > $1.from }) { depth[line.from] = max(depth[line.from], depth[line.to] + 1) }
            let deepest = depth.max() ?? 0
            let rowOf = depth.map { deepest - $0 }
            let crossed = lines.reduce(0) { $0 + rowOf[$1.to] - rowOf[$1.from] - 1 }
            self.rowOf = rowOf
            points = Array(repeating: [], count: lines.count)
            above = Array(repeating: [], count: sizes.count)
            below = above
            for (number, line) in lines.enumerated() {
                var last = line.from
                if crossed <= mostPoints, rowOf[line.to] - rowOf[line.from] > 1 {
                    for row in (rowOf[line.from] + 1)..<rowOf[line.to] {
                        items.append((8, 0))
                        self.rowOf.append(row)
                        above.append([last])
                        below.append([])
                        below[last].append(items.count - 1)
                        points[number].append(items.count - 1)
                        last = items.count - 1
                    }
                }
                above[line.to].append(last)
                below[last].append(line.to)
            }
            rows = Array(repeating: [], count: deepest + 1)
            for item in items.indices { rows[self.rowOf[item]].append(item) }
        }

        /// Orders rows so that few lines cross: each item where the middle of its neighbours is, down and up a few times.
        mutating func order() {
            var place = [Double](repeating: 0, count: items.count)
            for row in rows { for (number, item) in row.enumerated() { place[item] = Double(number) } }
            for sweep in 0..<8 {
                let isDown = sweep % 2 == 0
                for index in isDown ? Array(rows.indices) : rows.indices.reversed() {
                    let neighbours = isDown ? above : below
                    let keys = rows[index].map { item -> Double in
                        let all = neighbours[item]
                        return all.isEmpty ? place[item] : all.reduce(0) { $0 + place[$1] } / Double(all.count)
                    }
                    let sorted = rows[index].indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
                    rows[index] = sorted.map { rows[index][$0] }
                    for (number, item) in rows[index].enumerated() { place[item] = Double(number) }
                }
            }
        }

        /// Gives every item a place: as near to the middle of its neighbours as the others in its row allow.
        mutating func settle(gap: Double) {
            center = Array(repeating: 0, count: items.count)
            for row in rows { spread(row, wanted: row.map { _ in 0 }, gap) }
            for sweep in 0..<10 {
                let isDown = sweep % 2 == 0
                for row in isDown ? rows : rows.reversed() {
                    let wanted = row.map { item -> Double in
                        let all = isDown ? above[item] : below[item]
                        return all.isEmpty ? center[item] : all.reduce(0) { $0 + center[$1] } / Double(all.count)
                    }
                    spread(row, wanted: wanted, gap)
                }
            }
        }

        /// Items that would overlap become a block, whose middle is where its members want it (pool adjacent violators).
        private mutating func spread(_ row: [Int], wanted: [Double], _ gap: Double) {
            var offsets: [Double] = []
            var edge = 0.0
            for item in row {
                offsets.append(edge + items[item].width / 2)
                edge += items[item].width + gap
            }
            var blocks: [(first: Int, count: Int, sum: Double)] = []
            for index in row.indices {
                blocks.append((index, 1, wanted[index] - offsets[index]))
                while blocks.count > 1, let last = blocks.last {
                    let other = blocks[blocks.count - 2]
                    guard other.sum / Double(other.count) >= last.sum / Double(last.count) else { break }
                    blocks.removeLast(2)
                    blocks.append((other.first, other.count + last.count, other.sum + last.sum))
                }
            }
            for block in blocks {
                let shift = block.sum / Double(block.count)
                for index in block.first..<(block.first + block.count) { center[row[index]] = shift + offsets[index] }
            }
        }
    }
}
