import LabelpipeDrawing
import LabelpipeKit
import Outline
import Testing
import Vips

@Suite struct TilingTests {
    static let white = [255.0, 255, 255]

    /// B44.
    @Test func tilesRepeatByWholePixelsToEveryEdge() throws {
        let base = Picture(try Pixels.picture(Self.white, width: 97, height: 61))
        let tile = [PlacingTests.block("#204080", 0, 0, 12, 12)]
        let out = try Tiling.draw(tile, Tiling.Lattice(across: (20, 0), down: (0, 20)), onto: base)
        let s = try Pixels.samples(out.image)
        for y in 0..<61 {
            for x in 0..<97 {
                let covered = x % 20 < 12 && y % 20 < 12
                #expect(s[(y * 97 + x) * 3] == (covered ? 32 : 255))
            }
        }
        // Gap 0 and half alpha: one colour, no seam.
        let solid = try Tiling.draw(
            [PlacingTests.block("#00000080", 0, 0, 12, 12)], Tiling.Lattice(across: (12, 0), down: (0, 12)), onto: base)
        #expect(Set(try Pixels.samples(solid.image)).count == 1)
        // A tile larger than the picture.
        let large = try Tiling.draw(
            [PlacingTests.block("red", 0, 0, 200, 200)], Tiling.Lattice(across: (200, 0), down: (0, 200)), onto: base)
        #expect(try Pixels.pixel(large.image, 96, 60) == [255, 0, 0])
    }

    /// Every tile by hand, in order, against the lattice's own search; turned, staggered, overlapping, jittered.
    @Test(arguments: [1, 3, 6]) func everyTileIsFoundAndLaterRowsLieAbove(orientation: Int) throws {
        let stored = try PictureTests.noise(90, 75, bands: 3, format: .uchar, .srgb)
        let picture = Picture(stored, orientation: orientation)
        let tile = [
            Mark.body(
                Sample.body(
                    Sample.rectangle(-3, -4, 17, 11),
                    Sample.gradient(Sample.rectangle(0, 0, 17, 11), [.black, Sample.color("#ff0c")])))
        ]
        for (u, v, jitter) in [((15, -6), (5, 14), 0), ((-11, 7), (6, 9), 3), ((0, 12), (13, 2), 1)] {
            let lattice = Tiling.Lattice(across: u, down: v, jitter: jitter, seed: 42)
            let out = try Tiling.draw(tile, lattice, opacity: 0.8, onto: picture)
            var expected = picture
            for j in -25...25 {
                for i in -40...40 {
                    let m = lattice.move(i, j)
                    let place = Vector(dx: Double(i * u.0 + j * v.0 + m.dx), dy: Double(i * u.1 + j * v.1 + m.dy))
                    guard place.dx > -30, place.dx < 100, place.dy > -30, place.dy < 100 else { continue }
                    expected = try Placing.draw(tile, at: place, opacity: 0.8, onto: expected)
                }
            }
            #expect(try Pixels.samples(out.image) == Pixels.samples(expected.image), "\(u) \(v) \(jitter)")
        }
    }

    @Test func jitterIsUniformAndDependsOnTheSeed() {
        let lattice = Tiling.Lattice(across: (1, 0), down: (0, 1), jitter: 2, seed: 7)
        var counts = [Int: Int]()
        for j in 0..<100 { for i in 0..<100 { counts[lattice.move(i, j).dx, default: 0] += 1 } }
        #expect(counts.keys.sorted() == [-2, -1, 0, 1, 2])
        #expect(counts.values.allSatisfy { abs($0 - 2000) < 250 })
        let other = Tiling.Lattice(across: (1, 0), down: (0, 1), jitter: 2, seed: 8)
        #expect((0..<50).contains { lattice.move($0, 0) != other.move($0, 0) })
    }

    @Test func cornersAreCoveredAtAnAngle() throws {
        let base = Picture(try Pixels.picture(Self.white, width: 97, height: 61))
        let tile = [PlacingTests.block("black", 0, 0, 12, 12)].map {
            $0.transformed(by: .rotation(degrees: -30, about: Point(x: 6, y: 6)))
        }
        let out = try Tiling.draw(tile, Tiling.Lattice(across: (17, -10), down: (10, 17)), onto: base)
        let s = try Pixels.samples(out.image)
        for (x0, y0) in [(0, 0), (67, 0), (0, 31), (67, 31)] {
            #expect((0..<30).contains { y in (0..<30).contains { x in s[((y0 + y) * 97 + x0 + x) * 3] < 128 } })
        }
    }

    @Test func aFlatLatticeIsRefused() throws {
        let base = Picture(try Pixels.picture(Self.white, width: 10, height: 10))
        #expect(throws: DrawingError.self) {
            try Tiling.draw([PlacingTests.block("red")], Tiling.Lattice(across: (4, 2), down: (2, 1)), onto: base)
        }
    }

    @Test func thePatchOfAllTilesIsWhatWasBlended() throws {
        let noise = try PictureTests.noise(90, 60, bands: 3, format: .uchar, .srgb)
        let tile = [PlacingTests.block("#ff000080", 0, 0, 14, 14)]
        let out = try Tiling.draw(
            tile, Tiling.Lattice(across: (10, 3), down: (-3, 10)), onto: Picture(noise, provenance: Provenance()))
        guard let touch = out.provenance?.touched.first else {
            Issue.record("no touch")
            return
        }
        let region = Region(x: 11, y: 9, width: 40, height: 30)
        var patch = [Float](repeating: -1, count: region.width * region.height * 4)
        try patch.withUnsafeMutableBufferPointer {
            try touch.patch.pixels(in: region, into: $0.baseAddress!, rowStride: region.width * 4)
        }
        let (before, after) = (try Pixels.samples(noise), try Pixels.samples(out.image))
        for y in region.y..<region.maxY {
            for x in region.x..<region.maxX {
                let (i, p) = ((y * 90 + x) * 3, ((y - region.y) * region.width + x - region.x) * 4)
                let expected = before[i] * Double(1 - patch[p + 3]) + Double(patch[p] * patch[p + 3]) * 255
                // Rounded once a tile there, once here.
                #expect(abs(expected - after[i]) < 2)
            }
        }
    }
}
