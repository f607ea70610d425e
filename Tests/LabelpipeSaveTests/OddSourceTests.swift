import Glibc
import Splice
import Testing
import Vips

extension SaveTests {
    /// Sources whose pixels or parts libvips does not pass on as they are.
    @Suite struct OddSources {
        let shop: Workshop
        init() throws { shop = try Workshop() }

        @Test("a grey TIFF of floats becomes floats of colours with the same values")
        func greyFloats() throws {
            let floats = try Image.filled([0.25], width: 64, height: 64, format: .float, interpretation: .bw)
            try shop.save(floats, "f.tif", .tiff())
            try shop.run(marking("red"), "f.tif", output: "out/f.tif", flags: ["--strict"])
            let image = try Result(shop, "out/f.tif").image
            #expect(image.format == .float && image.bands == 3)
            func values(_ x: Int, _ y: Int) throws -> [Float] {
                try image.read(PixelBox(left: x, top: y, width: 1, height: 1)).withUnsafeBytes {
                    Array($0.bindMemory(to: Float.self))
                }
            }
            #expect(try values(5, 5) == [0.25, 0.25, 0.25])
            let red = try values(45, 35)
            #expect(abs(red[0] - 1) < 0.01 && abs(red[1]) < 0.01 && abs(red[2]) < 0.01, "\(red)")
        }

        @Test("the profile of grey floats does not go silently")
        func greyProfile() throws {
            let floats = try Image.filled([0.25], width: 64, height: 64, format: .float, interpretation: .bw)
            let profile = try Operation("profile_load").set("name", "srgb").run().bytes("profile")
            try shop.save(floats.setting("icc-profile-data", to: .bytes(profile)), "p.tif", .tiff())
            try shop.save(floats, "n.tif", .tiff())
            for format in ["tif", "png"] {
                for (name, isLost) in [("p", true), ("n", false)] {
                    let outcome = try shop.run(marking("red"), "\(name).tif", output: "out/\(name).\(format)")
                    #expect(outcome.warnings.contains { $0.contains("profile") } == isLost, "\(outcome.warnings)")
                }
            }
        }

        /// As ImageMagick writes it: libvips' reader comes to it when it is too late.
        @Test("metadata behind a PNG's pixels is read and kept as if it stood in front of them")
        func lateMetadata() throws {
            try shop.save(.plain(64, 48, [200, 100, 50]), "front.png", .png())
            try shop.tag(
                "front.png", ["-EXIF:Artist=Ann", "-EXIF:Orientation#=6", "-XMP-dc:Title=Late", "-PNG:Comment=said by hand"])
            let file = try shop.bytes("front.png")
            var (parts, metadata, at): ([UInt8], [UInt8], Int) = (Array(file[..<8]), [], 8)
            while at < file.count {
                let count = file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
                let chunk = file[at..<at + 12 + count]
                let name = String(decoding: file[at + 4..<at + 8], as: UTF8.self)
                if name == "IEND" { parts += metadata }
                if ["eXIf", "iTXt", "tEXt"].contains(name) { metadata += chunk } else { parts += chunk }
                at += 12 + count
            }
            try #require(metadata.count > 200)
            try shop.write("late.png", parts)
            let document = marking(
                width: 5, height: 5, keys: "\"set\": {\"Description\": {\"template\": \"by {exif.Artist}\"}}")
            var found: [[String: String]] = []
            for name in ["front", "late"] {
                let outcome = try shop.run(document, "\(name).png", output: "out/\(name).png", flags: ["--strict"])
                #expect(outcome.warnings.isEmpty)
                let tags = try shop.tags("out/\(name).png")
                found.append(
                    tags.filter { !$0.key.hasPrefix("System:") && !["SourceFile", "ExifTool:ExifToolVersion"].contains($0.key) })
            }
            #expect(found[0] == found[1])
            #expect(found[1]["IFD0:Artist"] == "Ann" && found[1]["XMP-dc:Title"] == "Late", "\(found[1])")
            #expect(found[1]["PNG:Comment"] == "said by hand" && found[1]["XMP-dc:Description"] == "by Ann", "\(found[1])")
        }

        /// What instruments write: white is the largest value that there is, and whatever no label covers stays to the last bit.
        @Test(arguments: [PixelFormat.char, .short, .uint, .int], [1, 3])
        func measuredSamples(format: PixelFormat, bands: Int) throws {
            let below = format == .uint ? 3_000_000_000.0 : -77
            let source = try Image.filled(
                Array(repeating: below, count: bands), width: 64, height: 48, format: format,
                interpretation: bands == 1 ? .bw : .srgb)
            try shop.save(source, "m.tif", .tiff())
            for (color, count) in [("white", bands), ("red", 3)] {
                try shop.run(marking(color, keys: "\"path\": \"m.tif\""), "m.tif", output: "out/", flags: ["--strict"])
                let image = try Result(shop, "out/m.tif").image
                #expect(image.format == format && image.bands == count, "\(image.format), \(image.bands)")
                func values(_ x: Int, _ y: Int) throws -> [Double] {
                    let bytes = try image.read(PixelBox(left: x, top: y, width: 1, height: 1))
                    return bytes.withUnsafeBytes { bytes in
                        switch format {
                        case .char: bytes.bindMemory(to: Int8.self).map { Double($0) }
                        case .short: bytes.bindMemory(to: Int16.self).map { Double($0) }
                        case .uint: bytes.bindMemory(to: UInt32.self).map { Double($0) }
                        default: bytes.bindMemory(to: Int32.self).map { Double($0) }
                        }
                    }
                }
                #expect(try values(5, 5) == Array(repeating: below, count: count))
                let full = format.maximum
                #expect(try values(45, 35) == (color == "white" ? Array(repeating: full, count: count) : [full, 0, 0]))
            }
            let outcome = try shop.run(marking(keys: "\"path\": \"m.png\""), "m.tif", output: "out/")
            #expect(outcome.warnings.contains { $0.contains("largest value becomes white") }, "\(outcome.warnings)")
            #expect(try Result(shop, "out/m.png").at(45, 35)[0] == 65535)
        }

        /// The first directory's short numbers written over; a little-endian file.
        private func patched(_ file: [UInt8], _ values: [Int: Int]) -> [UInt8] {
            var file = file
            func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
            let place = number(4, 4)
            for index in 0..<number(place, 2) {
                let at = place + 2 + 12 * index
                if let value = values[number(at, 2)] { file[at + 8] = UInt8(value) }
            }
            return file
        }

        @Test("samples that cannot be read are named; nobody says that the file is damaged")
        func oddSamples() throws {
            try shop.save(.plain(64, 48, [9], .bw), "g.tif", .tiff())
            try shop.save(
                .filled([0.25], width: 64, height: 48, format: .float, interpretation: .bw), "f.tif", .tiff())
            try shop.write("ten.tif", patched(try shop.bytes("g.tif"), [258: 10]))
            try shop.write("double.tif", patched(try shop.bytes("f.tif"), [258: 64]))
            for (name, words) in [("ten", "samples have 10 bits"), ("double", "floats of 64 bits")] {
                let outcome = try shop.run(marking(), "\(name).tif", output: "out/o.tif", expecting: 1)
                #expect(outcome.errors.contains(words) && !outcome.errors.contains("damaged"), "\(outcome.errors)")
            }
        }

        @Test("the pictures of a sequence beside the still one are missed aloud")
        func sequences() throws {
            try shop.save(.plain(64, 48, [200, 100, 50]), "s.avif", .avif())
            #expect(try shop.run(marking(), "s.avif", output: "out/s.png").warnings == [])
            try shop.write("m.avif", try shop.bytes("s.avif") + [0, 0, 0, 8] + Array("moov".utf8))
            let outcome = try shop.run(marking(), "m.avif", output: "out/m.png")
            #expect(outcome.warnings == ["a sequence of pictures: its still picture is kept, the moving one is left out"])
        }

        @Test("what is assumed of a further page is told, with its number")
        func oddPages() throws {
            try shop.save(.plain(64, 48, [9], .bw), "a.tif", .tiff())
            try shop.save(.plain(50, 40, [99], .bw), "b.tif", .tiff())
            let first = try shop.bytes("a.tif")
            // Another program's page behind it, without what its samples mean: the tag becomes a private one.
            var second = try shop.bytes("b.tif")
            func number(_ file: [UInt8], _ at: Int, _ count: Int) -> Int {
                (0..<count).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) }
            }
            func put(_ value: Int, _ at: Int, _ file: inout [UInt8]) {
                for byte in 0..<4 { file[at + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
            }
            let place = number(second, 4, 4)
            let start = (first.count + 1) & ~1
            let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8]
            for index in 0..<number(second, place, 2) {
                let at = place + 2 + 12 * index
                let (tag, type, count) = (number(second, at, 2), number(second, at + 2, 2), number(second, at + 4, 4))
                if tag == 262 { second.replaceSubrange(at..<at + 2, with: [0xE8, 0xFD]) }
                if tag == 273 || (sizes[type] ?? 1) * count > 4 { put(number(second, at + 8, 4) + start, at + 8, &second) }
            }
            var joined = first + (first.count & 1 == 1 ? [0] : []) + second
            let old = number(first, 4, 4)
            put(start + place, old + 2 + 12 * number(first, old, 2), &joined)
            try shop.write("j.tif", joined)
            let outcome = try shop.run(marking(), "j.tif", output: "out/j.tif")
            #expect(
                outcome.warnings.contains("page 2: it does not say what its samples mean: they are taken for shades of grey"),
                "\(outcome.warnings)")
        }

        private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
            let body = Array(name.utf8) + data
            var sum = UInt32.max
            for byte in body {
                sum ^= UInt32(byte)
                for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
            }
            func big(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) } }
            return big(UInt32(data.count)) + body + big(~sum)
        }

        @Test("parts of a PNG that are as true with a label are copied, others are missed aloud")
        func partsOfAPNG() throws {
            try shop.save(.plain(64, 48, [9, 90, 200]), "n.png", .png())
            var bytes = try shop.bytes("n.png")
            let (place, own) = (Self.chunk("oFFs", [0, 0, 0, 9, 0, 0, 0, 7, 0]), Self.chunk("laBl", Array("own".utf8)))
            let behind = Self.chunk("teSt", [1, 2, 3])
            let (time, credentials) = (Self.chunk("tIME", [7, 0xE8, 1, 2, 3, 4, 5]), Self.chunk("caBX", [1, 2, 3, 4]))
            bytes.insert(contentsOf: behind, at: bytes.count - 12)
            bytes.insert(contentsOf: place + own + time + credentials, at: 33)
            try shop.write("s.png", bytes)
            let told = [
                "the PNG's content credentials (C2PA) are left out: they would not match the picture", "left out: the PNG's tIME",
            ]
            let outcome = try shop.run(marking(), "s.png", output: "out/s.png")
            #expect(outcome.warnings == told)
            let made = try shop.bytes("out/s.png")
            let pixels = try #require(made.firstRange(of: Array("IDAT".utf8))).lowerBound
            for (part, isBehind) in [(place, false), (own, false), (behind, true)] {
                let places = made.ranges(of: part)
                #expect(places.count == 1 && places.allSatisfy { ($0.lowerBound > pixels) == isBehind })
            }
            #expect(made.ranges(of: Array("tIME".utf8)).isEmpty && made.ranges(of: Array("caBX".utf8)).isEmpty)
            #expect(try Tool("pngcheck", ["-q", shop.path("out/s.png")]).code == 0)
            let elsewhere = try shop.run(marking(), "s.png", output: "out/s.webp")
            #expect(elsewhere.warnings == [told[0], "left out: the PNG's oFFs, laBl, tIME, teSt"])
            try shop.run(marking(keys: "\"metadata\": \"strip\""), "s.png", output: "out/t.png")
            #expect(try shop.bytes("out/t.png").ranges(of: place).isEmpty)
        }

        @Test("what a TIFF is stays when it is encoded anew: 64-bit offsets, WebP without loss; other alpha is told")
        func kindsOfTIFF() throws {
            let picture = try Image.plain(64, 48, [200, 100, 50, 128])
            var big = TIFFSaveOptions()
            big.isBig = true
            big.isPremultiplied = true
            try shop.save(picture, "b.tif", .tiff(big))
            var webp = TIFFSaveOptions()
            webp.compression = .webp
            webp.isLossless = true
            try shop.save(picture, "w.tif", .tiff(webp))
            webp.isLossless = false
            try shop.save(picture, "l.tif", .tiff(webp))
            let told = try shop.run(marking(keys: "\"compression\": \"lzw\""), "b.tif", output: "out/b.tif").warnings
            #expect(told == ["colours that were multiplied by their transparency are so no longer"])
            #expect(try shop.bytes("out/b.tif")[2] == 43)
            let page = try #require(try TIFFFile(descriptor(of: "out/b.tif")).pages.first)
            #expect(page.extraSamples == [2])
            #expect(try Result(shop, "out/b.tif").at(5, 5) == Result(shop, "b.tif").at(5, 5))
            for (name, isLossless) in [("w.tif", true), ("l.tif", false)] {
                try shop.run(marking(), name, output: "out/\(name)")
                let made = try shop.bytes("out/\(name)")
                #expect(made.ranges(of: Array("VP8L".utf8)).isEmpty != isLossless, "\(name)")
            }
            #expect(try Result(shop, "out/w.tif").at(5, 5) == [200, 100, 50, 128])
        }

        private func descriptor(of name: String) throws -> Int32 {
            let descriptor = open(shop.path(name), O_RDONLY)
            try #require(descriptor >= 0)
            return descriptor
        }

        @Test("what a PNG says about its samples stays where it fits, and is missed aloud elsewhere")
        func samplesOfAPNG() throws {
            try shop.save(.plain(64, 48, [9, 90, 200]), "n.png", .png())
            var bytes = try shop.bytes("n.png")
            let significant: [UInt8] = [0, 0, 0, 3] + Array("sBIT".utf8) + [5, 6, 5, 0x33, 0x0B, 0x8D, 0x80]
            let background: [UInt8] = [0, 0, 0, 6] + Array("bKGD".utf8) + [0, 255, 0, 255, 0, 255, 0xA0, 0xBD, 0xA7, 0x93]
            bytes.insert(contentsOf: significant + background, at: 33)
            try shop.write("s.png", bytes)
            let kept = try shop.run(marking(), "s.png", output: "out/s.png")
            #expect(kept.warnings.isEmpty, "\(kept.warnings)")
            let made = try shop.bytes("out/s.png")
            for chunk in [significant, background] { #expect(made.ranges(of: chunk).count == 1) }
            #expect(try Result(shop, "out/s.png").at(45, 35) == [255, 255, 255])
            let lost = try shop.run(marking(), "s.png", output: "out/s.webp")
            #expect(lost.warnings == ["left out: the PNG's significant bits and background colour"])
            #expect(try shop.run(marking(), "n.png", output: "out/n.webp").warnings.isEmpty)
        }

        @Test("a TIFF with a tile that cannot be decoded fails, wherever the label is; tolerated, it is told")
        func damagedTile() throws {
            var options = TIFFSaveOptions()
            options.tile = (32, 32)
            try shop.save(try Image.plain(128, 128, [10, 90, 200]), "t.tif", .tiff(options))
            var bytes = try shop.bytes("t.tif")
            // The first tile, behind the header.
            for at in 8..<20 { bytes[at] = 0 }
            try shop.write("bad.tif", bytes)
            for (x, y) in [(2, 2), (70, 70)] {
                let outcome = try shop.run(
                    marking(x: x, y: y, width: 9, height: 9), "bad.tif", output: "out/bad.tif", expecting: 1)
                #expect(outcome.pictures.first?["status"]?.string == "failed")
                #expect(!shop.exists("out/bad.tif"))
            }
        }

        @Test("an animated WebP keeps delays of nothing")
        func delays() throws {
            let frames = try (0..<3).map { try Image.plain(32, 32, [Double(80 * $0), 90, 200]) }
            let animation = try Image.arrayjoin(frames).editingMetadata {
                $0.set("page-height", .integer(32))
                $0.set("delay", .integers([20, 70, 60]))
            }
            try shop.save(animation, "a.webp", .webp())
            var bytes = try shop.bytes("a.webp")
            let frame = try #require(bytes.firstRange(of: Array("ANMF".utf8))).lowerBound
            bytes[frame + 20] = 0
            try shop.write("b.webp", bytes)
            try shop.run(marking(x: 2, y: 2, width: 5, height: 5), "b.webp", output: "out/b.webp")
            #expect(try Result(shop, "out/b.webp").image.integers("delay") == [0, 70, 60])
        }

        @Test("XMP of a GIF is missed aloud")
        func gifXMP() throws {
            try shop.save(try Image.plain(32, 32, [10, 90, 200]), "g.gif", .gif())
            var bytes = try shop.bytes("g.gif")
            #expect(bytes.removeLast() == 0x3B)
            bytes += [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [3, 60, 97, 62, 0, 0x3B]
            try shop.write("x.gif", bytes)
            for (name, isLost) in [("g.gif", false), ("x.gif", true)] {
                let outcome = try shop.run(marking(x: 2, y: 2, width: 5, height: 5), name, output: "out/\(name)")
                #expect(outcome.warnings.contains { $0.contains("XMP") } == isLost, "\(name): \(outcome.warnings)")
            }
        }
    }
}
