import Glibc
import Outline

/// Differences of two pictures of one size, gathered block by block.
struct DifferenceGrid {
    /// **Units**: px.
    let side: Int
    let width: Int
    let height: Int
    let across: Int
    let down: Int
    /// Where differences do not count, as stored.
    let ignored: [Region]
    /// Of each block: how many pixels differ, the greatest difference, the sum of squares.
    private(set) var counts: [Int32]
    private(set) var greatest: [Float]
    private(set) var squares: [Double]
    /// In blocks that `ignored` touches.
    private(set) var ignoredSquares = 0.0
    private(set) var ignoredCount = 0

    /// - Parameters:
    ///   - ignored: boxes that are left out of the counts of blocks.
    init(width: Int, height: Int, ignored: [Region]) {
        (self.width, self.height, self.ignored) = (width, height, ignored)
        var side = 8
        // A gigapixel in 16 million blocks, no more.
        while (width / side + 1) * (height / side + 1) > 16_000_000 { side *= 2 }
        self.side = side
        across = (width + side - 1) / side
        down = (height + side - 1) / side
        counts = [Int32](repeating: 0, count: across * down)
        greatest = [Float](repeating: 0, count: across * down)
        squares = [Double](repeating: 0, count: across * down)
    }

    /// Takes in rows of samples from `y` on.
    mutating func add<Sample: BinaryFloatConvertible>(
        _ a: UnsafeRawPointer, _ aStride: Int, _ b: UnsafeRawPointer, _ bStride: Int, y: Int, rows: Int, bands: Int,
        as type: Sample.Type
    ) {
        for row in 0..<rows {
            let one = (a + row * aStride).assumingMemoryBound(to: type)
            let other = (b + row * bStride).assumingMemoryBound(to: type)
            if isSame(one, other, width * bands) { continue }
            let boxes = ignored.filter { $0.y <= y + row && y + row < $0.maxY }
            let first = (y + row) / side * across
            for x in 0..<width {
                var most: Float = 0
                var sum = 0.0
                for band in x * bands..<(x + 1) * bands {
                    let difference = abs(one[band].asFloat - other[band].asFloat)
                    if difference > most { most = difference }
                    sum += Double(difference) * Double(difference)
                }
                guard most > 0 else { continue }
                if boxes.contains(where: { $0.x <= x && x < $0.maxX }) {
                    ignoredCount += 1
                    ignoredSquares += sum
                    continue
                }
                let block = first + x / side
                counts[block] += 1
                squares[block] += sum
                if most > greatest[block] { greatest[block] = most }
            }
        }
    }

    private func isSame<Sample>(_ a: UnsafePointer<Sample>, _ b: UnsafePointer<Sample>, _ count: Int) -> Bool {
        let bytes = count * MemoryLayout<Sample>.stride
        return memcmp(a, b, bytes) == 0
    }

    /// Boxes round the blocks that differ by more than a noise, those that lie close together in one. **Units**: px, stored.
    func boxes(noise: Float) -> [Region] {
        let reach = 3
        var isOpen = greatest.map { $0 > noise }
        var boxes: [Region] = []
        for start in isOpen.indices where isOpen[start] {
            isOpen[start] = false
            var box = Region(x: start % across, y: start / across, width: 1, height: 1)
            var stack = [start]
            while let block = stack.popLast() {
                let (x, y) = (block % across, block / across)
                box = box.union(Region(x: x, y: y, width: 1, height: 1))
                for ny in max(0, y - reach)...min(down - 1, y + reach) {
                    for nx in max(0, x - reach)...min(across - 1, x + reach) where isOpen[ny * across + nx] {
                        isOpen[ny * across + nx] = false
                        stack.append(ny * across + nx)
                    }
                }
            }
            boxes.append(box)
        }
        return Self.merged(boxes).map {
            Region(x: $0.x * side, y: $0.y * side, width: $0.width * side, height: $0.height * side)
                .intersection(Region(x: 0, y: 0, width: width, height: height))
        }
    }

    /// Boxes that overlap become one; too many of them to be read become one too.
    private static func merged(_ boxes: [Region]) -> [Region] {
        guard boxes.count <= 256 else { return [boxes.reduce(Region.empty) { $0.union($1) }] }
        var boxes = boxes
        var isChanged = true
        while isChanged {
            isChanged = false
            outer: for i in boxes.indices {
                for j in boxes.indices where j > i && !boxes[i].intersection(boxes[j]).isEmpty {
                    boxes[i] = boxes[i].union(boxes[j])
                    boxes.remove(at: j)
                    isChanged = true
                    break outer
                }
            }
        }
        return boxes.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
    }

    /// What lies outside of boxes.
    struct Outside {
        var pixels = 0
        var area = 0
        var blocks = 0
        var allBlocks = 0
        var greatest: Float = 0
        var squares = 0.0
    }

    /// Counts pixels to the px where the boxes were ignored from the start; else the boxes are whole blocks. Blocks that a box
    /// touches are not counted as blocks.
    func outside(_ boxes: [Region]) -> Outside {
        var found = Outside()
        found.area = width * height - area(of: boxes)
        for y in 0..<down {
            let row = boxes.filter { $0.y < (y + 1) * side && y * side < $0.maxY }
            for x in 0..<across {
                let cell = Region(x: x * side, y: y * side, width: side, height: side)
                let isTouched = row.contains { !$0.intersection(cell).isEmpty }
                if isTouched, ignored.isEmpty { continue }
                let block = y * across + x
                if !isTouched {
                    found.allBlocks += 1
                    if counts[block] > 0 { found.blocks += 1 }
                }
                guard counts[block] > 0 else { continue }
                found.pixels += Int(counts[block])
                found.greatest = max(found.greatest, greatest[block])
                found.squares += squares[block]
            }
        }
        return found
    }

    /// Pixels that boxes cover together.
    private func area(of boxes: [Region]) -> Int {
        let inside = boxes.map { $0.intersection(Region(x: 0, y: 0, width: width, height: height)) }.filter { !$0.isEmpty }
        var area = 0
        for y in Set(inside.flatMap { Array($0.y..<$0.maxY) }) {
            var end = 0
            for box in inside.filter({ $0.y <= y && y < $0.maxY }).sorted(by: { $0.x < $1.x }) where box.maxX > end {
                area += box.maxX - max(end, box.x)
                end = box.maxX
            }
        }
        return area
    }
}

/// A sample whose difference can be told as a number.
protocol BinaryFloatConvertible {
    var asFloat: Float { get }
}

extension UInt8: BinaryFloatConvertible { var asFloat: Float { Float(self) } }
extension UInt16: BinaryFloatConvertible { var asFloat: Float { Float(self) } }
extension Float: BinaryFloatConvertible { var asFloat: Float { self } }
