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
            for (name, bytes) in try Self.files.get() { try shop.write(name, bytes) }
        }

        /// Made once: exiftool takes its time to start.
        private static let files = once { try made() }

        private static func made() throws -> [String: [UInt8]] {
            let shop = try Workshop()
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
            return try Dictionary(
                uniqueKeysWithValues: ["thumbnail.jpg", "m.jpg", "m.png", "m.tif", "m.webp"].map { ($0, try shop.bytes($0)) })
        }

        private func holdsIPTC(_ name: String) -> Bool { ["jpg", "png", "tif"].contains(String(name.suffix(3))) }

        /// What a document does about metadata.
        enum Policy: String, CaseIterable {
            case keep, strip, rights, noLocation, setRights

            var keys: String {
                switch self {
                case .keep: ""
                case .strip: "\"metadata\": \"strip\""
                case .rights: "\"metadata\": \"rights\""
                case .noLocation: "\"metadata\": \"no-location\""
                // EXIF, IPTC and XMP say the same, in any language.
                case .setRights:
                    """
                    "set": {"Copyright": "© {date:%Y} 写真", "Artist": "Łukasz", "Credit": "Crédit", "Description": "«ß»",
                    "iptc.Headline": "Ü", "exif.Software": "none", "xmp.xmpRights:UsageTerms": "no AI"}
                    """
                }
            }
        }

        /// What came of all sources by all policies in all formats.
        struct Marked {
            /// By source, and by output as in `all`.
            var tags: [String: [String: String]] = [:]
            var warnings: [String: [String]] = [:]
            var bytes: [String: [UInt8]] = [:]
        }

        private static let marked = once { try mark() }

        /// In a run a policy, and one call of exiftool.
        private static func mark() throws -> Marked {
            let shop = try Workshop()
            for (name, bytes) in try files.get() { try shop.write(name, bytes) }
            try shop.save(try .plain(2, 2, [0, 0, 0]), "layout.tif", .tiff())
            // Paths are made of stems.
            let inputs = sources.map { "from-\($0.dropFirst(2)).\($0.dropFirst(2))" }
            for (source, input) in zip(sources, inputs) { try shop.write(input, try shop.bytes(source)) }
            var marked = Marked()
            var names = sources + ["layout.tif"]
            for policy in Policy.allCases {
                let keys = outputs.map { output in
                    let path = "\"path\": \"\(policy)/{stem}/\(output)\""
                    return policy.keys.isEmpty ? path : path + ", " + policy.keys
                }
                let outcome = try shop.run(marking(all: keys), all: inputs, output: "out/", flags: ["--jobs", "2"])
                for picture in outcome.pictures {
                    guard let input = picture["input"]?.string,
                        let source = sources.first(where: { input.hasSuffix($0.dropFirst(2)) })
                    else {
                        continue
                    }
                    marked.warnings["\(policy)/\(source)"] = Workshop.Outcome.told(of: picture)
                }
                for source in sources {
                    for output in outputs {
                        let name = "out/\(policy)/from-\(source.dropFirst(2))/\(output)"
                        names.append(name)
                        marked.bytes[Metadata.key(policy, source, output)] = try shop.bytes(name)
                    }
                }
            }
            let keys =
                sources + ["layout.tif"]
                + Policy.allCases.flatMap { policy in
                    sources.flatMap { source in outputs.map { Metadata.key(policy, source, $0) } }
                }
            for (key, tags) in zip(keys, try shop.tags(all: names)) { marked.tags[key] = tags }
            return marked
        }

        private static func key(_ policy: Policy, _ source: String, _ output: String) -> String {
            "\(policy)/\(source)/\(output)"
        }

        private func tags(_ key: String) throws -> [String: String] { try #require(try Self.marked.get().tags[key]) }

        private func warnings(_ policy: Policy, _ source: String) throws -> [String] {
            try #require(try Self.marked.get().warnings["\(policy)/\(source)"])
        }

        /// The tags of blocks, without what describes the file itself.
        private static func blocks(_ tags: [String: String]) -> [String: String] {
            tags.filter { key, _ in
                let group = key.split(separator: ":")[0]
                return ["IFD0", "ExifIFD", "GPS", "IPTC"].contains(group) || group.hasPrefix("XMP-")
            }
        }

        /// Tags that a format's own structure has, or that say how a file was made.
        private static let structural: Set<String> = [
            "IFD0:Orientation", "IFD0:ResolutionUnit", "IFD0:XResolution", "IFD0:YResolution", "IFD0:YCbCrPositioning",
            "ExifIFD:ComponentsConfiguration", "XMP-x:XMPToolkit", "IPTC:ApplicationRecordVersion", "ExifIFD:ColorSpace",
            "ExifIFD:ExifVersion", "ExifIFD:FlashpixVersion", "IPTC:CodedCharacterSet", "IFD0:ExifOffset",
            "IPTC:EnvelopeRecordVersion",
            "ExifIFD:ExifImageWidth", "ExifIFD:ExifImageHeight", "GPS:GPSVersionID",
        ]

        private func told(_ key: String) throws -> [String: String] {
            let all = try tags(key)
            var told = Self.blocks(all).filter { !Self.structural.contains($0.key) }
            // A TIFF's own directory says the picture's size and layout.
            let layout = key.hasSuffix("tif") ? all : try tags("layout.tif")
            for key in layout.keys where key.hasPrefix("IFD0:") && Self.layoutTags.contains(String(key.dropFirst(5))) {
                told[key] = nil
            }
            return told
        }

        private static let layoutTags: Set<String> = [
            "SubfileType", "ImageWidth", "ImageHeight", "BitsPerSample", "Compression", "PhotometricInterpretation",
            "StripOffsets",
            "SamplesPerPixel", "RowsPerStrip", "StripByteCounts", "PlanarConfiguration", "SampleFormat", "Predictor",
        ]

        @Test(arguments: sources, outputs) func keep(source: String, output: String) throws {
            var expected = try told(source)
            if !holdsIPTC(output) {
                if holdsIPTC(source) {
                    let format = output.suffix(output.count - 2)
                    #expect(try warnings(.keep, source).contains { $0.contains("\(format) holds no IPTC") })
                }
                expected = expected.filter { !$0.key.hasPrefix("IPTC") }
            }
            let kept = try told(Self.key(.keep, source, output))
            #expect(
                kept == expected, "\(kept.filter { expected[$0.key] != $0.value }) \(expected.filter { kept[$0.key] == nil })")
            #expect(kept["GPS:GPSLatitude"] != nil && kept["XMP-dc:Subject"] == "boat")
        }

        @Test(arguments: sources, outputs) func strip(source: String, output: String) throws {
            #expect(try told(Self.key(.strip, source, output)) == [:])
        }

        @Test(arguments: sources, outputs) func rights(source: String, output: String) throws {
            let wanted: Set<String> = [
                "IFD0:Artist", "IFD0:Copyright", "XMP-dc:Creator", "XMP-dc:Rights", "XMP-photoshop:Credit", "IPTC:By-line",
                "IPTC:CopyrightNotice", "IPTC:Credit",
            ]
            #expect(
                try told(Self.key(.rights, source, output))
                    == told(source).filter { wanted.contains($0.key) && (holdsIPTC(output) || !$0.key.hasPrefix("IPTC")) })
        }

        @Test(arguments: sources, outputs) func noLocation(source: String, output: String) throws {
            let expected = try told(source).filter { !$0.key.contains("GPS") && (holdsIPTC(output) || !$0.key.hasPrefix("IPTC")) }
            let key = Self.key(.noLocation, source, output)
            #expect(try told(key) == expected)
            // Nothing of it is left between what is.
            let bytes = try #require(try Self.marked.get().bytes[key])
            #expect(bytes.firstRange(of: Array("GPSLatitude".utf8)) == nil)
        }

        @Test(arguments: sources, outputs) func setRights(source: String, output: String) throws {
            let tags = try tags(Self.key(.setRights, source, output))
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
                let format = output.suffix(output.count - 2)
                #expect(try warnings(.setRights, source).contains { $0.contains("\(format) holds no IPTC") })
            }
            #expect(tags["ExifIFD:FNumber"] == "2.8" && tags["XMP-dc:Subject"] == "boat")
        }

        @Test func whatIsSetComesAfterWhatIsDropped() throws {
            let keys = Self.outputs.map { "\"path\": \"\($0)\", \"metadata\": \"strip\", \"set\": {\"Copyright\": \"mine\"}" }
            try shop.run(marking(all: keys), "m.jpg", output: "out/")
            for (output, tags) in zip(Self.outputs, try shop.tags(all: Self.outputs.map { "out/\($0)" })) {
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

        /// Photo agencies write rights into IPTC alone.
        @Test(arguments: ["o.webp", "o.avif"]) func rightsThatOnlyIPTCHasAreKept(output: String) throws {
            try shop.save(try .plain(60, 40, [200, 100, 50]), "agency.jpg", .jpeg())
            try shop.tag(
                "agency.jpg",
                [
                    "-CodedCharacterSet=UTF8", "-IPTC:By-line=Zoë", "-IPTC:CopyrightNotice=© Zoë", "-IPTC:Credit=AP",
                    "-IPTC:Caption-Abstract=Boats",
                ])
            for keys in ["\"metadata\": \"rights\"", "\"metadata\": \"keep\""] {
                let outcome = try shop.run(marking(keys: keys), "agency.jpg", output: "out/\(output)", flags: ["--overwrite"])
                let tags = try shop.tags("out/\(output)")
                #expect(tags["XMP-dc:Rights"] == "© Zoë" && tags["XMP-dc:Creator"] == "Zoë", "\(tags)")
                #expect(tags["XMP-photoshop:Credit"] == "AP")
                let isAll = keys.contains("rights")
                #expect(tags["XMP-dc:Description"] == (isAll ? nil : "Boats"))
                #expect(outcome.warnings.contains { $0.contains("are in the XMP") } == !isAll, "\(outcome.warnings)")
                #expect(!isAll || outcome.warnings.isEmpty, "\(outcome.warnings)")
            }
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

        @Test func aThumbnailIsNeverLeftWithoutTheLabel() throws {
            #expect(try shop.tags("m.jpg")["IFD1:ThumbnailLength"] != nil)
            for keys in ["", "\"set\": {\"Artist\": \"me\"}", "\"jpeg\": \"reencode\"", "\"metadata\": \"no-location\""] {
                let outputs = Self.outputs.map { "\"path\": \"\($0)\"" + (keys.isEmpty ? "" : ", " + keys) }
                try shop.run(marking(all: outputs), "m.jpg", output: "out/")
                for (output, tags) in zip(Self.outputs, try shop.tags(all: Self.outputs.map { "out/\($0)" })) {
                    // A JPEG that is spliced keeps its own, with the label.
                    let isRenewed = keys.isEmpty && output == "o.jpg"
                    #expect((tags["IFD1:ThumbnailLength"] != nil) == isRenewed, "\(keys) \(output)")
                }
                if keys.isEmpty {
                    let found = try Tool("exiftool", ["-b", "-ThumbnailImage", shop.path("out/o.jpg")]).output
                    try shop.write("found.jpg", found)
                    let (old, new) = (try Result(shop, "thumbnail.jpg"), try Result(shop, "found.jpg"))
                    #expect(new.image.width == 40 && new.image.height == 30)
                    // The label is 5 px wide there, and two and a half high.
                    #expect(try new.at(12, 8).allSatisfy { $0 > 180 })
                    #expect(try new.at(30, 25) == old.at(30, 25))
                }
            }
            for output in Self.outputs {
                let warnings = try shop.run(marking(), "m.jpg", output: "out/\(output)").warnings
                #expect(warnings.contains { $0.contains("thumbnail") }, "\(output): \(warnings)")
            }
        }
    }
}
