import Synchronization
import Testing
import Vips

extension VipsTests {
    @Suite struct Drawing {
        static let kinds: [(PixelFormat, Int, Interpretation)] = [
            (.uchar, 1, .bw), (.uchar, 3, .srgb), (.uchar, 4, .cmyk), (.uchar, 5, .cmyk), (.ushort, 3, .rgb16),
            (.ushort, 2, .grey16), (.float, 4, .scrgb),
        ]

        @Test(arguments: kinds) func onlyTheBoxChanges(
            _ format: PixelFormat, _ bands: Int, _ interpretation: Interpretation
        ) throws {
            let base = try Image.sample(301, 203, bands: bands, format: format, interpretation: interpretation)
            let box = PixelBox(left: 250, top: 90, width: 40, height: 31)
            let drawn = try base.drawing(over: [box]) { pixels in
                #expect(box.contains(pixels.box) && pixels.bands == bands && pixels.format == format && pixels.index == 0)
                for y in 0..<pixels.box.height {
                    let row = pixels.row(y)
                    for x in 0..<pixels.box.width * pixels.bytesPerPixel {
                        row.storeBytes(of: ~row.load(fromByteOffset: x, as: UInt8.self), toByteOffset: x, as: UInt8.self)
                    }
                }
            }
            #expect(drawn.format == format && drawn.bands == bands && drawn.interpretation == interpretation)
            let before = try base.writeToMemory()
            let after = try drawn.writeToMemory()
            let pixel = base.bytesPerPixel
            var wrong = 0
            for y in 0..<203 {
                for x in 0..<301 {
                    let isInside = box.intersects(PixelBox(left: x, top: y, width: 1, height: 1))
                    for byte in (y * 301 + x) * pixel..<(y * 301 + x + 1) * pixel {
                        // Inverted exactly once inside, the same outside.
                        if after[byte] != (isInside ? ~before[byte] : before[byte]) { wrong += 1 }
                    }
                }
            }
            #expect(wrong == 0)
            #expect(try drawn.writeToMemory() == after)
        }

        @Test func isAskedInStripsAndOnlyWhereItDraws() throws {
            final class Log: Sendable { let boxes = Mutex<[PixelBox]>([]) }
            let log = Log()
            let base = try Image.opened(try Image.sample(640, 480).saved(.png())).image
            let box = PixelBox(left: 600, top: 400, width: 100, height: 50)
            let drawn = try base.drawing(over: [box]) { pixels in log.boxes.withLock { $0.append(pixels.box) } }
            try drawn.sinkDiscard()
            let seen = log.boxes.withLock { $0 }
            #expect(
                seen.reduce(PixelBox(left: 0, top: 0, width: 0, height: 0)) { $0.union($1) }
                    == PixelBox(left: 600, top: 400, width: 40, height: 50))
            #expect(seen.reduce(0) { $0 + $1.width * $1.height } == 40 * 50)
            #expect(seen.count > 1)
        }

        @Test func untouchedRegionsAreTheInputsOwnPixels() throws {
            let base = try Image.sample(200, 100).materialised()
            let drawn = try base.drawing(over: [PixelBox(left: 0, top: 90, width: 5, height: 5)]) { _ in }
            let own = UnsafeRawPointer(base.pointer.pointee.data!)
            try drawn.withRegion(PixelBox(left: 0, top: 10, width: 200, height: 5)) { pixels, _ in
                #expect(pixels == own + 10 * 600)
            }
            try drawn.withRegion(PixelBox(left: 0, top: 86, width: 200, height: 5)) { pixels, _ in
                #expect(pixels != own + 86 * 600)
            }
        }

        @Test func boxesKeepTheirOrderAndIndex() throws {
            let base = try Image.black(width: 50, height: 50)
            let boxes = [
                PixelBox(left: -100, top: 0, width: 20, height: 20), PixelBox(left: 0, top: 0, width: 30, height: 30),
                PixelBox(left: 10, top: 10, width: 100, height: 100), PixelBox(left: 5, top: 5, width: 0, height: 9),
            ]
            let drawn = try base.drawing(over: boxes) { pixels in
                for y in 0..<pixels.box.height {
                    for x in 0..<pixels.box.width { pixels.row(y, as: UInt8.self)[x] = UInt8(pixels.index) }
                }
            }
            let bytes = try drawn.writeToMemory()
            #expect(bytes[5 * 50 + 5] == 1 && bytes[20 * 50 + 20] == 2 && bytes[49 * 50 + 49] == 2 && bytes[40] == 0)
        }

        struct Refusal: Error, CustomStringConvertible { var description: String { "the label is 3% too blue %s" } }

        @Test func errorsOfACallbackSurface() throws {
            let base = try Image.sample(300, 300)
            let drawn = try base.drawing(over: [PixelBox(left: 0, top: 200, width: 10, height: 10)]) { _ in throw Refusal() }
            for _ in 0..<20 {
                let error = try #require(throws: VipsError.self) { try drawn.writeToMemory() }
                #expect(error.message.contains("the label is 3% too blue %s"))
                #expect(error.cause is Refusal)
                let saving = try #require(throws: VipsError.self) { try drawn.saved(.jpeg()) }
                #expect(saving.message.contains("too blue") && saving.cause is Refusal)
            }
            #expect(try drawn.read(PixelBox(left: 0, top: 0, width: 300, height: 10)).count == 9000)
            #expect(ErrorBuffer.takeText() == "")
        }

        @Test func errorsOfAGeneratedPictureSurface() throws {
            let image = try Image.generated(width: 20, height: 20, bands: 1, format: .uchar, interpretation: .bw) { _ in
                throw Refusal()
            }
            let error = try #require(throws: VipsError.self) { try image.sinkDiscard() }
            #expect(error.cause is Refusal)
        }

        @Test func metadataIsKept() throws {
            let base = try Image.sample(20, 20).iccTransform(to: "p3", assumed: "srgb").editingMetadata {
                $0.set("iptc-data", .bytes([1, 2, 3]))
                $0.setOrientation(8)
                $0.setResolution(x: 3, y: 4)
            }
            let drawn = try base.drawing(over: [PixelBox(left: 0, top: 0, width: 3, height: 3)]) { _ in }
            #expect(drawn.profile == base.profile && drawn.bytes("iptc-data") == [1, 2, 3])
            #expect(drawn.orientation == 8 && drawn.xResolution == 3 && drawn.yResolution == 4)
        }

        @Test func anotherPictureMayBeReadInsideACallback() throws {
            let label = try Image.sample(40, 30, bands: 3).drawing(over: []) { _ in }
            let base = try Image.black(width: 100, height: 100, bands: 3)
            let box = PixelBox(left: 20, top: 20, width: 40, height: 30)
            let drawn = try base.drawing(over: [box]) { pixels in
                let part = PixelBox(
                    left: pixels.box.left - 20, top: pixels.box.top - 20, width: pixels.box.width, height: pixels.box.height)
                try label.read(part, into: pixels.base, rowStride: pixels.rowStride)
            }
            #expect(try drawn.extractArea(box).writeToMemory() == label.writeToMemory())
        }

        @Test func callbacksMayRunOnManyThreads() throws {
            try VipsRuntime.start(concurrency: 4)
            defer { try? VipsRuntime.start(concurrency: 1) }
            let base = try Image.sample(500, 2000)
            let drawn = try base.drawing(over: [PixelBox(left: 0, top: 0, width: 500, height: 2000)]) { pixels in
                for y in 0..<pixels.box.height { pixels.row(y, as: UInt8.self)[0] ^= 0xFF }
            }
            let before = try base.writeToMemory()
            let after = try drawn.writeToMemory()
            #expect(
                (0..<2000).allSatisfy { after[$0 * 1500] == ~before[$0 * 1500] && after[$0 * 1500 + 1] == before[$0 * 1500 + 1] })
        }
    }
}
