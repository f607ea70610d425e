import Glibc
import Splice
import Testing
import Vips

extension SaveTests {
    /// What a TIFF holds beside its first page's pixels.
    @Suite struct TIFF {
        let shop: Workshop
        init() throws { shop = try Workshop() }

        /// A tag's values, put behind the file's own bytes.
        struct Added {
            let page: Int
            let tag: Int
            let type: Int
            let bytes: [UInt8]
        }

        /// A little-endian TIFF with more entries in its directories, each of which is written anew behind everything else.
        func adding(_ all: [Added], to file: [UInt8]) throws -> [UInt8] {
            var file = file
            func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
            func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
            var link = 4
            var page = 0
            while number(link, 4) != 0 {
                let place = number(link, 4)
                let count = number(place, 2)
                var entries = (0..<count).map { Array(file[(place + 2 + 12 * $0)..<(place + 14 + 12 * $0)]) }
                let next = Array(file[(place + 2 + 12 * count)..<(place + 6 + 12 * count)])
                for one in all where one.page == page {
                    if file.count % 2 == 1 { file.append(0) }
                    let parts = [bytes(one.tag, 2), bytes(one.type, 2), bytes(one.bytes.count, 4), bytes(file.count, 4)]
                    entries.append(Array(parts.joined()))
                    file += one.bytes
                }
                if file.count % 2 == 1 { file.append(0) }
                entries.sort { Int($0[0]) | Int($0[1]) << 8 < Int($1[0]) | Int($1[1]) << 8 }
                file.replaceSubrange(link..<(link + 4), with: bytes(file.count, 4))
                link = file.count + 2 + 12 * entries.count
                file += bytes(entries.count, 2)
                file += entries.joined()
                file += next
                page += 1
            }
            return file
        }

        private func resource(_ id: Int, _ data: [UInt8]) -> [UInt8] {
            var bytes = Array("8BIM".utf8)
            bytes += [UInt8(id >> 8), UInt8(id & 255), 0, 0, 0, 0, UInt8(data.count >> 8), UInt8(data.count & 255)]
            bytes += data
            if data.count % 2 == 1 { bytes.append(0) }
            return bytes
        }

        private func pages(_ count: Int, _ name: String) throws {
            let pages = try (0..<count).map { try Image.plain(128, 96, [Double(60 * $0), 90, 200]) }
            var options = TIFFSaveOptions()
            options.tile = (32, 32)
            try shop.save(try .arrayjoin(pages).setting("page-height", to: .integer(96)), name, .tiff(options))
        }

        // MARK: Metadata of pages

        @Test("each page keeps its own metadata when a TIFF is encoded anew, and gets what is set")
        func everyPage() throws {
            try pages(3, "plain.tif")
            let texts = (0..<3).map { Added(page: $0, tag: 285, type: 2, bytes: Array("page \($0)\0".utf8)) }
            let xmp = Array(
                "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/' dc:source='second'/></rdf:RDF></x:xmpmeta>"
                    .utf8)
            let second = [
                Added(page: 1, tag: 700, type: 1, bytes: xmp), Added(page: 2, tag: 0x8298, type: 2, bytes: Array("yours\0".utf8)),
            ]
            try shop.write("p.tif", try adding(texts + second, to: try shop.bytes("plain.tif")))
            let outcome = try shop.run(
                marking(all: [
                    "\"path\": \"keep.tif\", \"compression\": \"lzw\"",
                    "\"path\": \"set.tif\", \"set\": {\"Copyright\": \"mine\"}",
                    "\"path\": \"strip.tif\", \"metadata\": \"strip\"", "\"path\": \"rights.tif\", \"metadata\": \"rights\"",
                ]), "p.tif", output: "out/")
            #expect(outcome.warnings.isEmpty, "\(outcome.warnings)")
            let tags = try shop.tags(all: ["keep", "set", "strip", "rights"].map { "out/\($0).tif" }, ["-a"])
            for page in 0..<3 {
                for (index, kept) in [true, true, false, false].enumerated() {
                    #expect(tags[index]["IFD\(page):PageName"] == (kept ? "page \(page)" : nil), "\(index) \(page)")
                }
                #expect(tags[1]["IFD\(page):Copyright"] == "mine", "\(page)")
                #expect(tags[2]["IFD\(page):Copyright"] == nil, "\(page)")
            }
            #expect(tags[0]["XMP-dc:Source"] == "second" && tags[2]["XMP-dc:Source"] == nil)
            #expect(tags[0]["IFD2:Copyright"] == "yours" && tags[3]["IFD2:Copyright"] == "yours")
            for name in ["keep", "set", "strip", "rights"] {
                let result = try Result(shop, "out/\(name).tif")
                #expect(result.image.pageCount == 3)
                for page in 0..<3 {
                    #expect(try result.at(45, 35, page: page) == [255, 255, 255])
                    #expect(try result.at(5, 5, page: page) == [60 * page, 90, 200])
                }
            }
        }

        /// A little-endian TIFF of plain pages, RGB or grey by their colours, without compression: the second page in one
        /// strip, others a row a strip.
        static func document(_ pages: [(width: Int, height: Int, colour: [UInt8])]) -> [UInt8] {
            func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
            var file = Array("II*\0".utf8) + bytes(8, 4)
            for (index, page) in pages.enumerated() {
                let (row, samples) = (page.width * page.colour.count, page.colour.count)
                // Behind the directory: the bits of three samples, places and lengths of strips, the pixels.
                let bits = file.count + 2 + 9 * 12 + 4
                let (places, lengths) = (bits + 6, bits + 6 + 4 * page.height)
                let pixels = lengths + 4 * page.height
                let strips = index == 1 ? 1 : page.height
                let entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
                    (256, 3, 1, page.width), (257, 3, 1, page.height), (258, 3, samples, samples == 1 ? 8 : bits), (259, 3, 1, 1),
                    (262, 3, 1, samples == 1 ? 1 : 2), (273, 4, strips, strips == 1 ? pixels : places), (277, 3, 1, samples),
                    (278, 3, 1, page.height / strips), (279, 4, strips, strips == 1 ? row * page.height : lengths),
                ]
                let end = pixels + row * page.height
                file += bytes(entries.count, 2)
                for entry in entries {
                    file += [bytes(entry.tag, 2), bytes(entry.type, 2), bytes(entry.count, 4), bytes(entry.value, 4)].joined()
                }
                file += bytes(index == pages.count - 1 ? 0 : end + end % 2, 4)
                file += [8, 0, 8, 0, 8, 0]
                for y in 0..<page.height { file += bytes(pixels + y * row, 4) }
                for _ in 0..<page.height { file += bytes(row, 4) }
                for _ in 0..<(page.width * page.height) { file += page.colour }
                if end % 2 == 1 { file.append(0) }
            }
            return file
        }

        // MARK: Resolution

        @Test("what says nothing of a resolution does not begin to: a proportion stays one, none stays none")
        func resolution() throws {
            try pages(1, "plain.tif")
            try shop.write("none.tif", Self.document([(128, 96, [10, 20, 200])]))
            try shop.save(try .plain(64, 48, [1, 2, 3]), "plain.png", .png())
            var png = try shop.bytes("plain.png")
            let density = try #require(png.firstRange(of: Array("pHYs".utf8))).lowerBound
            png.removeSubrange((density - 4)..<(density + 17))
            try shop.write("none.png", png)
            // 3 to 2, of an unknown unit.
            let proportion: [UInt8] =
                [0, 0, 0, 9] + Array("pHYs".utf8) + [0, 0, 0, 3, 0, 0, 0, 2, 0] + [0x29, 0xC0, 0x36, 0x1E]
            png.insert(contentsOf: proportion, at: 33)
            try shop.write("some.png", png)
            let names = ["none.tif", "none.png"]
            try shop.run(marking(x: 5, y: 5, keys: "\"set\": {\"Artist\": \"me\"}"), all: names, output: "out/")
            for tags in try shop.tags(all: names.map { "out/\($0)" }) {
                #expect(!tags.keys.contains { $0.contains("Resolution") || $0.contains("PixelsPerUnit") }, "\(tags)")
                #expect(tags["IFD0:Artist"] == "me")
            }
            try shop.run(marking(x: 5, y: 5), "some.png", output: "out/some.png")
            let tags = try shop.tags("out/some.png", "-n")
            #expect(tags["PNG-pHYs:PixelUnits"] == "0" && tags["PNG-pHYs:PixelsPerUnitX"] == "3", "\(tags)")
            #expect(try Result(shop, "out/some.png").at(10, 10) == [255, 255, 255])
        }

        // MARK: Photoshop's

        @Test("thumbnails and layers of Photoshop do not stay without the label", arguments: [false, true])
        func photoshop(isEncoded: Bool) throws {
            try pages(1, "plain.tif")
            let thumbnail = Array(repeating: [0xFF, 0xD8, 0xFF, 0xE0, 0x41] as [UInt8], count: 30).flatMap { $0 }
            let layers = Array("Adobe Photoshop Document Data Block".utf8) + Array(repeating: 0x42, count: 200)
            let kept = resource(0x03ED, [1, 44, 0, 0, 0, 1, 0, 1, 1, 44, 0, 0, 0, 1, 0, 1])
            let xmp = Array("<x xmpGImg:image='/9j/4AAQSkZJRgABAgEASABI'/>".utf8)
            for (name, resources) in [
                ("some.tif", kept + resource(1036, thumbnail) + resource(0x0421, [9, 9])),
                ("only.tif", resource(1033, thumbnail)),
            ] {
                let added = [
                    Added(page: 0, tag: 34377, type: 1, bytes: resources), Added(page: 0, tag: 37724, type: 7, bytes: layers),
                    Added(page: 0, tag: 700, type: 1, bytes: xmp),
                    Added(page: 0, tag: 65000, type: 2, bytes: Array("private\0".utf8)),
                ]
                try shop.write(name, try adding(added, to: try shop.bytes("plain.tif")))
                let outcome = try shop.run(
                    marking(keys: isEncoded ? "\"compression\": \"lzw\"" : ""), name, output: "out/\(name)")
                #expect(outcome.mode?.hasPrefix("splice") == !isEncoded, "\(outcome.mode ?? "")")
                #expect(outcome.warnings.contains { $0.contains("layers") }, "\(outcome.warnings)")
                let bytes = try shop.bytes("out/\(name)")
                #expect(bytes.firstRange(of: Array(thumbnail.prefix(10))) == nil, "\(name)")
                #expect(bytes.firstRange(of: Array(repeating: 0x42, count: 20)) == nil, "\(name)")
                if !isEncoded { #expect(bytes.firstRange(of: Array("/9j/4AAQ".utf8)) == nil, "\(name)") }
                let result = try Result(shop, "out/\(name)")
                #expect(try result.at(45, 35) == [255, 255, 255] && result.at(5, 5) == [0, 90, 200])
                // What follows in the directory is still there.
                let file = try File(bytes)
                #expect(file.value(65000) == Array("private\0".utf8), "\(name)")
                #expect(file.value(37724) == nil)
                if name == "some.tif" {
                    #expect(file.value(34377) == kept + resource(0x0421, [9, 9]))
                } else {
                    #expect(file.value(34377) == nil)
                }
            }
        }

        /// The first directory of a little-endian file, read by a few lines of the test's own.
        private struct File {
            private var values: [Int: [UInt8]] = [:]

            init(_ file: [UInt8]) throws {
                func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
                let place = number(4, 4)
                for index in 0..<number(place, 2) {
                    let at = place + 2 + 12 * index
                    let count = number(at + 4, 4)
                    let size = [1: 1, 2: 1, 7: 1][number(at + 2, 2)] ?? 0
                    if size > 0, count > 4 {
                        values[number(at, 2)] = Array(file[number(at + 8, 4)..<(number(at + 8, 4) + count)])
                    }
                }
            }

            func value(_ tag: Int) -> [UInt8]? { values[tag] }
        }
    }
}
