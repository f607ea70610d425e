import Glibc
import Testing
import Vips

extension SaveTests {
    /// B41: the label is upright in the upright picture, whatever the tag, the format and the way it is written.
    @Suite struct Oriented {
        let shop: Workshop
        init() throws { shop = try Workshop() }

        private static func document(_ keys: String, _ before: String) -> String {
            """
            {"labelpipe": 1, "outputs": [{"node": [{"effect": "image.source"}, \(before) {"effect": "layout.place", "anchor": "bottom-right",
             "insets": 2, "label": [{"effect": "text.mask", "text": "R", "font": "DejaVu Sans", "size": 15},
             {"effect": "fill.solid", "color": "red"}]}] \(keys.isEmpty ? "" : ", " + keys)}]}
            """
        }

        /// The red ink of an output as it is seen: a row of `#` and blanks for each row of its box.
        private func ink(_ name: String, _ location: SourceLocation = #_sourceLocation) throws -> (
            shape: [String], left: Int, top: Int
        ) {
            let image = try Result(shop, name).image
            let upright = try image.materialised().upright()
            #expect(upright.width == 50 && upright.height == 70, "\(name)", sourceLocation: location)
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
            #expect(left >= 33 && top >= 50, "\(name)", sourceLocation: location)
            return (ys.map { y in String((left...(xs.last ?? left)).map { rows[y][$0] ? "#" : " " }) }, left, top)
        }

        /// Whether two shapes are one but for the noise of lossy codes.
        private func agree(_ a: (shape: [String], left: Int, top: Int), _ b: (shape: [String], left: Int, top: Int)) -> Bool {
            guard abs(a.left - b.left) <= 1, abs(a.top - b.top) <= 1 else { return false }
            let pairs = zip(a.shape, b.shape).flatMap { zip($0, $1) }
            return pairs.filter { $0 != $1 }.count * 5 <= pairs.count
        }

        private func tag(_ name: String) throws -> Int {
            Int(try shop.tags(name, "-n", "-Orientation")["IFD0:Orientation"] ?? "") ?? 1
        }

        @Test(
            arguments: [
                ("jpg", "", ""), ("jpg", "\"jpeg\": \"reencode\"", ""), ("jpg", "\"metadata\": \"strip\"", ""),
                ("jpg", "\"metadata\": \"rights\", \"jpeg\": \"reencode\"", ""), ("png", "", ""), ("webp", "", ""),
                ("tif", "", ""),
                ("gif", "", ""), ("avif", "", ""), ("jxl", "", ""), ("ppm", "", ""), ("webp", "\"metadata\": \"strip\"", ""),
                ("tif", "\"metadata\": \"strip\"", ""),
                // An effect between source and place.
                ("jpg", "", "{\"effect\": \"image.resize\", \"width\": 50, \"height\": 70},"),
            ])
        func jpegSources(format: String, keys: String, before: String) throws {
            var reference: (shape: [String], left: Int, top: Int)?
            for orientation in 0...8 {
                try shop.run(
                    Self.document(keys, before), "\(Real.oriented)/orientation_\(orientation).jpg", output: "out/o.\(format)")
                let found = try ink("out/o.\(format)")
                if let reference { #expect(agree(reference, found), "\(orientation): \(reference) \(found)") }
                reference = reference ?? found
                let stored = try Result(shop, "out/o.\(format)").image
                if orientation >= 2 {
                    // Exactly one of turned and tagged.
                    let isTagged = try tag("out/o.\(format)") != 1
                    #expect(!isTagged || tagIs(orientation, stored), "\(orientation)")
                    if orientation >= 5 { #expect((stored.width == 70) == isTagged, "\(orientation)") }
                }
            }
        }

        private func tagIs(_ orientation: Int, _ image: Image) -> Bool { image.orientation == orientation }

        @Test(arguments: ["png", "webp", "tif"], ["", "jpg", "png", "gif"])
        func otherSources(source: String, output: String) throws {
            let output = output.isEmpty ? source : output
            var reference: (shape: [String], left: Int, top: Int)?
            var webp = WebPSaveOptions()
            webp.isLossless = true
            for orientation in 1...8 {
                let stored = try PictureFile(path: Array("\(Real.oriented)/orientation_\(orientation).jpg".utf8)).image
                    .materialised()
                let options: SaveOptions = source == "png" ? .png() : source == "webp" ? .webp(webp) : .tiff()
                try shop.save(try stored.editingMetadata { $0.setOrientation(orientation) }, "q.\(source)", options)
                #expect(try tag("q.\(source)") == orientation)
                try shop.run(Self.document("", ""), "q.\(source)", output: "out/o.\(output)")
                let found = try ink("out/o.\(output)")
                if let reference { #expect(agree(reference, found), "\(orientation): \(reference) \(found)") }
                reference = reference ?? found
                if orientation >= 5 {
                    let isTurned = try Result(shop, "out/o.\(output)").image.width == 50
                    let isTagged = try tag("out/o.\(output)") != 1
                    #expect(isTurned != isTagged, "\(orientation)")
                }
            }
        }
    }
}
