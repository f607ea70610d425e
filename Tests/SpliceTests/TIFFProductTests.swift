import CSpliceProbe
import Foundation
import Splice
import Testing

/// What the program does with TIFFs, seen by libtiff.
@Suite(.serialized) struct TIFFProductTests {
    private static func document(_ compression: String?) -> String {
        let key = compression.map { "\"compression\": \"\($0)\", " } ?? ""
        return """
            { "labelpipe": 1, "outputs": [ { \(key)"node": [
              { "effect": "image.source" },
              { "effect": "layout.place", "anchor": "bottom-right", "insets": 20, "opacity": 0.7, "label": [
                { "effect": "text.mask", "text": "Splice", "font": "DejaVu Sans", "size": 30 },
                { "effect": "fill.solid", "color": "white" },
                { "effect": "stroke.outline", "width": 3, "color": "black" } ] } ] } ] }
            """
    }

    @Test func filesAreCopiedAndPatched() throws {
        let product = try #require(Product(), "Scripts/test names the program in LABELPIPE")
        var specs: [(String, tiff_probe_spec)] = []
        for (name, code) in [("none", 1), ("lzw", 5), ("deflate", 8), ("zstd", 50000), ("packbits", 32773)] {
            for tile in [Int32(64), 0] {
                for kind in 0..<4 {
                    let spec = tiff_probe_spec.rgb {
                        ($0.compression, $0.tile, $0.big, $0.big_endian) = (Int32(code), tile, Int32(kind & 1), Int32(kind >> 1))
                    }
                    specs.append(("\(name)-\(tile == 0 ? "strips" : "tiles")-\(kind).tif", spec))
                }
            }
        }
        specs.append(("grey.tif", .rgb { ($0.samples, $0.photometric) = (1, 1) }))
        specs.append(("white-is-0.tif", .rgb { ($0.samples, $0.photometric) = (1, 0) }))
        specs.append(("grey-16.tif", .rgb { ($0.samples, $0.photometric, $0.bits) = (1, 1, 16) }))
        specs.append(("deep.tif", .rgb { ($0.bits, $0.predictor) = (16, 2) }))
        specs.append(("planes.tif", .rgb { ($0.planar, $0.tile) = (1, 0) }))
        specs.append(("alpha.tif", .rgb { ($0.samples, $0.extra) = (4, 2) }))
        specs.append(("associated.tif", .rgb { ($0.samples, $0.extra) = (4, 1) }))
        specs.append(("levels.tif", .rgb { $0.levels = 2 }))
        specs.append(("level-pages.tif", .rgb { ($0.levels, $0.levels_are_pages) = (2, 1) }))
        specs.append(("pages.tif", .rgb { $0.pages = 3 }))
        specs.append(("ome.tif", .rgb { ($0.pages, $0.levels, $0.big) = (3, 1, 1) }))
        specs.append(("jpeg.tif", .rgb { ($0.compression, $0.quality, $0.photometric) = (7, 90, 6) }))
        specs.append(("jpeg-levels.tif", .rgb { ($0.compression, $0.quality, $0.photometric, $0.levels) = (7, 90, 2, 1) }))
        let folder = Folder()
        try folder.write("splice.json", Array(Self.document(nil).utf8))
        try folder.write("encode.json", Array(Self.document("deflate").utf8))
        for (index, (name, spec)) in specs.enumerated() { try folder.write(name, try spec.file(seed: index).bytes) }
        let inputs = specs.map { "\(folder.path)/\($0.0)" }
        let spliced = try product.run(
            "\(folder.path)/splice.json", inputs + ["--output", "\(folder.path)/spliced"], in: folder)
        let encoded = try product.run(
            "\(folder.path)/encode.json", inputs + ["--output", "\(folder.path)/encoded"], in: folder)
        for (name, spec) in specs {
            let line = try #require(spliced[name])
            #expect(line.mode.hasPrefix("splice-tiff: "), "\(name): \(line.mode)")
            #expect(line.warnings == [], "\(name)")
            #expect(encoded[name]?.mode == "encode: the document sets a compression", "\(name)")
            #expect(otherBytesStay(try folder.bytes(name), try folder.bytes("spliced/\(name)")) == nil, "\(name)")
            for page in 0..<Int(spec.pages) {
                let before = TIFFProbe(path: "\(folder.path)/\(name)", page: page)
                let after = TIFFProbe(path: "\(folder.path)/spliced/\(name)", page: page)
                let other = TIFFProbe(path: "\(folder.path)/encoded/\(name)", page: page)
                try #require(before.isClean && after.isClean && other.isClean, "\(name)")
                let box = try #require(line.boxes.first)
                var changed = 0
                var worst = 0.0
                let (old, new, others) = (before.values, after.values, other.values)
                // libvips writes 0 as black.
                let isInverted = spec.photometric == 0 && abs(others[0] - old[0]) > 0.01
                for (index, value) in new.enumerated() {
                    let px = index / before.samples
                    let (x, y) = (px % before.width, px / before.width)
                    let isInside = x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height
                    if isInside {
                        if abs(value - old[index]) > 0.1 { changed += 1 }
                        worst = max(worst, abs(value - (isInverted ? 1 - others[index] : others[index])))
                    } else if value != old[index], spec.compression != 7 {
                        Issue.record("\(name): \(x), \(y) changed outside \(box)")
                        return
                    }
                }
                #expect(changed > 100, "\(name), page \(page): the label is not there")
                // Made-up associated alpha is no premultiplied colour, which libvips would take it for.
                if spec.extra == 1 { continue }
                let tolerance = spec.compression == 7 ? 0.35 : spec.extra >= 0 ? 0.015 : 1.01 / 255
                #expect(worst <= tolerance, "\(name), page \(page): \(worst) from what encoding everything gives")
            }
        }
    }
}
