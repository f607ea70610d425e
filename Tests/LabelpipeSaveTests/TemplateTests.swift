import Glibc
import Testing
import Vips

extension SaveTests {
    /// Fields of templates, as they end up in a path and in another picture's metadata.
    @Suite struct Templates {
        let shop: Workshop

        init() throws {
            shop = try Workshop()
            for (name, bytes) in try Self.files.get() { try shop.write(name, bytes) }
        }

        static let inputs = ["a.jpg", "a.png", "a.tif", "a.webp"]

        private static let files = once { try made() }

        private static func made() throws -> [String: [UInt8]] {
            let shop = try Workshop()
            for (name, options) in zip(inputs, [SaveOptions.jpeg(), .png(), .tiff(), .webp()]) {
                try shop.save(try .plain(80, 60, [200, 100, 50]), name, options)
                // Without IPTC where the format has no place for it.
                try shop.tag(
                    name,
                    [
                        "-EXIF:Artist=Zoë Émile", "-EXIF:FNumber=2.8", "-EXIF:ExposureTime=0.004", "-EXIF:ISO=400",
                        "-EXIF:DateTimeOriginal=2024:05:06 07:08:09", "-EXIF:UserComment=a comment", "-XMP-dc:Creator=Ann",
                        "-XMP-dc:Creator=Bob", "-XMP-dc:Title=Boats", "-XMP-photoshop:DateCreated=2023:04:05",
                        "-XMP-xmp:Rating=4",
                    ]
                        + (name == "a.webp"
                            ? []
                            : [
                                "-IPTC:CodedCharacterSet=UTF8", "-IPTC:By-line=Änne", "-IPTC:City=Zürich", "-IPTC:Keywords=one",
                                "-IPTC:Keywords=two", "-IPTC:DateCreated=2022:03:04",
                            ]))
            }
            return try Dictionary(uniqueKeysWithValues: inputs.map { ($0, try shop.bytes($0)) })
        }

        private static func description(_ template: String) -> String {
            let escaped = template.replacing("\"", with: "\\\"")
            return "\"metadata\": \"strip\", \"set\": {\"xmp.dc:description\": \"\(escaped)\"}"
        }

        /// What a template gives for a picture: the description that the output is given.
        private func text(_ template: String, _ input: String) throws -> String? {
            try shop.run(marking(keys: Self.description(template)), input, output: "out/text.png")
            return try shop.tags("out/text.png")["XMP-dc:Description"]
        }

        /// What each template gives for each picture.
        private func texts(_ templates: [String], _ inputs: [String]) throws -> [[String?]] {
            let outputs = templates.enumerated().map { "\"path\": \"{stem}-\($0).png\", " + Self.description($1) }
            let stems = inputs.map { $0.replacing(".", with: "") }
            for (stem, input) in zip(stems, inputs) {
                try shop.write("\(stem).\(input.split(separator: ".")[1])", try shop.bytes(input))
            }
            try shop.run(
                marking(all: outputs), all: zip(stems, inputs).map { "\($0).\($1.split(separator: ".")[1])" }, output: "out/")
            let names = stems.flatMap { stem in templates.indices.map { "out/\(stem)-\($0).png" } }
            let found = try shop.tags(all: names).map { $0["XMP-dc:Description"] }
            return stems.indices.map { Array(found[($0 * templates.count)..<(($0 + 1) * templates.count)]) }
        }

        @Test func metadata() throws {
            let fields = [
                ("{exif.Artist}", "Zoë Émile"), ("{exif.FNumber}", "2.8"), ("{exif.ExposureTime}", "1/250"),
                ("{exif.ISOSpeedRatings}", "400"), ("{exif.DateTimeOriginal:%d.%m.%Y %H:%M}", "06.05.2024 07:08"),
                ("{exif.UserComment}", "a comment"), ("{xmp.dc:creator}", "Ann"), ("{xmp.dc:title}", "Boats"),
                ("{xmp.photoshop:DateCreated:%Y}", "2023"), ("{xmp.xmp:Rating}", "4"),
                ("{exif.Model|xmp.dc:subject|iptc.Headline|\"none\"}", "none"),
                ("{exif.Model|xmp.dc:creator|exif.Artist}", "Ann"), ("{{{width}x{height}}}", "{80x60}"), ("{page}", "1"),
            ]
            for (input, texts) in zip(Self.inputs, try texts(fields.map(\.0), Self.inputs)) {
                for ((field, expected), text) in zip(fields, texts) { #expect(text == expected, "\(input) \(field)") }
            }
        }

        @Test func iptc() throws {
            let fields = [
                ("{iptc.Byline}", "Änne"), ("{iptc.By-line}", "Änne"), ("{iptc.City}", "Zürich"), ("{iptc.Keywords}", "one"),
                ("{iptc.DateCreated:%Y-%m-%d}", "2022-03-04"),
            ]
            let inputs = ["a.jpg", "a.png", "a.tif"]
            for (input, texts) in zip(inputs, try texts(fields.map(\.0), inputs)) {
                for ((field, expected), text) in zip(fields, texts) { #expect(text == expected, "\(input) \(field)") }
            }
        }

        @Test func aFieldThatIsMissingIsAnErrorOrEmpty() throws {
            let document = marking(keys: "\"set\": {\"Copyright\": \"© {exif.Model}!\"}")
            let outcome = try shop.run(document, "a.jpg", output: "out/m.jpg", expecting: 1)
            #expect(outcome.pictures.first?["code"]?.string == "missing-field")
            #expect(!shop.exists("out/m.jpg"))
            try shop.run(document, "a.jpg", output: "out/m.jpg", flags: ["--missing-field", "empty"])
            #expect(try shop.tags("out/m.jpg")["IFD0:Copyright"] == "© !")
        }

        /// Whatever metadata says, a path stays below the folder, and its text is never a template itself.
        @Test(arguments: [
            "../../../../tmp/evil", "/etc/evil", "..", "a/../../b", "{name}", "x\u{1}y\nz", String(repeating: "é", count: 400),
        ])
        func hostileMetadataStaysBelowTheFolder(artist: String) throws {
            try shop.tag("a.jpg", ["-XMP-dc:Rights=\(artist)"])
            // A text that leaves no name at all is replaced by the next.
            try shop.run(
                marking(keys: "\"path\": \"deep/{xmp.dc:rights|\\\"none\\\"}.jpg\""), "a.jpg", output: "out/")
            let found = try Tool("find", [shop.folder, "-name", "*.jpg", "-newer", shop.path("document.json")])
            let lines = String(decoding: found.output, as: UTF8.self).split(separator: "\n").map(String.init)
            #expect(lines.count == 1 && lines[0].hasPrefix(shop.path("out/deep/")), "\(lines)")
            if artist == "{name}" { #expect(lines == [shop.path("out/deep/{name}.jpg")]) }
        }

        @Test func numbersAreThoseOfTheInputsOrderWhateverTheWorkers() throws {
            for number in 1...9 { try shop.save(try .plain(16, 12, [Double(number), 0, 0]), "n\(number).png", .png()) }
            let document = marking(
                x: 2, y: 2, width: 4, height: 4, keys: "\"path\": \"{index:03}-of-{count}-{stem}.png\"")
            for jobs in ["1", "4"] {
                let folder = "out\(jobs)"
                var arguments = (1...9).map { "n\($0).png" }
                arguments.swapAt(0, 8)
                try shop.write("list", Array(arguments.map { shop.path($0) }.joined(separator: "\n").utf8))
                try shop.run(document, output: folder + "/", flags: ["--from", shop.path("list"), "--jobs", jobs])
                for (index, name) in arguments.enumerated() {
                    #expect(shop.exists("\(folder)/00\(index + 1)-of-9-\(name)"), "\(name)")
                }
            }
        }

        @Test func theDateIsTheRunsStart() throws {
            shop.environment = ["SOURCE_DATE_EPOCH": "1700000000", "TZ": "Asia/Tokyo"]
            #expect(try text("{date:%Y-%m-%d %H:%M:%S}", "a.jpg") == "2023-11-15 07:13:20")
            #expect(try text("{date:%B}", "a.jpg") == "November")
        }
    }
}
