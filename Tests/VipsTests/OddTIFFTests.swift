import Testing
import Vips

extension VipsTests {
    /// TIFFs that libvips' reader does not take as they are.
    @Suite struct OddTIFFs {
        /// A file of one directory: entries of numbers, then pieces of data, whose places stand for negative numbers.
        private static func tiff(_ entries: [Int: (type: Int, values: [Int])], _ data: [[UInt8]], little: Bool = true) -> [UInt8]
        {
            func bytes(_ value: Int, _ count: Int) -> [UInt8] {
                let list = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
                return little ? list : list.reversed()
            }
            var pool: [UInt8] = []
            let poolAt = 8 + 2 + 12 * entries.count + 4
            // Pieces first: arrays of their places follow.
            var places: [Int] = []
            for piece in data {
                places.append(poolAt + pool.count)
                pool += piece + (piece.count & 1 == 1 ? [0] : [])
            }
            var directory = bytes(entries.count, 2)
            for (tag, entry) in entries.sorted(by: { $0.key < $1.key }) {
                let width = [3: 2, 4: 4][entry.type] ?? 1
                let body = entry.values.flatMap { bytes($0 < 0 ? places[-1 - $0] : $0, width) }
                directory += bytes(tag, 2) + bytes(entry.type, 2) + bytes(entry.values.count, 4)
                if body.count <= 4 {
                    directory += body + [UInt8](repeating: 0, count: 4 - body.count)
                } else {
                    directory += bytes(poolAt + pool.count, 4)
                    pool += body + (body.count & 1 == 1 ? [0] : [])
                }
            }
            let head: [UInt8] = little ? [0x49, 0x49] : [0x4D, 0x4D]
            return head + bytes(42, 2) + bytes(8, 4) + directory + bytes(0, 4) + pool
        }

        private func warnings(_ bytes: [UInt8]) throws -> [String] {
            let file = try Image.opened(bytes) { $0.pages = .all }
            try file.image.sinkDiscard()
            return try file.finish()
        }

        private func words(_ image: Image) throws -> [Int] {
            try image.read(PixelBox(left: 0, top: 0, width: image.width, height: image.height)).withUnsafeBytes {
                $0.bindMemory(to: UInt16.self).map(Int.init)
            }
        }

        @Test(arguments: [true, false]) func twelveBitsBecomeSixteen(little: Bool) throws {
            let values = (0..<35).map { $0 * 120 }
            // Rows of 7 samples of 12 bits begin at whole bytes.
            let rows = stride(from: 0, to: 35, by: 7).map { start -> [UInt8] in
                let bits = values[start..<start + 7].flatMap { value in (0..<12).map { value >> (11 - $0) & 1 } } + [0, 0, 0, 0]
                return stride(from: 0, to: bits.count, by: 8).map { at in UInt8(bits[at..<at + 8].reduce(0) { $0 << 1 | $1 }) }
            }
            let file = Self.tiff(
                [
                    256: (3, [7]), 257: (3, [5]), 258: (3, [12]), 259: (3, [1]), 262: (3, [1]), 273: (4, [-1, -2]),
                    277: (3, [1]), 278: (3, [3]), 279: (4, [33, 22]),
                ], [Array(rows[..<3].joined()), Array(rows[3...].joined())], little: little)
            let image = try Image.opened(file) { $0.pages = .all }.image
            #expect(image.format == .ushort && image.width == 7 && image.height == 5)
            #expect(try words(image) == values.map { $0 << 4 | $0 >> 8 })
            #expect(try warnings(file) == [])
            #expect(throws: (any Error).self, "a strip that is too short") {
                try warnings(
                    Self.tiff(
                        [
                            256: (3, [7]), 257: (3, [5]), 258: (3, [12]), 259: (3, [1]), 262: (3, [1]), 273: (4, [-1]),
                            277: (3, [1]), 279: (4, [40]),
                        ], [Array(rows.joined().prefix(40))], little: little))
            }
        }

        @Test(arguments: [8, 16], [true, false]) func tilesOfSingleChannels(bits: Int, little: Bool) throws {
            let (width, height, tile) = (20, 18, 16)
            func value(_ x: Int, _ y: Int, _ channel: Int) -> Int {
                (x * 7 + y * 11 + channel * 50) * (bits == 16 ? 100 : 1) % (1 << bits)
            }
            var tiles: [[UInt8]] = []
            for channel in 0..<3 {
                for (top, left) in [(0, 0), (0, tile), (tile, 0), (tile, tile)] {
                    var bytes: [UInt8] = []
                    for y in top..<top + tile {
                        for x in left..<left + tile {
                            let sample = value(x, y, channel)
                            let pair = [UInt8(sample & 255), UInt8(sample >> 8)]
                            bytes += bits == 8 ? [pair[0]] : little ? pair : pair.reversed()
                        }
                    }
                    tiles.append(bytes)
                }
            }
            let file = Self.tiff(
                [
                    256: (3, [width]), 257: (3, [height]), 258: (3, [bits, bits, bits]), 259: (3, [1]), 262: (3, [2]),
                    274: (3, [6]), 277: (3, [3]), 284: (3, [2]), 322: (3, [tile]), 323: (3, [tile]),
                    324: (4, (1...12).map { -$0 }), 325: (4, tiles.map(\.count)),
                ], tiles, little: little)
            let image = try Image.opened(file) { $0.pages = .all }.image
            #expect(image.width == width && image.height == height && image.bands == 3 && image.orientation == 6)
            let expected = (0..<height).flatMap { y in (0..<width).flatMap { x in (0..<3).map { value(x, y, $0) } } }
            let found =
                bits == 16
                ? try words(image)
                : try image.read(PixelBox(left: 0, top: 0, width: width, height: height)).map(Int.init)
            #expect(found == expected)
            #expect(try warnings(file) == [])
        }

        @Test func whatIsNotSaidIsAssumedAloud() throws {
            let samples = (0..<48).map { UInt8($0 * 5) }
            var entries: [Int: (type: Int, values: [Int])] = [
                256: (3, [8]), 257: (3, [6]), 258: (3, [8]), 259: (3, [1]), 273: (4, [-1]), 277: (3, [1]), 278: (3, [6]),
                279: (4, [48]),
            ]
            func image() throws -> Image { try Image.opened(Self.tiff(entries, [samples])) { $0.pages = .all }.image }
            let box = PixelBox(left: 0, top: 0, width: 8, height: 6)
            #expect(try image().read(box) == samples)
            #expect(
                try warnings(Self.tiff(entries, [samples])) == [
                    "it does not say what its samples mean: they are taken for shades of grey"
                ])
            #expect(throws: (any Error).self, "its own directory is no pixels") {
                try warnings(Self.tiff(entries, [Array(samples.dropLast(6))]))
            }
            // With a palette, they are numbers of its colours.
            entries[320] = (3, (0..<768).map { ($0 < 256 ? $0 : $0 < 512 ? 255 : 0) << 8 })
            #expect(try image().read(box) == samples.flatMap { [$0, 255, 0] })
            entries[262] = (3, [1])
            entries[320] = nil
            #expect(try warnings(Self.tiff(entries, [samples])) == [])
        }

        @Test func theOldKindOfJPEG() throws {
            var options = JPEGSaveOptions()
            options.quality = 95
            let picture = try Image.sample(96, 64).saved(.jpeg(options))
            let scan = try #require(picture.firstRange(of: [0xFF, 0xDA])).lowerBound
            func file(_ jpeg: [UInt8]) -> [UInt8] {
                Self.tiff(
                    [
                        256: (3, [96]), 257: (3, [64]), 258: (3, [8, 8, 8]), 259: (3, [6]), 262: (3, [6]), 273: (4, [-1]),
                        277: (3, [3]), 278: (3, [64]), 279: (4, [jpeg.count]), 513: (4, [-1]), 514: (4, [jpeg.count]),
                    ], [jpeg])
            }
            let image = try Image.opened(file(picture)) { $0.pages = .all }.image
            let box = PixelBox(left: 0, top: 0, width: 96, height: 64)
            #expect(image.bands == 3 && image.width == 96 && image.height == 64)
            #expect(largestDifference(try image.read(box), try Image.opened(picture).image.read(box)) <= 16)
            #expect(try warnings(file(picture)) == [])
            let middle = (scan + picture.count) / 2
            #expect(throws: (any Error).self, "cut off") { try warnings(file(Array(picture[..<middle]))) }
            #expect(throws: (any Error).self, "an end in the middle") {
                try warnings(file(picture[..<middle] + [0xFF, 0xD9] + picture[(middle + 2)...]))
            }
        }

        @Test("libtiff takes a JPEG's missing pixels for grey, and only warns", arguments: [nil, 64])
        func damagedJPEGs(tile: Int?) throws {
            var options = TIFFSaveOptions()
            options.compression = .jpeg
            options.tile = tile.map { ($0, $0) }
            options.stripHeight = 64
            let whole = try Image.sample(128, 128).saved(.tiff(options))
            #expect(try warnings(whole) == [])
            let scans = whole.ranges(of: [0xFF, 0xDA])
            try #require(scans.count >= 2)
            for scan in scans {
                var broken = whole
                let end = try #require(whole[scan.upperBound...].firstRange(of: [0xFF, 0xD9])).lowerBound
                let middle = (scan.upperBound + 12 + end) / 2
                broken.replaceSubrange(middle..<middle + 2, with: [0xFF, 0xD9])
                #expect(throws: (any Error).self) { try warnings(broken) }
            }
            #expect(try warnings(whole) == [], "a good one behind a bad one")
        }

        /// The first directory's entries, little-endian.
        private static func entries(_ file: [UInt8]) -> (entries: [Int], end: Int) {
            func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
            let place = number(4, 4)
            let count = number(place, 2)
            return ((0..<count).map { place + 2 + 12 * $0 }, place + 2 + 12 * count)
        }

        @Test func pagesInARingCountOnce() throws {
            let strip = try Image.sample(40, 90).setting("page-height", to: .integer(30))
            var file = try strip.saved(.tiff())
            // The last page's link leads to the first.
            var link = 4
            var places: [Int] = []
            func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
            while number(link, 4) != 0 {
                places.append(number(link, 4))
                link = number(link, 4) + 2 + 12 * number(number(link, 4), 2)
            }
            #expect(places.count == 3)
            for byte in 0..<4 { file[link + byte] = UInt8(truncatingIfNeeded: places[0] >> (8 * byte)) }
            #expect(try Image.opened(file) { $0.pages = .all }.image.pageCount == 3)
            #expect(try warnings(file) == ["its last page leads back to an earlier one: each counts once"])
        }

        @Test(arguments: [34665, 34853, 330]) func aDirectoryThatIsNoneIsDamage(tag: Int) throws {
            var file = try Image.sample(40, 30).saved(.tiff())
            let (entries, _) = Self.entries(file)
            // The unit of the resolution becomes a pointer into the pixels.
            let entry = try #require(entries.first { file[$0] == 40 && file[$0 + 1] == 1 })
            let pointer: [UInt8] = [UInt8(tag & 255), UInt8(tag >> 8), 4, 0, 1, 0, 0, 0, 8, 0, 0, 0]
            file.replaceSubrange(entry..<entry + 12, with: pointer)
            #expect(file[8] != 0 || file[9] != 0, "pixels stand there")
            let error = #expect(throws: PictureFileError.self) { try warnings(file) }
            #expect("\(error.map(String.init(describing:)) ?? "")".contains("cannot be read"))
        }
    }
}
