import Testing
import Vips

extension VipsTests {
    @Suite struct Images {
        @Test func memoryRoundTrip() throws {
            let bytes = (0..<4 * 3 * 3).map { UInt8($0) }
            let image = try Image.fromMemory(bytes, width: 4, height: 3, bands: 3, format: .uchar, interpretation: .srgb)
            #expect(try image.writeToMemory() == bytes)
            #expect(image.width == 4 && image.height == 3 && image.bands == 3)
            #expect(!image.hasAlpha && image.interpretation == .srgb && image.isInMemory)
        }

        @Test func memoryOfAWrongSizeIsRefused() throws {
            #expect(throws: VipsError.self) {
                try Image.fromMemory([1, 2, 3], width: 2, height: 2, bands: 1, format: .uchar, interpretation: .bw)
            }
            #expect(throws: VipsError.self) {
                try Image.fromMemory([], width: 0, height: 2, bands: 1, format: .uchar, interpretation: .bw)
            }
        }

        @Test func borrowedMemoryIsReleasedWithItsLastUser() throws {
            final class Flag: @unchecked Sendable { var isReleased = false }  // set on the thread of the test alone
            let flag = Flag()
            let pixels = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 16)
            for index in 0..<16 { pixels[index] = UInt8(index) }
            let address = UInt(bitPattern: pixels.baseAddress)
            var image: Image? = try Image.borrowingMemory(
                UnsafeRawBufferPointer(pixels), width: 4, height: 4, bands: 1, format: .uchar, interpretation: .bw
            ) {
                UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
                flag.isReleased = true
            }
            var part: Image? = try image!.extractArea(PixelBox(left: 1, top: 1, width: 2, height: 1))
            image = nil
            #expect(!flag.isReleased)
            #expect(try part!.writeToMemory() == [5, 6])
            part = nil
            #expect(flag.isReleased)
        }

        @Test(arguments: [PixelFormat.uchar, .ushort, .float]) func regionsAreReadAnywhere(_ format: PixelFormat) throws {
            let image = try Image.sample(70, 50, bands: 4, format: format)
            let whole = try image.writeToMemory()
            let box = PixelBox(left: 13, top: 7, width: 21, height: 30)
            let part = try image.read(box)
            let pixel = image.bytesPerPixel
            for y in 0..<box.height {
                let start = ((box.top + y) * 70 + box.left) * pixel
                #expect(
                    part[y * box.width * pixel..<(y + 1) * box.width * pixel].elementsEqual(
                        whole[start..<start + box.width * pixel]))
            }
            #expect(throws: VipsError.self) { try image.read(PixelBox(left: 60, top: 0, width: 11, height: 1)) }
            #expect(try image.read(PixelBox(left: 60, top: 0, width: 0, height: 1)).isEmpty)
        }

        @Test func pixelsInMemoryAreSeenWithoutACopy() throws {
            let image = try Image.sample(9, 5).materialised()
            #expect(image.isInMemory)
            let bytes = try image.writeToMemory()
            try image.withPixels { pixels, stride in
                #expect(stride == 27)
                #expect(pixels == UnsafeRawPointer(image.pointer.pointee.data))
                #expect([UInt8](UnsafeRawBufferPointer(start: pixels, count: bytes.count)) == bytes)
            }
        }

        @Test func fullIntensityIsThePicturesOwn() throws {
            #expect(try Image.sample(2, 2).fullIntensity == 255)
            #expect(try Image.sample(2, 2, format: .ushort, interpretation: .rgb16).fullIntensity == 65535)
            #expect(try Image.sample(2, 2, format: .float, interpretation: .scrgb).fullIntensity == 1)
            #expect(try Image.sample(2, 2, format: .float).fullIntensity == 255)
        }

        @Test func metadataIsKeptSetAndRemoved() throws {
            let plain = try Image.sample(4, 4)
            let image = try plain.editingMetadata {
                $0.set("number", .integer(7))
                $0.set("real", .double(1.5))
                $0.set("word", .string("Grüße"))
                $0.set("blob", .bytes([0, 255, 0, 1]))
                $0.set("delay", .integers([10, 20, 30]))
                $0.set("background", .doubles([1, 2, 3]))
                $0.setOrientation(6)
                $0.setResolution(x: 11.811, y: 5)
            }
            #expect(plain.fieldNames().allSatisfy { $0 != "number" } && plain.orientation == 1)
            #expect(image.integer("number") == 7 && image.double("number") == 7 && image.double("real") == 1.5)
            #expect(image.string("word") == "Grüße" && image.bytes("blob") == [0, 255, 0, 1])
            #expect(image.integers("delay") == [10, 20, 30] && image.metadata("background") == .doubles([1, 2, 3]))
            #expect(image.orientation == 6 && image.xResolution == 11.811 && image.yResolution == 5)
            #expect(image.string("number") == nil && image.integer("missing") == nil)
            let fewer = try image.removing(["word", "blob"])
            #expect(!fewer.has("word") && !fewer.has("blob") && fewer.integer("number") == 7 && image.has("word"))
            #expect(throws: VipsError.self) { try plain.setting("exif-data", to: .bytes([1, 2, 3])) }
            #expect(ErrorBuffer.takeText() == "")
        }

        /// A pixel in the corner that tells every orientation from the others.
        @Test(
            arguments: [
                (1, [1, 2, 3, 4, 5, 6]), (2, [3, 2, 1, 6, 5, 4]), (3, [6, 5, 4, 3, 2, 1]), (4, [4, 5, 6, 1, 2, 3]),
                (5, [1, 4, 2, 5, 3, 6]), (6, [4, 1, 5, 2, 6, 3]), (7, [6, 3, 5, 2, 4, 1]), (8, [3, 6, 2, 5, 1, 4]),
            ] as [(Int, [UInt8])]) func upright(_ orientation: Int, _ expected: [UInt8]) throws
        {
            let image = try Image.fromMemory(
                [1, 2, 3, 4, 5, 6], width: 3, height: 2, bands: 1, format: .uchar, interpretation: .bw
            ).setting("orientation", to: .integer(orientation))
            let upright = try image.upright()
            #expect(upright.orientation == 1)
            #expect(upright.width == (orientation > 4 ? 2 : 3))
            #expect(try upright.writeToMemory() == expected)
        }

        @Test func commonOperations() throws {
            let image = try Image.sample(12, 8)
            #expect(try image.rotated(quarterTurns: -1).width == 8)
            #expect(try image.rotated(quarterTurns: 4) === image)
            let embedded = try image.embed(left: 2, top: 1, width: 20, height: 10, background: [1, 2, 3])
            #expect(try embedded.read(PixelBox(left: 0, top: 0, width: 1, height: 1)) == [1, 2, 3])
            #expect(
                try embedded.extractArea(PixelBox(left: 2, top: 1, width: 12, height: 8)).writeToMemory() == image.writeToMemory()
            )
            #expect(
                try image.cast(.ushort, shifting: true).read(PixelBox(left: 0, top: 0, width: 1, height: 1))[1]
                    == image.writeToMemory()[0])
            #expect(try image.resized(horizontally: 0.5).width == 6)
            #expect(try image.colourspace(.bw).bands == 1)
            #expect(try image.flipped(horizontally: true).flipped(horizontally: true).writeToMemory() == image.writeToMemory())
            #expect(try Image.arrayjoin([image, image, image]).height == 24)
            #expect(
                try Image.filled([9, 8, 7], width: 3, height: 1, format: .uchar, interpretation: .srgb).writeToMemory() == [
                    9, 8, 7, 9, 8, 7, 9, 8, 7,
                ])
            #expect(try image.extractBand(1).bands == 1)
            let turned = try image.affine(a: 0, b: -1, c: 1, d: 0)
            #expect(turned.width == 8 && turned.height == 12)
        }

        @Test func alphaOperations() throws {
            let image = try Image.filled([200, 100, 50, 128], width: 2, height: 2, format: .uchar, interpretation: .srgb)
            #expect(image.hasAlpha)
            let back = try image.premultiplied().unpremultiplied().cast(.uchar)
            #expect(largestDifference(try back.writeToMemory(), try image.writeToMemory()) <= 1)
            let flat = try image.flattened(background: [0, 0, 0])
            #expect(flat.bands == 3)
            #expect(largestDifference(try flat.writeToMemory(), [UInt8](repeating: 0, count: 12)) == 100)
            // Red beside transparent green: a straight filter would mix them.
            let edge = try Image.filled([255, 0, 0, 255], width: 8, height: 8, format: .uchar, interpretation: .srgb)
                .drawing(over: [PixelBox(left: 4, top: 0, width: 4, height: 8)]) { pixels in
                    for y in 0..<pixels.box.height {
                        for x in 0..<pixels.box.width * 4 { pixels.row(y, as: UInt8.self)[x] = x % 4 == 1 ? 255 : 0 }
                    }
                }
            let half = try edge.resizedStraight(horizontally: 0.5)
            #expect(half.format == .uchar && half.width == 4 && half.interpretation == .srgb)
            let row = try half.read(PixelBox(left: 0, top: 0, width: 4, height: 1))
            #expect((0..<4).allSatisfy { row[$0 * 4 + 3] < 8 || (row[$0 * 4] > 250 && row[$0 * 4 + 1] < 5) }, "\(row)")
            #expect(
                try Image.filled([1.6], width: 1, height: 1, format: .float, interpretation: .bw).rounded(to: .uchar)
                    .writeToMemory() == [2])
            let opaque = try Image.sample(2, 2)
            #expect(try opaque.premultiplied() === opaque && opaque.flattened(background: [0]) === opaque)
            #expect(try opaque.joiningBands(constants: [255]).hasAlpha)
            #expect(try opaque.joiningBands([opaque.extractBand(0)]).bands == 4)
        }

        @Test func profilesAreBuiltInOnly() throws {
            let image = try Image.sample(8, 8)
            let p3 = try image.iccTransform(to: "p3", assumed: "srgb")
            #expect(p3.hasProfile && p3.bands == 3)
            #expect((p3.profile ?? []).count > 100)
            #expect(throws: VipsError.self) { try image.iccTransform(to: "/etc/passwd") }
        }
    }
}
