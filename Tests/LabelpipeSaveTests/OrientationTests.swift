import Glibc
import Testing
import Vips

extension SaveTests {
    /// B41: the label is upright in the upright picture, whatever the tag, the format and the way it is written.
    @Suite struct Oriented {
        /// An output as it is seen and as it is stored.
        struct Seen {
            /// A row of `#` and blanks for each row of the red ink's box.
            var shape: [String] = []
            var left = 0
            var top = 0
            var storedWidth = 0
            /// As libvips and as exiftool read it.
            var orientation = 1
            var tag = 1

            /// Whether two shapes are one but for the noise of lossy codes.
            func agrees(with other: Seen) -> Bool {
                guard abs(left - other.left) <= 1, abs(top - other.top) <= 1 else { return false }
                let pairs = zip(shape, other.shape).flatMap { zip($0, $1) }
                return pairs.filter { $0 != $1 }.count * 5 <= pairs.count
            }
        }

        struct Way: CustomTestStringConvertible, Sendable {
            let format: String
            var keys = ""
            var before = ""
            var testDescription: String { "\(format) \(keys) \(before)" }

            fileprivate func output(_ path: String) -> String {
                """
                {"node": [{"effect": "image.source"}, \(before) {"effect": "layout.place", "anchor": "bottom-right",
                 "insets": 2, "label": [{"effect": "text.mask", "text": "R", "font": "DejaVu Sans", "size": 15},
                 {"effect": "fill.solid", "color": "red"}]}], "path": "\(path)" \(keys.isEmpty ? "" : ", " + keys)}
                """
            }
        }

        /// All inputs by all ways in one run, by input and way.
        private static func seen(_ shop: Workshop, _ inputs: [String], _ ways: [Way]) throws -> [[Seen]] {
            let outputs = ways.enumerated().map { $1.output("{stem}-\($0)-of.\($1.format)") }
            try shop.run(
                "{\"labelpipe\": 1, \"outputs\": [\(outputs.joined(separator: ",\n"))]}", all: inputs, output: "out/")
            let stems = inputs.map { $0.split(separator: "/").last.map { $0.prefix { $0 != "." } } ?? "" }
            let names = stems.flatMap { stem in ways.enumerated().map { "out/\(stem)-\($0)-of.\($1.format)" } }
            var tags = try shop.tags(all: names, ["-n", "-Orientation"])[...]
            return try stems.map { stem in
                try ways.enumerated().map { index, way in
                    var seen = try ink(shop, "out/\(stem)-\(index)-of.\(way.format)")
                    seen.tag = Int(tags.removeFirst()["IFD0:Orientation"] ?? "") ?? 1
                    return seen
                }
            }
        }

        private static func ink(_ shop: Workshop, _ name: String) throws -> Seen {
            let image = try Result(shop, name).image
            let upright = try image.materialised().upright()
            try #require(upright.width == 50 && upright.height == 70, "\(name)")
            let bands = upright.bands
            let bytes = try upright.writeToMemory()
            var rows: [[Bool]] = []
            for y in 0..<70 {
                rows.append(
                    (0..<50).map { x in
                        let at = (y * 50 + x) * bands
                        return bytes[at] > 150 && bytes[at + 1] < 110 && bytes[at + 2] < 110
                    })
            }
            let (ys, xs) = (rows.indices.filter { rows[$0].contains(true) }, (0..<50).filter { x in rows.contains { $0[x] } })
            let (top, left) = (try #require(ys.first), try #require(xs.first))
            try #require(left >= 33 && top >= 50, "\(name)")
            return Seen(
                shape: ys.map { y in String((left...(xs.last ?? left)).map { rows[y][$0] ? "#" : " " }) }, left: left, top: top,
                storedWidth: image.width, orientation: image.orientation)
        }

        static let ways = [
            Way(format: "jpg"), Way(format: "jpg", keys: "\"jpeg\": \"reencode\""),
            Way(format: "jpg", keys: "\"metadata\": \"strip\""),
            Way(format: "jpg", keys: "\"metadata\": \"rights\", \"jpeg\": \"reencode\""), Way(format: "png"), Way(format: "webp"),
            Way(format: "tif"), Way(format: "gif"), Way(format: "avif"), Way(format: "jxl"), Way(format: "ppm"),
            Way(format: "webp", keys: "\"metadata\": \"strip\""), Way(format: "tif", keys: "\"metadata\": \"strip\""),
            // An effect between source and place.
            Way(format: "jpg", before: "{\"effect\": \"image.resize\", \"width\": 50, \"height\": 70},"),
        ]

        private static let fromJPEG = once {
            try seen(try Workshop(), (0...8).map { "\(Real.oriented)/orientation_\($0).jpg" }, ways)
        }

        @Test(arguments: ways.indices) func jpegSources(way: Int) throws {
            let all = try Self.fromJPEG.get()
            let reference = all[0][way]
            for orientation in 1...8 {
                let found = all[orientation][way]
                #expect(reference.agrees(with: found), "\(Self.ways[way]), \(orientation): \(reference) \(found)")
                if orientation >= 2 {
                    // Exactly one of turned and tagged.
                    let isTagged = found.tag != 1
                    #expect(!isTagged || found.orientation == orientation, "\(Self.ways[way]), \(orientation)")
                    if orientation >= 5 { #expect((found.storedWidth == 70) == isTagged, "\(Self.ways[way]), \(orientation)") }
                }
            }
        }

        static let sources = ["png", "webp", "tif"]
        private static let formats = ["jpg", "png", "gif", "webp", "tif"]

        private static let fromOthers = once {
            let shop = try Workshop()
            var webp = WebPSaveOptions()
            webp.isLossless = true
            var names: [String] = []
            for source in sources {
                for orientation in 1...8 {
                    let stored = try PictureFile(path: Array("\(Real.oriented)/orientation_\(orientation).jpg".utf8)).image
                        .materialised()
                    let options: SaveOptions = source == "png" ? .png() : source == "webp" ? .webp(webp) : .tiff()
                    names.append("\(source)\(orientation).\(source)")
                    try shop.save(try stored.editingMetadata { $0.setOrientation(orientation) }, names[names.count - 1], options)
                }
            }
            let tags = try shop.tags(all: names, ["-n", "-Orientation"]).map { $0["IFD0:Orientation"] }
            try #require(tags == sources.flatMap { _ in (1...8).map { "\($0)" } })
            return try seen(shop, names, formats.map { Way(format: $0) })
        }

        @Test(arguments: sources.indices, formats.indices) func otherSources(source: Int, output: Int) throws {
            let all = try Self.fromOthers.get()
            let reference = all[8 * source][output]
            for orientation in 1...8 {
                let found = all[8 * source + orientation - 1][output]
                #expect(reference.agrees(with: found), "\(orientation): \(reference) \(found)")
                if orientation >= 5 { #expect((found.storedWidth == 50) != (found.tag != 1), "\(orientation)") }
            }
        }
    }
}
