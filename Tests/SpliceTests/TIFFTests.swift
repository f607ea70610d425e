import CSpliceProbe
import Glibc
import Splice
import Testing

@Suite struct TIFFTests {
    private static let specs: [(name: String, spec: tiff_probe_spec)] = {
        var list: [(String, tiff_probe_spec)] = []
        for (name, compression) in [("none", 1), ("lzw", 5), ("deflate", 8), ("zstd", 50000), ("packbits", 32773)] {
            for tile in [64, 0] {
                for big in [0, 1] {
                    let shape = "\(name), \(tile == 0 ? "strips" : "tiles"), \(big == 0 ? "classic" : "big")"
                    list.append(
                        (shape, .rgb { ($0.compression, $0.tile, $0.big) = (Int32(compression), Int32(tile), Int32(big)) }))
                }
            }
            list.append(
                (
                    "\(name), predictor, MM",
                    .rgb {
                        ($0.compression, $0.predictor, $0.big_endian) = (
                            Int32(compression), compression == 1 || compression == 32773 ? 1 : 2, 1
                        )
                    }
                ))
        }
        list.append(("16 bit, MM", .rgb { ($0.bits, $0.big_endian, $0.predictor) = (16, 1, 2) }))
        list.append(("16 bit, II", .rgb { ($0.bits, $0.predictor) = (16, 2) }))
        list.append(("grey", .rgb { ($0.samples, $0.photometric) = (1, 1) }))
        list.append(("grey, 0 is white", .rgb { ($0.samples, $0.photometric, $0.tile) = (1, 0, 0) }))
        list.append(("grey, 16 bit", .rgb { ($0.samples, $0.photometric, $0.bits) = (1, 1, 16) }))
        list.append(("CMYK", .rgb { ($0.samples, $0.photometric) = (4, 5) }))
        list.append(("planes", .rgb { $0.planar = 1 }))
        list.append(("planes, strips, big", .rgb { ($0.planar, $0.tile, $0.big) = (1, 0, 1) }))
        list.append(("straight alpha", .rgb { ($0.samples, $0.extra) = (4, 2) }))
        list.append(("associated alpha", .rgb { ($0.samples, $0.extra) = (4, 1) }))
        list.append(("associated alpha, planes", .rgb { ($0.samples, $0.extra, $0.planar) = (4, 1, 1) }))
        list.append(("fill order 2", .rgb { ($0.fill_order, $0.compression) = (2, 5) }))
        list.append(("float", .rgb { ($0.bits, $0.format, $0.predictor) = (32, 3, 3) }))
        list.append(("levels", .rgb { $0.levels = 2 }))
        list.append(("levels, big, MM", .rgb { ($0.levels, $0.big, $0.big_endian) = (2, 1, 1) }))
        list.append(("levels as pages", .rgb { ($0.levels, $0.levels_are_pages) = (2, 1) }))
        list.append(("three pages", .rgb { $0.pages = 3 }))
        return list
    }()

    private func label(_ spec: tiff_probe_spec, seed: Int) throws -> [Patch] {
        var random = Seeded(seed)
        let channels = spec.photometric == 2 ? 3 : spec.photometric == 5 ? 4 : 1
        let (width, height) = (70, 40)
        let colour = (0..<channels).map { _ in random.below(65536) }
        var samples: [UInt16] = []
        for y in 0..<height {
            for x in 0..<width {
                samples += colour.map { UInt16($0) } + [(x / 10 + y / 10) % 2 == 0 ? UInt16(20000 + 500 * x) : 0]
            }
        }
        let stamp: Stamp
        if spec.format == 3 {
            stamp = try Stamp(
                width: width, height: height, channels: channels, samples: .float(samples.map { Float($0) / 65535 }))
        } else {
            stamp = try Stamp(width: width, height: height, channels: channels, samples: .u16(samples))
        }
        return [Patch(x: 200, y: 100, stamp: stamp), Patch(x: -30, y: 190, stamp: stamp)]
    }

    /// What the samples should be.
    private func ideal(_ before: TIFFProbe, _ spec: tiff_probe_spec, _ patches: [Patch]) -> [Double] {
        var values = before.values
        let channels = patches[0].stamp.channels
        for patch in patches {
            for y in 0..<patch.height {
                for x in 0..<patch.width {
                    let (px, py) = (patch.x + x, patch.y + y)
                    guard 0..<before.width ~= px, 0..<before.height ~= py else { continue }
                    let label = patch.stamp.pixel(x, y)
                    let opacity = label.last!
                    if opacity == 0 { continue }
                    let at = (py * before.width + px) * before.samples
                    let alpha = spec.extra < 0 ? 1 : values[at + channels]
                    let after = opacity + alpha * (1 - opacity)
                    for channel in 0..<channels {
                        let colour = spec.photometric == 0 ? 1 - label[channel] : label[channel]
                        let under = values[at + channel] * (spec.extra == 2 ? alpha : 1)
                        values[at + channel] = (under * (1 - opacity) + colour * opacity) / (spec.extra == 2 ? after : 1)
                    }
                    if spec.extra >= 0 { values[at + channels] = after }
                }
            }
        }
        return values
    }

    @Test(arguments: 0..<specs.count) func onlyTouchedTilesChange(index: Int) throws {
        let (name, spec) = Self.specs[index]
        let source = try spec.file(seed: index)
        let patches = try label(spec, seed: index)
        var byPage: [Int: [Patch]] = [:]
        for page in 0..<Int(spec.pages) { byPage[page] = patches }
        let (outcome, output) = try splice(source, byPage)
        guard case .spliced("splice-tiff", let touched, _, let notes) = outcome else {
            Issue.record("\(name): \(outcome)")
            return
        }
        #expect(notes == [], "\(name)")
        let pages = tiff_probe_pages(source.path)
        #expect(Int(tiff_probe_pages(output.path)) == Int(pages))
        var changedTiles = 0
        for page in 0..<Int(pages) {
            for level in 0...(spec.levels_are_pages == 0 ? Int(spec.levels) : 0) {
                let before = TIFFProbe(source, page: page, level: level)
                let after = TIFFProbe(output, page: page, level: level)
                #expect(before.isClean && after.isClean, "\(name)")
                for tile in 0..<before.tiles
                where rawTile(source, page: page, level: level, tile) != rawTile(output, page: page, level: level, tile) {
                    changedTiles += 1
                }
                if before.width == Int(spec.width) {
                    let tolerance =
                        (spec.format == 3 ? 0.00001 : 1.01 / (spec.bits == 8 ? 255.0 : 65535)) * (spec.extra == 2 ? 2 : 1)
                    let worst = zip(after.values, ideal(before, spec, patches)).map { abs($0 - $1) }.max()!
                    #expect(worst <= tolerance, "\(name), page \(page)")
                } else {
                    // A level has the label in its size: about as much of it changed.
                    let changed = zip(before.values, after.values).filter { abs($0 - $1) > 0.02 }.count
                    let factor = (Int(spec.width) + before.width - 1) / before.width
                    let full = zip(TIFFProbe(source).values, TIFFProbe(output).values).filter { abs($0 - $1) > 0.02 }.count
                    #expect(changed * factor * factor > full / 2 && changed * factor * factor < full * 3, "\(name), \(factor)")
                }
            }
        }
        #expect(changedTiles == touched, "\(name): 0 tiles touched more than needed")
        #expect(otherBytesStay(source.bytes, output.bytes) == nil, "\(name)")
        #expect(try splice(source, [:]).file.bytes == source.bytes, "\(name)")
    }

    @Test func aLabelOverNearlyAllIsLeftToOthers() throws {
        let source = try tiff_probe_spec.rgb().file()
        let stamp = try Stamp(width: 300, height: 150, channels: 3, samples: .u16(Array(repeating: 60000, count: 300 * 150 * 4)))
        let output = TemporaryFile()
        let patches = [0: [Patch(x: 0, y: 0, stamp: stamp)]]
        #expect(
            try TIFFSplicer(source.descriptor).splice(patches, to: output.descriptor)
                == .unsuitable(reason: "the label touches 75% of the tiles"))
        #expect(output.bytes.isEmpty)
        // As large a label that shows little touches few.
        var samples = [UInt16](repeating: 0, count: 300 * 150 * 4)
        for at in 0..<4 { samples[at] = 65535 }
        let dot = try Stamp(width: 300, height: 150, channels: 3, samples: .u16(samples))
        guard
            case .spliced(_, 1, 20, _) = try TIFFSplicer(source.descriptor).splice(
                [0: [Patch(x: 0, y: 0, stamp: dot)]], to: output.descriptor)
        else {
            Issue.record("a label of one px does not touch one tile")
            return
        }
    }

    @Test(arguments: [40, 75, 95], [2, 6]) func jpegTilesAreSpliced(quality: Int, photometric: Int) throws {
        for tile in [Int32(64), 0] {
            let spec = tiff_probe_spec.rgb {
                ($0.compression, $0.quality, $0.photometric, $0.tile, $0.rows) = (7, Int32(quality), Int32(photometric), tile, 32)
                $0.levels = 1
            }
            let source = try spec.file(seed: quality)
            let patches = try label(.rgb(), seed: 3)
            let (outcome, output) = try splice(source, [0: patches])
            guard case .spliced(_, let touched, _, _) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let before = TIFFProbe(source)
            let after = TIFFProbe(output)
            try #require(before.isClean && after.isClean)
            let wanted = ideal(before, .rgb(), patches)
            let mask = labelledPx(patches, width: 300, height: 210)
            var squares = 0.0
            var count = 0.0
            for (px, labelled) in mask.px.enumerated() where labelled {
                for channel in 0..<3 {
                    squares +=
                        (after.values[px * 3 + channel] - wanted[px * 3 + channel])
                        * (after.values[px * 3 + channel] - wanted[px * 3 + channel])
                    count += 1
                }
            }
            // A wrong table or a wrong colour space is off by far more.
            #expect((squares / count).squareRoot() < (quality == 40 ? 0.09 : 0.06), "\(quality), \(photometric)")
            var changed = 0
            for level in 0...1 {
                for tile in 0..<TIFFProbe(source, level: level).tiles
                where rawTile(source, level: level, tile) != rawTile(output, level: level, tile) { changed += 1 }
            }
            #expect(changed == touched)
            #expect(otherBytesStay(source.bytes, output.bytes) == nil)
        }
    }

    @Test func aSharedTileStaysForTheOther() throws {
        let source = try tiff_probe_spec.rgb().file()
        var bytes = source.bytes
        let directory = PlainDirectory(bytes)
        // The first tile's bytes are also the last one's.
        for tag in [324, 325] {
            let entry = directory.entries[tag]!
            let width = entry.type == 3 ? 2 : 4
            let last = directory.values(tag).count - 1
            for index in 0..<width { bytes[entry.values + last * width + index] = bytes[entry.values + index] }
        }
        let shared = TemporaryFile(bytes)
        let stamp = try Stamp(width: 30, height: 30, channels: 3, samples: .u16(Array(repeating: 60000, count: 30 * 30 * 4)))
        let (outcome, output) = try splice(shared, [0: [Patch(x: 5, y: 5, stamp: stamp)]])
        guard case .spliced(_, 1, _, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let last = directory.values(324).count - 1
        #expect(rawTile(shared, last) == rawTile(output, last))
        #expect(rawTile(shared, 0) != rawTile(output, 0))
    }

    @Test func aSparseTileBecomesOne() throws {
        let source = try tiff_probe_spec.rgb().file()
        var bytes = source.bytes
        let directory = PlainDirectory(bytes)
        for tag in [324, 325] {
            let entry = directory.entries[tag]!
            for index in 0..<(entry.type == 3 ? 2 : 4) { bytes[entry.values + index] = 0 }
        }
        let stamp = try Stamp(width: 30, height: 30, channels: 3, samples: .u16(Array(repeating: 65535, count: 30 * 30 * 4)))
        let (_, output) = try splice(TemporaryFile(bytes), [0: [Patch(x: 5, y: 5, stamp: stamp)]])
        let after = TIFFProbe(output)
        #expect(after.isClean)
        #expect(after.values[0] == 0)
        #expect(after.values[(5 * 300 + 5) * 3] == 1)
        #expect(Array(output.bytes[..<8]) == Array(source.bytes[..<8]))
    }

    /// Counts of 16 bits do not take a tile of more than 65535 bytes: the array is written anew.
    @Test(arguments: [Int32(0), 1]) func numbersTooNarrowAreWidened(bigEndian: Int32) throws {
        var random = Seeded(1)
        let spec = tiff_probe_spec.rgb { ($0.width, $0.height, $0.tile, $0.big_endian) = (600, 300, 256, bigEndian) }
        let wide = TemporaryFile()
        var copy = spec
        try #require(tiff_probe_write(wide.path, &copy, [UInt8](repeating: 7, count: 600 * 300 * 3)) == 0)
        // libtiff writes numbers of 32 bits; others do not.
        var bytes = wide.bytes
        let entry = PlainDirectory(bytes).entries[325]!
        func number(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)].reversed(bigEndian != 0) }
        for (index, count) in PlainDirectory(bytes).values(325).enumerated() {
            bytes.replaceSubrange(entry.values + 2 * index..<entry.values + 2 * index + 2, with: number(count))
        }
        bytes.replaceSubrange(entry.entry + 2..<entry.entry + 4, with: number(3))
        let flat = TemporaryFile(bytes)
        try #require(PlainDirectory(bytes).entries[325]!.type == 3)
        let noise = (0..<256 * 256).flatMap { _ in
            [UInt16(random.below(65536)), UInt16(random.below(65536)), UInt16(random.below(65536)), 65535] as [UInt16]
        }
        let stamp = try Stamp(width: 256, height: 256, channels: 3, samples: .u16(noise))
        let (_, output) = try splice(flat, [0: [Patch(x: 0, y: 0, stamp: stamp)]])
        #expect(PlainDirectory(output.bytes).entries[325]!.type == 4)
        #expect(otherBytesStay(flat.bytes, output.bytes) == nil)
        let after = TIFFProbe(output)
        #expect(after.isClean)
        #expect(abs(after.values[0] - Double(noise[0]) / 65535) < 0.005)
        #expect(after.values[after.values.count - 1] == 7.0 / 255)
    }

    /// libtiff looks at no byte behind the last row.
    @Test(arguments: [8, 32773]) func codesAreReadToTheirEnd(compression: Int32) throws {
        let source = try tiff_probe_spec.rgb { $0.compression = compression }.file()
        let (bytes, directory) = (source.bytes, PlainDirectory(source.bytes))
        let (places, counts) = (directory.values(324), directory.values(325))
        let stamp = try Stamp(width: 30, height: 30, channels: 3, samples: .u16(Array(repeating: 65535, count: 30 * 30 * 4)))
        let patches = [0: [Patch(x: 5, y: 5, stamp: stamp)]]
        #expect(throws: Never.self) { try splice(source, patches) }
        // The tile with the label, and one that is copied.
        for tile in [0, places.count - 1] {
            var broken = bytes
            if compression == 8 {
                broken[places[tile] + counts[tile] - 1] ^= 1
            } else {
                // Runs of all colours behind the last one.
                let entry = try #require(directory.entries[325])
                let width = entry.type == 3 ? 2 : 4
                let place = broken.count
                broken += bytes[places[tile]..<places[tile] + counts[tile]] + [2, 1, 2, 3]
                for (tag, value) in [(324, place), (325, counts[tile] + 4)] {
                    let entry = try #require(directory.entries[tag])
                    let width = tag == 325 ? width : 4
                    for byte in 0..<width {
                        broken[entry.values + tile * width + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte))
                    }
                }
            }
            let error = #expect(throws: SpliceError.self, "tile \(tile)") { try splice(TemporaryFile(broken), patches) }
            guard case .undecodable? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("levels that hang on levels are told of")
    func levelsBelowLevels() throws {
        let source = try tiff_probe_spec.rgb { $0.levels = 2 }.file()
        var bytes = source.bytes
        let page = PlainDirectory(bytes)
        let levels = page.values(330)
        try #require(levels.count == 2)
        // The second one behind the first instead of beside it.
        let entry = try #require(page.entries[330])
        func put(_ value: Int, _ at: Int) {
            for byte in 0..<4 { bytes[at + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
        }
        put(1, entry.entry + 4)
        put(levels[0], entry.entry + 8)
        let first = PlainDirectory(bytes, at: levels[0])
        put(levels[1], levels[0] + 2 + 12 * first.entries.count)
        let (outcome, _) = try splice(TemporaryFile(bytes), [0: try label(.rgb(), seed: 1)])
        guard case .spliced(_, _, _, let notes) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(notes == ["page 0 has pictures behind or below its SubIFDs: kept, without the label"])
        let (whole, _) = try splice(source, [0: try label(.rgb(), seed: 1)])
        guard case .spliced(_, _, _, []) = whole else {
            Issue.record("\(whole)")
            return
        }
    }

    @Test func pagesWithoutALabelAreNoted() throws {
        let source = try tiff_probe_spec.rgb { $0.pages = 2 }.file()
        let (outcome, output) = try splice(source, [0: try label(.rgb(), seed: 1)])
        guard case .spliced(_, _, _, ["page 1 is kept, without the label"]) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(TIFFProbe(source, page: 1).values == TIFFProbe(output, page: 1).values)
    }

    /// Programs that write pyramids write tiles; a scan of the same proportions is a page of its own.
    @Test(arguments: [(Int32(64), true, [0]), (64, false, [0]), (0, true, [0]), (0, false, [0, 1, 2])])
    func levelsAreToldFromPages(tile: Int32, areFlagged: Bool, pictures: [Int]) throws {
        let spec = tiff_probe_spec.rgb { ($0.tile, $0.levels, $0.levels_are_pages) = (tile, 2, 1) }
        var bytes = try spec.file().bytes
        if !areFlagged {
            for page in PlainDirectory.all(bytes) { if let flag = page.entries[254] { bytes[flag.values] = 0 } }
        }
        let file = TemporaryFile(bytes)
        #expect(try TIFFFile(file.descriptor).pictures == pictures)
    }

    /// The third is a level of the second, which is deeper than the first.
    @Test func aPageOfAnotherDepthIsNoLevel() throws {
        let spec = tiff_probe_spec.rgb { ($0.tile, $0.levels, $0.levels_are_pages) = (64, 2, 1) }
        var bytes = try spec.file().bytes
        for (number, page) in PlainDirectory.all(bytes).enumerated() {
            if let flag = page.entries[254] { bytes[flag.values] = 0 }
            if number > 0, let bits = page.entries[258] { for sample in 0..<3 { bytes[bits.values + 2 * sample] = 16 } }
        }
        let file = TemporaryFile(bytes)
        #expect(try TIFFFile(file.descriptor).pictures == [0, 1])
    }

    @Test func aDiskThatDoesNotReadIsNoDamage() throws {
        let file = try tiff_probe_spec.rgb().file()
        // Good bytes, which this descriptor may not read.
        let descriptor = open(file.path, O_WRONLY)
        defer { close(descriptor) }
        #expect(throws: SpliceError.input(EBADF)) { try TIFFSplicer(descriptor) }
        #expect(throws: SpliceError.input(EBADF)) { try TIFFFile.ifSound(descriptor) }
        let other = TemporaryFile([1, 2, 3, 4])
        #expect(try TIFFFile.ifSound(other.descriptor) == nil)
    }

    @Test func strangersAreLeftToOthers() throws {
        func reason(_ spec: tiff_probe_spec) throws -> String? {
            let (outcome, output) = try splice(try spec.file(), [0: try label(.rgb(), seed: 1)])
            #expect(output.bytes.isEmpty)
            if case .unsuitable(let reason) = outcome { return reason } else { return nil }
        }
        #expect(try reason(.rgb { ($0.bits, $0.format) = (32, 3) }) == "page 0: float samples")
        #expect(try reason(.rgb { $0.photometric = 8 }) == "page 0: photometric interpretation 8")
        #expect(try reason(.rgb { ($0.bits, $0.format) = (16, 2) }) == "page 0: 16 bits in sample format 2")
        #expect(
            try reason(.rgb { ($0.samples, $0.extra, $0.planar) = (4, 2, 1) }) == "page 0: straight alpha in a plane of its own")
        #expect(throws: SpliceError.self) {
            try splice(try tiff_probe_spec.rgb { ($0.samples, $0.photometric) = (4, 5) }.file(), [0: try label(.rgb(), seed: 1)])
        }
    }

    @Test(
        arguments: [tiff_probe_spec.rgb { $0.levels = 1 }, .rgb { ($0.big, $0.tile) = (1, 0) }, .rgb { $0.compression = 7 }]
            .indices)
    func damageIsRefusedOrSurvived(kind: Int) throws {
        let spec = [tiff_probe_spec.rgb { $0.levels = 1 }, .rgb { ($0.big, $0.tile) = (1, 0) }, .rgb { $0.compression = 7 }][kind]
        let source = try spec.file().bytes
        let patches = [0: try label(.rgb(), seed: 1)]
        var random = Seeded(kind)
        for length in (0..<64) + (0..<150).map({ _ in random.below(source.count) }) + [source.count - 1] {
            #expect(throws: SpliceError.self, "cut to \(length)") { try splice(TemporaryFile(Array(source[..<length])), patches) }
        }
        // Most of what matters lies in the directories: those bytes are changed most.
        let directories = PlainDirectory.all(source).flatMap { $0.entries.values.map(\.entry) }
        for _ in 0..<400 {
            var bytes = source
            for _ in 0...random.below(2) {
                let at =
                    random.chance(70)
                    ? directories[random.below(directories.count)] + random.below(12) : random.below(bytes.count)
                bytes[min(at, bytes.count - 1)] = UInt8(random.below(256))
            }
            _ = try? splice(TemporaryFile(bytes), patches)
        }
    }
}

extension [UInt8] {
    fileprivate func reversed(_ isReversed: Bool) -> [UInt8] { isReversed ? reversed() : self }
}
