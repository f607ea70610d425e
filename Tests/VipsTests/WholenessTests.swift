import Testing
import Vips

extension VipsTests {
    /// Files whose first picture is all there, while something behind it, or around it, is not.
    @Suite struct WholenessTests {
        private static let frames = 6

        private static func pages(_ options: SaveOptions) throws -> [UInt8] {
            let strip = try Image.sample(80, 60 * frames).editingMetadata { editor in
                editor.set("page-height", .integer(60))
                if options.format != .tiff { editor.set("delay", .integers(Array(repeating: 50, count: frames))) }
            }
            return try strip.saved(options)
        }

        /// Opens, decodes and finishes.
        @discardableResult private func read(_ bytes: [UInt8], tolerant: Bool = false) throws -> (pages: Int, warnings: [String])
        {
            let file = try Image.opened(bytes) {
                $0.pages = .all
                $0.isTolerant = tolerant
                $0.allowed = [.jxl]
            }
            let target = try UnnamedFile()
            let texts = try Saver.save(file.image, to: target.descriptor, .png(), isTolerant: tolerant)
            return (file.image.pageCount, try texts + file.finish())
        }

        private func verdict(_ bytes: [UInt8]) -> String? {
            do {
                try read(bytes)
                return nil
            } catch { return "\(error)" }
        }

        static let animations: [SaveOptions] = {
            var lossless = WebPSaveOptions()
            lossless.isLossless = true
            var tiles = TIFFSaveOptions()
            tiles.tile = (width: 64, height: 64)
            var big = TIFFSaveOptions()
            big.isBig = true
            return [.gif(), .webp(), .webp(lossless), .tiff(), .tiff(tiles), .tiff(big)]
        }()

        @Test(arguments: animations) func cutOffAnimationsAreRefused(_ options: SaveOptions) throws {
            let whole = try Self.pages(options)
            #expect(try read(whole).pages == Self.frames)
            let accepted = (0..<60).map { whole.count / 5 + (whole.count - 1 - whole.count / 5) * $0 / 59 }.filter {
                verdict(Array(whole.prefix($0))) == nil
            }
            #expect(accepted == [], "of \(whole.count)")
            #expect(ErrorBuffer.takeText() == "")
        }

        /// What stands last: the last strip, its numbers, or a resolution.
        @Test(arguments: ["none", "deflate", "lzw", "packbits"], [273, 279, 282])
        func aTIFFThatLacksItsLastBytesIsRefused(compression: String, last: Int) throws {
            var options = TIFFSaveOptions()
            options.compression = try #require(.init(rawValue: compression))
            options.predictor = .none
            options.stripHeight = 16
            var whole = try Image.sample(80, 64).saved(.tiff(options))
            func number(_ at: Int, _ count: Int = 4) -> Int { (0..<count).reduce(0) { $0 | Int(whole[at + $1]) << (8 * $1) } }
            let entries = (0..<number(number(4), 2)).map { number(4) + 2 + 12 * $0 }
            func entry(_ tag: Int) throws -> (at: Int, width: Int, count: Int, values: Int) {
                let at = try #require(entries.first { number($0, 2) == tag })
                return (at, try #require([3: 2, 4: 4, 5: 8][number(at + 2, 2)]), number(at + 4), number(at + 8))
            }
            // Once more, behind everything.
            var moved = try entry(last)
            if last == 273 {
                let lengths = try entry(279)
                moved = (
                    moved.values + 4 * 3 - 8, 1, number(lengths.values + lengths.width * 3, lengths.width),
                    number(moved.values + 12)
                )
            }
            let bytes = whole[moved.values..<(moved.values + moved.count * moved.width)]
            for byte in 0..<4 { whole[moved.at + 8 + byte] = UInt8(truncatingIfNeeded: whole.count >> (8 * byte)) }
            whole += bytes
            #expect(verdict(whole) == nil)
            for missing in 1...4 { #expect(verdict(Array(whole.dropLast(missing))) != nil, "\(missing)") }
        }

        @Test func cutOffJPEGXLIsRefused() throws {
            try #require(Saver.exists(.jxl))
            let whole = try Image.sample(200, 150).saved(.jxl())
            #expect(verdict(whole) == nil)
            // In boxes, with one more behind the pixels.
            func box(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
                let size = bytes.count + 8
                let head: [UInt8] = [0, 0, UInt8(size >> 8), UInt8(size & 255)]
                return head + Array(name.utf8) + bytes
            }
            var start = box("JXL ", [13, 10, 0x87, 10])
            start += box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
            let boxes: [UInt8] = start + box("jxlc", whole) + box("xml ", Array(repeating: 0x20, count: 300))
            #expect(verdict(boxes) == nil)
            for length in [boxes.count - 1, boxes.count - 200, boxes.count - 400] {
                #expect(verdict(Array(boxes.prefix(length))) != nil, "\(length)")
            }
            let half = whole.count / 2
            let first: [UInt8] = start + box("jxlp", Array(repeating: 0, count: 4) + whole[..<half])
            let last: [UInt8] = [0x80, 0, 0, 1] + whole[half...]
            #expect(verdict(first + box("jxlp", last)) == nil)
            #expect(verdict(first) != nil)
        }

        @Test func toleratedFilesAreWarnedOf() throws {
            let whole = try Self.pages(.gif())
            let cut = try read(Array(whole.prefix(whole.count * 2 / 3)), tolerant: true)
            #expect(cut.warnings.contains("the file ends before its end mark"), "\(cut.warnings)")
            #expect(cut.pages < Self.frames)
            #expect(try read(whole.dropLast(), tolerant: true).warnings == ["the file ends before its end mark"])
        }

        @Test func oddGIFs() throws {
            let whole = try Self.pages(.gif())
            #expect(verdict(whole + [0, 1, 2, 3]) == nil, "bytes behind the trailer")
            // The first frame's control block is a place between blocks.
            let place = try #require(whole.firstRange(of: [0x21, 0xF9, 4])).lowerBound
            #expect(verdict(inserting([0x77], whole, at: place)) != nil, "no block at all")
        }

        @Test("every frame has its pixels; decoders show those of the frame before in place of others")
        func framesThatLackPixels() throws {
            let whole = try Self.pages(.gif())
            let frames = whole.ranges(of: [0x21, 0xF9, 4]).map { $0.upperBound + 5 }
            try #require(frames.count == Self.frames && frames.allSatisfy { whole[$0] == 0x2C })
            for (number, frame) in frames.enumerated() {
                // A row more than was coded, on a screen that has room for it.
                var tall = whole
                tall[8] += 1
                tall[frame + 7] += 1
                #expect(verdict(tall)?.contains("frame \(number + 1) lacks some of its pixels") == true, "\(number)")
                // Codes of another size mean something else, and soon nothing.
                var other = whole
                let table = whole[frame + 9] & 0x80 == 0 ? 0 : 3 << (Int(whole[frame + 9] & 7) + 1)
                other[frame + 10 + table] = 12
                #expect(verdict(other)?.contains("frame \(number + 1) lacks") == true)
            }
            // Noise fills the table of codes, and it is begun anew.
            let noise = try Image.sample(300, 300, bands: 3).saved(.gif())
            #expect(verdict(noise) == nil)
            var outside = whole
            outside[frames[2] + 2] = 1
            #expect(try read(outside).warnings.contains("frame 3 lies outside the picture"))
        }

        @Test func aProfileThatIsNoneCountsForNothing() throws {
            let picture = try Image.sample(40, 30).saved(.jpeg())
            for (bytes, isKept) in [(Array("nonsense".utf8), false), (try Self.sRGB(), true)] {
                let body = Array("ICC_PROFILE\0".utf8) + [1, 1] + bytes
                let segment: [UInt8] = [0xFF, 0xE2, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
                let file = try Image.opened(inserting(segment, picture, at: 2))
                #expect(file.image.hasProfile == isKept)
                try file.image.sinkDiscard()
                let warnings = isKept ? [] : ["its colour profile is broken: its colours are taken as if it had none"]
                #expect(try file.finish() == warnings)
            }
        }

        private static func sRGB() throws -> [UInt8] {
            try Operation("profile_load").set("name", "srgb").run().bytes("profile")
        }

        // MARK: JPEG

        @Test(
            "a progressive picture whose last scans are missing, although it has an end",
            arguments: [
                ("video-001.progressive.truncated", true), ("video-001.progressive", false),
                ("video-001.separate.dc.progression.progressive", false), ("video-001.q50.420.progressive", false),
                ("video-001.q50.410.progressive", false), ("video-005.gray.q50.2x2.progressive", false),
                ("video-001.separate.dc.progression", false), ("video-001.rgb", false), ("video-001.cmyk", false),
            ])
        func unfinishedScans(name: String, isRefused: Bool) throws {
            let path = Array("/usr/share/go-1.19/src/image/testdata/\(name).jpeg".utf8)
            var options = LoadOptions()
            if isRefused {
                #expect(throws: PictureFileError.self) { try PictureFile(path: path, options: options) }
                options.isTolerant = true
            }
            let file = try PictureFile(path: path, options: options)
            try file.image.sinkDiscard()
            #expect(try file.finish() == (isRefused ? ["its last scans are missing"] : []))
        }

        // MARK: PNG

        private func big(_ value: UInt32) -> [UInt8] {
            let shifts: [UInt32] = [24, 16, 8, 0]
            return shifts.map { UInt8(truncatingIfNeeded: value >> $0) }
        }

        private func chunk(_ name: String, _ data: [UInt8], sum: UInt32? = nil) -> [UInt8] {
            let body = Array(name.utf8) + data
            var remainder = UInt32.max
            for byte in body {
                remainder ^= UInt32(byte)
                for _ in 0..<8 { remainder = remainder & 1 == 1 ? 0xEDB8_8320 ^ (remainder >> 1) : remainder >> 1 }
            }
            var made = big(UInt32(data.count))
            made += body
            made += big(sum ?? ~remainder)
            return made
        }

        private func inserting(_ bytes: [UInt8], _ file: [UInt8], at place: Int = 33) -> [UInt8] {
            var made = file
            made.insert(contentsOf: bytes, at: place)
            return made
        }

        /// The pixels in a chunk of their own, with another end.
        private func repacked(_ file: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
            var (at, pixels, made) = (8, [UInt8](), Array(file[..<8]))
            while at + 12 <= file.count {
                let size = file[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
                let name = String(decoding: file[(at + 4)..<(at + 8)], as: UTF8.self)
                if name == "IDAT" {
                    pixels += file[(at + 8)..<(at + 8 + size)]
                } else {
                    if name == "IEND" {
                        change(&pixels)
                        made += chunk("IDAT", pixels)
                    }
                    made += file[at..<(at + 12 + size)]
                }
                at += 12 + size
            }
            return made
        }

        @Test func sumsOfAPNG() throws {
            let file = try Image.sample(200, 150).saved(.png())
            #expect(verdict(file) == nil && verdict(file + [1, 2, 3]) == nil)
            #expect(verdict(repacked(file) { _ in }) == nil)
            #expect(verdict(repacked(file) { $0[$0.count - 1] ^= 1 }) != nil, "the pixels' own sum")
            #expect(verdict(repacked(file) { $0.removeLast(4) }) != nil, "no sum at all")
            #expect(verdict(inserting(chunk("gAMA", [0, 0, 0xB1, 0x8F]), file)) == nil)
            #expect(verdict(inserting(chunk("gAMA", [0, 0, 0xB1, 0x8F], sum: 7), file)) != nil, "colours would be others")
            var empty = file
            let pixels = try #require(empty.firstRange(of: Array("IDAT".utf8))).lowerBound - 4
            empty.removeSubrange(pixels..<(empty.count - 12))
            #expect(verdict(empty)?.contains("it has no pixels") == true, "\(verdict(empty) ?? "")")
            // A text is no pixel, but it would be lost.
            let text = inserting(chunk("tEXt", Array("Author\0me".utf8), sum: 7), file)
            #expect(verdict(text)?.contains("the checksum of its part \"tEXt\" is wrong") == true)
            #expect(try read(text, tolerant: true).warnings.contains("the checksum of its part \"tEXt\" is wrong"))
            #expect(try read(inserting(chunk("tEXt", Array("Author\0me".utf8)), file)).warnings == [])
        }

        @Test(
            "a real file whose sum is wrong, and real files whose sums are right",
            arguments: [
                ("invalid-zlib", true), ("invalid-crc32", true), ("invalid-trunc", true), ("invalid-noend", true),
                ("benchRGB-interlace", false), ("benchPaletted", false), ("benchNRGBA-gradient", false),
                ("gray-gradient.interlaced", false),
            ])
        func realPNG(name: String, isRefused: Bool) throws {
            func read(tolerant: Bool) throws -> [String] {
                var options = LoadOptions()
                options.isTolerant = tolerant
                let file = try PictureFile(
                    path: Array("/usr/share/go-1.19/src/image/png/testdata/\(name).png".utf8), options: options)
                let target = try UnnamedFile()
                let texts = try Saver.save(file.image, to: target.descriptor, .png(), isTolerant: tolerant)
                return try texts + file.finish()
            }
            if isRefused {
                #expect(throws: (any Error).self) { try read(tolerant: false) }
                if name == "invalid-zlib" {
                    #expect(try read(tolerant: true) == ["its pixels do not agree with their checksum"])
                }
            } else {
                #expect(try read(tolerant: false) == [])
            }
        }
    }
}
