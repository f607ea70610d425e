import LabelpipeDrawing
import LabelpipeKit
import Testing
import Vips

@Suite struct LabelCacheTests {
    /// Draws a label of 20 × 20 px, which takes some 4.5 KB, under each key in turn.
    private func draw(_ keys: [String], _ cache: LabelCache) throws {
        let base = Picture(try Pixels.picture([9, 9, 9], width: 30, height: 30))
        for key in keys { _ = try Placing.draw([PlacingTests.block("red")], onto: base, cache: cache, key: key) }
    }

    @Test func whatIsFoundIsCounted() throws {
        let cache = LabelCache(budget: 1 << 20)
        try draw(["a", "a", "b", "a"], cache)
        #expect(cache.counts.hits == 2 && cache.counts.misses == 2)
        #expect((8000..<12000).contains(cache.counts.bytes))
    }

    /// A text of its own on every picture does not fill the memory.
    @Test func labelsThatNeverComeBackGo() throws {
        let cache = LabelCache(budget: 1 << 20)
        try draw((0..<1000).map { "\($0)" }, cache)
        #expect(cache.counts.misses == 1000)
        #expect(cache.counts.bytes <= 1 << 15)
    }

    @Test func labelsThatTakeTurnsStay() throws {
        let cache = LabelCache(budget: 1 << 20)
        let turn = (0..<20).map { "\($0)" }
        for _ in 0..<2 { try draw(turn, cache) }
        let before = cache.counts
        try draw(turn, cache)
        #expect(cache.counts.hits == before.hits + 20 && cache.counts.misses == before.misses)
        #expect(cache.counts.bytes > 80_000)
    }

    @Test func theBudgetIsKept() throws {
        let cache = LabelCache(budget: 50_000)
        let turn = (0..<20).map { "\($0)" }
        for _ in 0..<4 { try draw(turn, cache) }
        #expect(cache.counts.bytes <= 50_000)
        // Larger than everything that may be kept: drawn, and not kept.
        let none = LabelCache(budget: 1000)
        try draw(["a", "a"], none)
        #expect(none.counts.misses == 2 && none.counts.hits == 0 && none.counts.bytes == 0)
    }
}
