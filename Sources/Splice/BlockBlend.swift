/// Draws the label into one block of coefficients: to samples, blended, and back.
///
/// A component's sample is the mean of `width / h × height / v` px, so is the label over it:
/// `sample' = sample * mean(1 - alpha) + mean(alpha * (label - 128))`. Samples are not clamped before: a px with alpha 0 keeps
/// what overshoots, and its block's coefficients come back as they were.
final class BlockBlend {
    private let tile: LabelTile
    private let steps: [[Float]]
    private let reciprocals: [[Float]]
    /// Px of the tile per sample of the component, across and down.
    private let across: [Int]
    private let down: [Int]

    init(_ tile: LabelTile, _ header: JPEGHeader) {
        self.tile = tile
        var steps: [[Float]] = []
        for component in header.components {
            var natural = [Float](repeating: 1, count: 64)
            for (index, value) in component.quantisation.enumerated() { natural[Int(naturalOrder[index])] = Float(value) }
            steps.append(natural)
        }
        self.steps = steps
        reciprocals = steps.map { $0.map { 1 / $0 } }
        let single = header.components.count == 1
        across = header.components.map { single ? 1 : header.maxH / $0.h }
        down = header.components.map { single ? 1 : header.maxV / $0.v }
    }

    /// Blends the label into a block. The tile is composed for the MCU that the block belongs to.
    ///
    /// - Parameters:
    ///   - coefficients: quantised, in natural order; changed in place.
    ///   - column: the block's place in its MCU, counted in blocks of its component; `row` likewise.
    /// - Returns: whether any coefficient has changed.
    func blend(_ coefficients: UnsafeMutablePointer<Int16>, component: Int, column: Int, row: Int) -> Bool {
        let across = self.across[component]
        let down = self.down[component]
        let start = row &* 8 &* down &* tile.width &+ column &* 8 &* across
        let plane = tile.added + component &* tile.width &* tile.height
        var through = Self.zero
        var added = Self.zero
        withUnsafeMutablePointer(to: &through) { through in
            withUnsafeMutablePointer(to: &added) { added in
                let through = UnsafeMutableRawPointer(through).assumingMemoryBound(to: BlockTransform.Row.self)
                let added = UnsafeMutableRawPointer(added).assumingMemoryBound(to: BlockTransform.Row.self)
                switch (across, down) {
                case (1, 1):
                    for y in 0..<8 {
                        through[y] = Self.row(tile.through + (start &+ y &* tile.width))
                        added[y] = Self.row(plane + (start &+ y &* tile.width))
                    }
                case (2, 2):
                    for y in 0..<8 {
                        through[y] = Self.halved(tile.through + (start &+ 2 &* y &* tile.width), tile.width)
                        added[y] = Self.halved(plane + (start &+ 2 &* y &* tile.width), tile.width)
                    }
                default:
                    for y in 0..<8 {
                        through[y] = Self.mean(tile.through + (start &+ y &* down &* tile.width), tile.width, across, down)
                        added[y] = Self.mean(plane + (start &+ y &* down &* tile.width), tile.width, across, down)
                    }
                }
            }
        }
        return steps[component].withUnsafeBufferPointer { steps in
            reciprocals[component].withUnsafeBufferPointer { reciprocals in
                apply(through, added, coefficients, steps.baseAddress!, reciprocals.baseAddress!)
            }
        }
    }

    private static let zero: BlockTransform.Block = (
        .zero, .zero, .zero, .zero, .zero, .zero, .zero, .zero
    )

    @inline(__always)
    private static func row(_ values: UnsafePointer<Float>) -> BlockTransform.Row {
        UnsafeRawPointer(values).loadUnaligned(as: BlockTransform.Row.self)
    }

    /// The mean of 2×2 px for each of eight samples.
    @inline(__always)
    private static func halved(_ values: UnsafePointer<Float>, _ stride: Int) -> BlockTransform.Row {
        let left = row(values) + row(values + stride)
        let right = row(values + 8) + row(values + stride + 8)
        return BlockTransform.Row(
            lowHalf: left.evenHalf + left.oddHalf, highHalf: right.evenHalf + right.oddHalf) * 0.25
    }

    private static func mean(_ values: UnsafePointer<Float>, _ stride: Int, _ across: Int, _ down: Int) -> BlockTransform.Row {
        var sums = BlockTransform.Row.zero
        for y in 0..<down {
            for x in 0..<8 {
                for each in 0..<across { sums[x] += values[y &* stride &+ x &* across &+ each] }
            }
        }
        return sums / Float(across &* down)
    }

    @inline(__always)
    private func apply(
        _ through: BlockTransform.Block, _ added: BlockTransform.Block, _ coefficients: UnsafeMutablePointer<Int16>,
        _ steps: UnsafePointer<Float>, _ reciprocals: UnsafePointer<Float>
    ) -> Bool {
        @inline(__always) func scaled(_ y: Int) -> BlockTransform.Row {
            BlockTransform.Row(UnsafeRawPointer(coefficients + 8 &* y).loadUnaligned(as: SIMD8<Int16>.self))
                * Self.row(steps + 8 &* y)
        }
        let s = BlockTransform.inverse(
            (scaled(0), scaled(1), scaled(2), scaled(3), scaled(4), scaled(5), scaled(6), scaled(7)))
        let f = BlockTransform.forward(
            (
                s.0 * through.0 + added.0, s.1 * through.1 + added.1, s.2 * through.2 + added.2, s.3 * through.3 + added.3,
                s.4 * through.4 + added.4, s.5 * through.5 + added.5, s.6 * through.6 + added.6, s.7 * through.7 + added.7
            ))
        var changed = SIMD8<Int16>.zero
        // AC is coded in 10 bits at most, DC as a difference in 11.
        let high = BlockTransform.Row(repeating: 1023)
        let low = BlockTransform.Row(repeating: -1023)
        let lowDC = BlockTransform.Row(-1024, -1023, -1023, -1023, -1023, -1023, -1023, -1023)
        @inline(__always) func store(_ row: BlockTransform.Row, _ y: Int) {
            var value = row * Self.row(reciprocals + 8 &* y)
            value.replace(with: high, where: value .> high)
            let least = y == 0 ? lowDC : low
            value.replace(with: least, where: value .< least)
            let whole = BlockTransform.rounded(value)
            let place = UnsafeMutableRawPointer(coefficients + 8 &* y)
            changed |= whole ^ place.loadUnaligned(as: SIMD8<Int16>.self)
            place.storeBytes(of: whole, as: SIMD8<Int16>.self)
        }
        store(f.0, 0)
        store(f.1, 1)
        store(f.2, 2)
        store(f.3, 3)
        store(f.4, 4)
        store(f.5, 5)
        store(f.6, 6)
        store(f.7, 7)
        return changed != .zero
    }
}
