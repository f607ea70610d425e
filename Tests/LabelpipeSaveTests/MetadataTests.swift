import Glibc
import Testing
import Vips

extension SaveTests {
    /// What stays of metadata, what goes, and what is written: read by exiftool.
    @Suite struct Metadata {
        let shop: Workshop
        static let sources = ["m.jpg", "m.png", "m.tif", "m.webp"]
        static let outputs = ["o.jpg", "o.png", "o.tif", "o.webp", "o.avif", "o.jxl"]

        init() throws {
            shop = try Workshop()
            let picture = try Image.plain(160, 120, [200, 100, 50]).editingMetadata {
                $0.setResolution(x: 300 / 25.4, y: 300 / 25.4)
            }
            try shop.save(try .plain(40, 30, [200, 100, 50]), "thumbnail.jpg", .jpeg())
            for (name, options) in [("m.jpg", SaveOptions.jpeg()), ("m.png", .png()), ("m.tif", .tiff()), ("m.webp", .webp())] {
                try shop.save(picture, name, options)
                try shop.tag(
                    name,
                    [
                        "-Artist=Zoë Émile", "-EXIF:Copyright=© Zoë", "-ImageDescription=Boats", "-Make=Canon", "-FNumber=2.8",
                        "-EXIF:DateTimeOriginal=2024:05:06 07:08:09", "-GPSLatitude=47.1", "-GPSLatitudeRef=N",
                        "-GPSLongitude=8.5", "-GPSLongitudeRef=E", "-XMP-exif:GPSLatitude=47.1", "-XMP-dc:Creator=Zoë Émile",
                        "-XMP-dc:Rights=© Zoë", "-XMP-dc:Subject=boat", "-XMP-photoshop:Credit=AP", "-XMP-photoshop:City=Zürich",
                    ])
                if name != "m.webp" {
                    try shop.tag(
                        name,
                        [
                            "-CodedCharacterSet=UTF8", "-IPTC:By-line=Zoë", "-IPTC:CopyrightNotice=© Zoë", "-IPTC:Credit=AP",
                            "-IPTC:City=Zürich", "-IPTC:Keywords=one", "-IPTC:Keywords=two",
                        ])
                }
            }
            try shop.tag("m.jpg", ["-ThumbnailImage<=\(shop.path("thumbnail.jpg"))"])
        }

        private func holdsIPTC(_ name: String) -> Bool { ["jpg", "png", "tif"].contains(String(name.suffix(3))) }

        /// The tags of blocks, without what describes the file itself.
        private func blocks(_ name: String) throws -> [String: String] {
            try shop.tags(name).filter { key, _ in
                let group = key.split(separator: ":")[0]
                return ["IFD0", "ExifIFD", "GPS", "IPTC"].contains(group) || group.hasPrefix("XMP-")
            }
        }

        /// Tags that a format's own structure has, or that say how a file was made.
        private static let structural: Set<String> = [
            "IFD0:Orientation", "IFD0:ResolutionUnit", "IFD0:XResolution", "IFD0:YResolution", "IFD0:YCbCrPositioning",
            "ExifIFD:ComponentsConfiguration", "XMP-x:XMPToolkit", "IPTC:ApplicationRecordVersion", "ExifIFD:ColorSpace",
            "ExifIFD:ExifVersion", "ExifIFD:FlashpixVersion", "IPTC:CodedCharacterSet", "IFD0:ExifOffset",
            "ExifIFD:ExifImageWidth", "ExifIFD:ExifImageHeight", "GPS:GPSVersionID",
        ]

        private func told(_ name: String) throws -> [String: String] {
            var tags = try blocks(name).filter { !Self.structural.contains($0.key) }
            // A TIFF's own directory says the picture's size and layout.
            let layout = try shop.tags(name.hasSuffix("tif") ? name : "layout.tif")
            for key in layout.keys where key.hasPrefix("IFD0:") && Self.layoutTags.contains(String(key.dropFirst(5))) {
                tags[key] = nil
            }
            return tags
        }

        private static let layoutTags: Set<String> = [
            "SubfileType", "ImageWidth", "ImageHeight", "BitsPerSample", "Compression", "PhotometricInterpretation",
            "StripOffsets",
            "SamplesPerPixel", "RowsPerStrip", "StripByteCounts", "PlanarConfiguration", "SampleFormat", "Predictor",
        ]

        @Test(arguments: sources, outputs) func keep(source: String, output: String) throws {
            try shop.save(try .plain(2, 2, [0, 0, 0]), "layout.tif", .tiff())
            let outcome = try shop.run(marking(), source, output: "out/\(output)")
            var expected = try told(source)
            if !holdsIPTC(output) {
                if holdsIPTC(source) {
                    #expect(outcome.warnings.contains { $0.contains("holds no IPTC") }, "\(outcome.warnings)")
                }
                expected = expected.filter { !$0.key.hasPrefix("IPTC") }
            }
            let kept = try told("out/\(output)")
            #expect(
                kept == expected, "\(kept.filter { expected[$0.key] != $0.value }) \(expected.filter { kept[$0.key] == nil })")
            #expect(kept["GPS:GPSLatitude"] != nil && kept["XMP-dc:Subject"] == "boat")
        }

        @Test(arguments: sources, outputs) func strip(source: String, output: String) throws {
            try shop.save(try .plain(2, 2, [0, 0, 0]), "layout.tif", .tiff())
            try shop.run(marking(keys: "\"metadata\": \"strip\""), source, output: "out/\(output)")
            #expect(try told("out/\(output)") == [:])
        }

        @Test(arguments: sources, outputs) func rights(source: String, output: String) throws {
            try shop.save(try .plain(2, 2, [0, 0, 0]), "layout.tif", .tiff())
            try shop.run(marking(keys: "\"metadata\": \"rights\""), source, output: "out/\(output)")
            let wanted: Set<String> = [
                "IFD0:Artist", "IFD0:Copyright", "XMP-dc:Creator", "XMP-dc:Rights", "XMP-photoshop:Credit", "IPTC:By-line",
                "IPTC:CopyrightNotice", "IPTC:Credit",
            ]
            #expect(
                try told("out/\(output)")
                    == told(source).filter { wanted.contains($0.key) && (holdsIPTC(output) || !$0.key.hasPrefix("IPTC")) })
        }

        @Test(arguments: sources, outputs) func noLocation(source: String, output: String) throws {
            try shop.save(try .plain(2, 2, [0, 0, 0]), "layout.tif", .tiff())
            try shop.run(marking(keys: "\"metadata\": \"no-location\""), source, output: "out/\(output)")
            let expected = try told(source).filter { !$0.key.contains("GPS") && (holdsIPTC(output) || !$0.key.hasPrefix("IPTC")) }
            #expect(try told("out/\(output)") == expected)
            // Nothing of it is left between what is.
            let bytes = try shop.bytes("out/\(output)")
            #expect(bytes.firstRange(of: Array("GPSLatitude".utf8)) == nil)
        }

        /// EXIF, IPTC and XMP say the same, in any language.
        @Test(arguments: sources, outputs) func setRights(source: String, output: String) throws {
            let keys = """
                "set": {"Copyright": "© {date:%Y} 写真", "Artist": "Łukasz", "Credit": "Crédit", "Description": "«ß»",
                "iptc.Headline": "Ü", "exif.Software": "none", "xmp.xmpRights:UsageTerms": "no AI"}
                """
            let outcome = try shop.run(marking(keys: keys), source, output: "out/\(output)")
            let tags = try shop.tags("out/\(output)")
            let year = try #require(tags["IFD0:Copyright"]?.split(separator: " ")[1])
            #expect(year.count == 4)
            let copyright = "© \(year) 写真"
            for (key, value) in [
                ("IFD0:Copyright", copyright), ("IFD0:Artist", "Łukasz"), ("IFD0:ImageDescription", "«ß»"),
                ("IFD0:Software", "none"), ("XMP-dc:Rights", copyright), ("XMP-dc:Creator", "Łukasz"),
                ("XMP-photoshop:Credit", "Crédit"), ("XMP-dc:Description", "«ß»"), ("XMP-xmpRights:UsageTerms", "no AI"),
            ] { #expect(tags[key] == value, "\(key)") }
            if holdsIPTC(output) {
                for (key, value) in [
                    ("CopyrightNotice", copyright), ("By-line", "Łukasz"), ("Credit", "Crédit"), ("Caption-Abstract", "«ß»"),
                    ("Headline", "Ü"),
                ] { #expect(tags["IPTC:\(key)"] == value, "\(key)") }
                if holdsIPTC(source) { #expect(tags["IPTC:City"] == "Zürich") }
            } else {
                #expect(outcome.warnings.contains { $0.contains("holds no IPTC") })
            }
            #expect(tags["ExifIFD:FNumber"] == "2.8" && tags["XMP-dc:Subject"] == "boat")
        }

        @Test func whatIsSetComesAfterWhatIsDropped() throws {
            let keys = "\"metadata\": \"strip\", \"set\": {\"Copyright\": \"mine\"}"
            for output in Self.outputs {
                try shop.run(marking(keys: keys), "m.jpg", output: "out/\(output)")
                let tags = try blocks("out/\(output)")
                #expect(tags["IFD0:Copyright"] == "mine" && tags["XMP-dc:Rights"] == "mine", "\(output)")
                #expect(tags["IFD0:Artist"] == nil && tags["XMP-dc:Creator"] == nil, "\(output)")
            }
        }

        @Test func namesThatNobodyKnowsAreTold() throws {
            let outcome = try shop.run(
                marking(keys: "\"set\": {\"exif.FNumber\": \"4\", \"iptc.Nonsense\": \"x\", \"xmp.nowhere:a\": \"y\"}"), "m.jpg",
                output: "out/o.jpg")
            for name in ["FNumber", "Nonsense", "nowhere:a"] {
                #expect(outcome.warnings.contains { $0.contains("\"\(name)\"") }, "\(outcome.warnings)")
            }
            #expect(try shop.tags("out/o.jpg")["ExifIFD:FNumber"] == "2.8")
        }

        @Test func whatAFormatCannotHoldIsNamed() throws {
            let outcome = try shop.run(marking(), "m.jpg", output: "out/o.gif")
            #expect(outcome.warnings.contains("gif holds no EXIF, no XMP, no IPTC: left out"), "\(outcome.warnings)")
        }

        /// A JPEG's metadata changes without a pixel being coded again.
        @Test(arguments: ["\"metadata\": \"rights\"", "\"set\": {\"Artist\": \"me\"}"])
        func metadataAloneDoesNotCostTheSplice(keys: String) throws {
            let outcome = try shop.run(marking(keys: keys), "m.jpg", output: "out/o.jpg")
            #expect(outcome.mode?.hasPrefix("splice") == true, "\(outcome.mode ?? "")")
            let (source, output) = (try Result(shop, "m.jpg"), try Result(shop, "out/o.jpg"))
            #expect(try source.at(100, 100) == output.at(100, 100))
            #expect(try output.at(45, 35).isNear([255, 255, 255], 6))
        }

        @Test(arguments: ["", "\"set\": {\"Artist\": \"me\"}", "\"jpeg\": \"reencode\"", "\"metadata\": \"no-location\""])
        func aThumbnailIsNeverLeftWithoutTheLabel(keys: String) throws {
            #expect(try shop.tags("m.jpg")["IFD1:ThumbnailLength"] != nil)
            for output in Self.outputs {
                let outcome = try shop.run(marking(keys: keys), "m.jpg", output: "out/\(output)")
                #expect(try shop.tags("out/\(output)")["IFD1:ThumbnailLength"] == nil, "\(output)")
                #expect(outcome.warnings.contains { $0.contains("thumbnail") }, "\(output): \(outcome.warnings)")
            }
        }
    }
}
