import Glibc
import Testing
import Vips

extension SaveTests {
    /// Metadata that is easily broken, and metadata that is broken.
    @Suite struct OddMetadata {
        let shop: Workshop
        init() throws { shop = try Workshop() }

        private static let note = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
        private static let noteAt = 700

        /// A block with a maker's note at a place of its own: what it points to is counted from the block's beginning.
        private static func block(bigEndian: Bool) -> [UInt8] {
            func number(_ value: Int, _ count: Int) -> [UInt8] {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
                return bigEndian ? bytes.reversed() : bytes
            }
            func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
                number(tag, 2) + number(type, 2) + number(count, 4) + (type == 3 ? number(value, 2) + [0, 0] : number(value, 4))
            }
            var bytes = Array((bigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
            bytes += number(3, 2) + entry(0x010F, 2, 6, 100) + entry(0x0112, 3, 1, 1) + entry(0x8769, 4, 1, 200) + number(0, 4)
            bytes += [UInt8](repeating: 0, count: 100 - bytes.count) + Array("Canon\0".utf8)
            bytes += [UInt8](repeating: 0, count: 200 - bytes.count)
            bytes += number(2, 2) + entry(0x8827, 3, 1, 400) + entry(0x927C, 7, note.count, noteAt) + number(0, 4)
            return bytes + [UInt8](repeating: 0, count: noteAt - bytes.count) + note
        }

        /// A JPEG with an APP1 segment of these bytes.
        private func picture(_ name: String, exif: [UInt8]) throws {
            try shop.save(try .plain(80, 60, [200, 100, 50]), name, .jpeg())
            let payload = Array("Exif\0\0".utf8) + exif
            let size = payload.count + 2
            var bytes = try shop.bytes(name)
            bytes.insert(contentsOf: [0xFF, 0xE1, UInt8(size >> 8), UInt8(size & 255)] + payload, at: 2)
            try shop.write(name, bytes)
        }

        @Test(
            arguments: [false, true],
            [
                ("jpg", ""), ("jpg", "\"jpeg\": \"reencode\""),
                ("jpg", "\"set\": {\"Copyright\": \"© a longer text than before\"}"),
                ("jpg", "\"metadata\": \"no-location\", \"set\": {\"Artist\": \"me\"}"), ("png", ""), ("webp", ""), ("jxl", ""),
                ("png", "\"set\": {\"Copyright\": \"mine\"}"),
            ])
        func aMakersNoteStaysInItsPlace(bigEndian: Bool, output: (format: String, keys: String)) throws {
            try picture("n.jpg", exif: Self.block(bigEndian: bigEndian))
            try shop.run(marking(keys: output.keys), "n.jpg", output: "out/o.\(output.format)")
            let bytes = try shop.bytes("out/o.\(output.format)")
            let note = try #require(bytes.firstRange(of: Self.note))
            let header = Array((bigEndian ? "MM" : "II").utf8) + (bigEndian ? [0, 42] : [42, 0])
            let begin = try #require(
                bytes[..<note.lowerBound].ranges(of: header).last { note.lowerBound - $0.lowerBound == Self.noteAt })
            #expect(note.lowerBound - begin.lowerBound == Self.noteAt)
            let tags = try shop.tags("out/o.\(output.format)", "-n")
            #expect(tags["IFD0:Make"] == "Canon" && tags["ExifIFD:ISO"] == "400")
        }

        @Test func aMakersNoteGoesWithTheRest() throws {
            try picture("n.jpg", exif: Self.block(bigEndian: false))
            for policy in ["strip", "rights"] {
                try shop.run(marking(keys: "\"metadata\": \"\(policy)\""), "n.jpg", output: "out/o.jpg")
                #expect(try shop.bytes("out/o.jpg").firstRange(of: Self.note) == nil)
            }
        }

        private static let garbage: [[UInt8]] = [
            [], [0x49], Array("II*\0".utf8), Array("II*\0".utf8) + [255, 255, 255, 255],
            Array("II*\0".utf8) + [8, 0, 0, 0, 255, 255],
            Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0],
            Array("garbage, not EXIF".utf8),
        ]

        /// Blocks of garbage neither fail a picture nor come through where something was to be dropped.
        @Test func brokenBlocks() throws {
            let inputs = Self.garbage.indices.map { "b\($0).jpg" }
            for (name, block) in zip(inputs, Self.garbage) { try picture(name, exif: block) }
            let policies = [
                "", "\"metadata\": \"strip\"", "\"metadata\": \"rights\"", "\"set\": {\"Artist\": \"me\"}",
                "\"jpeg\": \"reencode\"",
                "\"set\": {\"Artist\": \"{exif.Artist|iptc.Byline|xmp.dc:creator|\\\"nobody\\\"}\"}",
            ]
            let artists = [nil, nil, nil, "me", nil, "nobody"]
            let formats = ["jpg", "png", "webp", "tif"]
            var outputs: [String] = []
            var expected: [(name: String, artist: String?)] = []
            for (index, keys) in policies.enumerated() {
                for format in formats {
                    let path = "{stem}-\(index)-of.\(format)"
                    outputs.append("\"path\": \"\(path)\"" + (keys.isEmpty ? "" : ", " + keys))
                    expected += inputs.map { ("out/" + path.replacing("{stem}", with: $0.dropLast(4)), artists[index]) }
                }
            }
            try shop.run(marking(all: outputs), all: inputs, output: "out/")
            for ((name, artist), tags) in zip(expected, try shop.tags(all: expected.map(\.name))) {
                #expect(tags["IFD0:Artist"] == artist, "\(name)")
                #expect(try Result(shop, name).at(45, 35).prefix(3).isNear([255, 255, 255], 6), "\(name)")
            }
        }

        /// IPTC of old programs is Latin-1: what was there stays readable when a text in other letters is added.
        @Test func latinIPTCBecomesUnicode() throws {
            try shop.save(try .plain(80, 60, [200, 100, 50]), "l.jpg", .jpeg())
            let records: [UInt8] = [0x1C, 2, 90, 0, 6] + [0x5A, 0xFC, 0x72, 0x69, 0x63, 0x68] + [0x1C, 2, 25, 0, 1, 0xE9]
            let resource =
                Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, UInt8(records.count)] + records + (records.count % 2 == 1 ? [0] : [])
            let payload = Array("Photoshop 3.0\0".utf8) + resource
            var bytes = try shop.bytes("l.jpg")
            bytes.insert(contentsOf: [0xFF, 0xED, 0, UInt8(payload.count + 2)] + payload, at: 2)
            try shop.write("l.jpg", bytes)
            try shop.run(marking(keys: "\"set\": {\"Artist\": \"Łukasz, {iptc.City}\"}"), "l.jpg", output: "out/o.jpg")
            let tags = try shop.tags("out/o.jpg")
            #expect(tags["IPTC:City"] == "Zürich" && tags["IPTC:Keywords"] == "é")
            #expect(tags["IPTC:By-line"] == "Łukasz, Zürich" && tags["IPTC:CodedCharacterSet"] == "UTF8")
        }

        @Test func locationIsFoundInEveryNamespaceOfXMP() throws {
            try shop.save(try .plain(80, 60, [200, 100, 50]), "x.png", .png())
            try shop.tag("x.png", ["-XMP-drone-dji:GpsLatitude=47.1", "-XMP-exif:GPSAltitude=400", "-XMP-dc:Title=kept"])
            try shop.run(marking(keys: "\"metadata\": \"no-location\""), "x.png", output: "out/o.png")
            let tags = try shop.tags("out/o.png")
            #expect(tags["XMP-dc:Title"] == "kept" && !tags.keys.contains { $0.lowercased().contains("gps") })
        }

        @Test func textsOfAPNGFollow() throws {
            try shop.save(
                try .plain(80, 60, [200, 100, 50]).editingMetadata { editor in
                    editor.set("png-comment-0-Author", .string("old"))
                    editor.set("png-comment-1-Software", .string("tool"))
                }, "c.png", .png())
            try shop.run(marking(keys: "\"set\": {\"Artist\": \"new\"}"), "c.png", output: "out/o.png")
            #expect(try shop.tags("out/o.png")["PNG:Author"] == "new")
            #expect(try shop.tags("out/o.png")["PNG:Software"] == "tool")
            try shop.run(marking(keys: "\"metadata\": \"rights\""), "c.png", output: "out/o.png")
            #expect(try shop.tags("out/o.png")["PNG:Author"] == "old")
            #expect(try shop.tags("out/o.png")["PNG:Software"] == nil)
            try shop.run(marking(keys: "\"metadata\": \"strip\""), "c.png", output: "out/o.png")
            #expect(try shop.tags("out/o.png")["PNG:Author"] == nil)
            #expect(try shop.tags("out/o.png")["PNG:Software"] == nil)
        }
    }
}
