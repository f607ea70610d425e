import Glibc
import Testing
import Vips

extension VipsTests {
    @Suite struct Files {
        static let lossless: [(SaveOptions, FileKind)] = {
            var webp = WebPSaveOptions()
            webp.isLossless = true
            var jxl = JXLSaveOptions()
            jxl.isLossless = true
            var tiles = TIFFSaveOptions()
            tiles.tile = (width: 64, height: 32)
            tiles.compression = .lzw
            var plain = TIFFSaveOptions()
            plain.compression = .none
            plain.stripHeight = 7
            return [
                (.png(), .png), (.webp(webp), .webp), (.tiff(), .tiff), (.tiff(tiles), .tiff), (.tiff(plain), .tiff),
                (.jxl(jxl), .jxl), (.ppm, .ppm),
            ]
        }()

        @Test(arguments: lossless) func losslessRoundTrips(_ options: SaveOptions, _ kind: FileKind) throws {
            let image = try Image.sample(131, 77)
            let file = try Image.opened(try image.saved(options)) { $0.allowed = [.jxl, .ppm] }
            #expect(file.kind == kind)
            #expect(try file.image.writeToMemory() == image.writeToMemory())
            try file.finish()
        }

        static let lossy: [(SaveOptions, FileKind, Int)] = [
            (.jpeg(), .jpeg, 24), (.webp(), .webp, 60), (.avif(), .avif, 60), (.heic(), .heic, 60), (.gif(), .gif, 60),
        ]

        @Test(arguments: lossy) func lossyRoundTrips(_ options: SaveOptions, _ kind: FileKind, _ most: Int) throws {
            try #require(Saver.exists(options.format))
            let image = try Image.sample(128, 96)
            let file = try Image.opened(try image.saved(options))
            #expect(file.kind == kind)
            #expect(file.image.width == 128 && file.image.height == 96)
            let bytes = try file.image.extractBand(0, count: 3).writeToMemory()
            #expect(largestDifference(bytes, try image.writeToMemory()) <= most)
            try file.finish()
        }

        @Test(arguments: [SaveOptions.png(), .tiff()]) func sixteenBitsStay(_ options: SaveOptions) throws {
            let image = try Image.sample(60, 40, format: .ushort, interpretation: .rgb16)
            let file = try Image.opened(try image.saved(options))
            #expect(file.image.format == .ushort && file.image.interpretation == .rgb16)
            #expect(try file.image.writeToMemory() == image.writeToMemory())
        }

        @Test func cmykStays() throws {
            let image = try Image.sample(64, 64, bands: 4, interpretation: .cmyk)
            #expect(!image.hasAlpha)
            let tiff = try Image.opened(try image.saved(.tiff())).image
            #expect(tiff.interpretation == .cmyk)
            #expect(try tiff.writeToMemory() == image.writeToMemory())
            let jpeg = try Image.opened(try image.saved(.jpeg())).image
            #expect(jpeg.interpretation == .cmyk && jpeg.bands == 4)
            #expect(largestDifference(try jpeg.writeToMemory(), try image.writeToMemory()) <= 24)
        }

        @Test func floatStaysInTIFF() throws {
            let image = try Image.sample(30, 30, bands: 4, format: .float, interpretation: .scrgb)
            let back = try Image.opened(try image.saved(.tiff())).image
            #expect(back.format == .float)
            #expect(try back.writeToMemory() == image.writeToMemory())
        }

        @Test(arguments: [SaveOptions.gif(), .webp()]) func animationsStay(_ options: SaveOptions) throws {
            let frames = try (0..<4).map { index in
                try Image.filled(
                    [Double(60 * index), 255 - Double(60 * index), 128, 255], width: 24, height: 16, format: .uchar,
                    interpretation: .srgb)
            }
            let film = try Image.arrayjoin(frames).editingMetadata {
                $0.set("page-height", .integer(16))
                $0.set("delay", .integers([40, 80, 120, 200]))
                $0.set("loop", .integer(3))
            }
            #expect(film.pageCount == 4)
            let bytes = try film.saved(options)
            let first = try Image.opened(bytes).image
            #expect(first.height == 16 && first.pagesInFile == 4 && first.pageCount == 1)
            let second = try Image.opened(bytes) { $0.pages = .only(1) }.image
            #expect(second.height == 16)
            let all = try Image.opened(bytes) { $0.pages = .all }
            #expect(all.image.height == 64 && all.image.pageHeight == 16 && all.image.pageCount == 4)
            #expect(all.image.integers("delay") == [40, 80, 120, 200])
            #expect(all.image.integer("loop") == 3)
            let drawn = try all.image.drawing(over: [PixelBox(left: 0, top: 16, width: 24, height: 16)]) { pixels in
                for y in 0..<pixels.box.height { pixels.row(y, as: UInt8.self)[0] = 7 }
            }
            let again = try Image.opened(try drawn.saved(options)) { $0.pages = .all }.image
            #expect(again.pageCount == 4 && again.integers("delay") == [40, 80, 120, 200] && again.integer("loop") == 3)
            #expect(throws: PictureFileError.self) {
                try Image.opened(bytes) {
                    $0.pages = .all
                    $0.pageLimit = 3
                }
            }
        }

        @Test func pagesOfATIFFStay() throws {
            let document = try Image.sample(40, 90).setting("page-height", to: .integer(30))
            let bytes = try document.saved(.tiff())
            let all = try Image.opened(bytes) { $0.pages = .all }.image
            #expect(all.pageCount == 3 && all.pageHeight == 30)
            #expect(try all.writeToMemory() == document.writeToMemory())
            let last = try Image.opened(bytes) { $0.pages = .only(2) }.image
            #expect(
                try last.writeToMemory()
                    == document.extractArea(PixelBox(left: 0, top: 60, width: 40, height: 30)).writeToMemory())
        }

        static let names: [[UInt8]] = [
            Array("IMG (1)[Q=1].jpg".utf8), Array("-d.png".utf8), Array("a:b,c=d[page=3]".utf8), Array("line\nbreak.jpg".utf8),
            [0x66, 0xFF, 0xFE, 0x2E, 0x6A, 0x70, 0x67], Array("%s%n.jpg".utf8), Array("  ".utf8), Array("über.JPG".utf8),
            Array("no picture.txt".utf8),
        ]

        @Test(arguments: names) func anyNameIsAName(_ name: [UInt8]) throws {
            let folder = try TemporaryFolder()
            let image = try Image.sample(16, 16)
            let path = try folder.write(try image.saved(.png()), to: name)
            let file = try PictureFile(path: path)
            #expect(file.kind == .png)
            #expect(try file.image.writeToMemory() == image.writeToMemory())
        }

        @Test func whatIsNoPictureHasAReason() throws {
            let folder = try TemporaryFolder()
            func reason(_ bytes: [UInt8], _ name: String = "x.jpg") throws -> String {
                let path = try folder.write(bytes, to: Array(name.utf8))
                return try #require(throws: PictureFileError.self) { try PictureFile(path: path) }.description
            }
            #expect(try reason([]) == "the file is empty")
            #expect(try reason(Array("hello".utf8)) == "is no picture of a known kind")
            #expect(try reason(Array("<svg/>".utf8)) == "svg is only opened on request")
            #expect(try reason(Array("P6\n1 1\n255\nabc".utf8)) == "ppm is only opened on request")
            #expect(try reason(Kinds.tiff([(50706, 1)])) == "is a camera's raw file: develop it first")
            #expect(try reason([0xFF, 0xD8, 0xFF, 0xE0, 0, 0]).hasPrefix("jpegload_source"))
            func missing(_ path: String) throws -> String {
                try #require(throws: PictureFileError.self) { try PictureFile(path: Array(path.utf8)) }.description
            }
            #expect(try missing(folder.path) == "is a folder, not a file")
            #expect(try missing(folder.path + "/none") == "open: No such file or directory")
            #expect(try missing("/dev/null") == "is a device, not a file")
            let pipe = folder.path + "/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            #expect(try missing(pipe) == "is a pipe, not a file")
        }

        @Test func aCallersDescriptorStaysWhereItIs() throws {
            let image = try Image.sample(300, 200)
            let file = try UnnamedFile(try image.saved(.png()))
            try #require(lseek(file.descriptor, 5, SEEK_SET) == 5)
            let first = try PictureFile(descriptor: file.descriptor)
            let second = try PictureFile(descriptor: file.descriptor)
            #expect(try first.image.writeToMemory() == image.writeToMemory())
            #expect(try second.image.writeToMemory() == image.writeToMemory())
            #expect(lseek(file.descriptor, 0, SEEK_CUR) == 5)
        }

        @Test func savingStartsAtTheDescriptorsPosition() throws {
            let file = try UnnamedFile(Array("head".utf8))
            try Saver.save(try Image.sample(8, 8), to: file.descriptor, .png())
            #expect(try file.bytes().starts(with: "head".utf8))
            #expect(FileKind.identify(head: Array(try file.bytes().dropFirst(4))) == .png)
        }

        @Test func limitsHold() throws {
            let bytes = try Image.sample(100, 100).saved(.png())
            let error = try #require(throws: PictureFileError.self) { try Image.opened(bytes) { $0.pixelLimit = 9999 } }
            #expect(error.description == "has 10000 pixels, the limit is 9999")
            _ = try Image.opened(bytes) { $0.pixelLimit = 10000 }
            let svg = Array("<svg xmlns='http://www.w3.org/2000/svg' width='30000' height='30000'/>".utf8)
            #expect(throws: PictureFileError.self) { try Image.opened(svg) { $0.allowed = [.svg] } }
        }

        @Test func svgIsOpenedOnRequestAndReadsNothingElse() throws {
            let folder = try TemporaryFolder()
            _ = try folder.write(
                try Image.filled([255, 0, 0], width: 8, height: 8, format: .uchar, interpretation: .srgb).saved(.png()),
                to: Array("red.png".utf8))
            let svg = """
                <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='8' height='8'>
                <rect width='8' height='8' fill='#0000ff'/><image width='8' height='8' xlink:href='red.png'/></svg>
                """
            let path = try folder.write(Array(svg.utf8), to: Array("logo.svg".utf8))
            var options = LoadOptions()
            options.allowed = [.svg]
            let image = try PictureFile(path: path, options: options).image
            #expect(try image.read(PixelBox(left: 4, top: 4, width: 1, height: 1)) == [0, 0, 255, 255])
        }

        @Test func pdfIsOpenedOnRequestPageByPage() throws {
            let objects = [
                "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 72 36]>>",
                "<</Type/Page/Parent 2 0 R>>", "<</Type/Page/Parent 2 0 R>>",
            ]
            var text = "%PDF-1.4\n"
            var offsets: [Int] = []
            for (index, object) in objects.enumerated() {
                offsets.append(text.utf8.count)
                text += "\(index + 1) 0 obj\(object)endobj\n"
            }
            let start = text.utf8.count
            func padded(_ number: Int) -> String { String(repeating: "0", count: 10 - "\(number)".count) + "\(number)" }
            text += "xref\n0 5\n0000000000 65535 f \n" + offsets.map { "\(padded($0)) 00000 n \n" }.joined()
            text += "trailer<</Size 5/Root 1 0 R>>\nstartxref\n\(start)\n%%EOF"
            let image = try Image.opened(Array(text.utf8)) {
                $0.allowed = [.pdf]
                $0.dotsPerInch = 144
                $0.pages = .only(1)
            }.image
            #expect(image.width == 144 && image.height == 72 && image.pagesInFile == 2)
            #expect(try image.read(PixelBox(left: 0, top: 0, width: 1, height: 1)).starts(with: [255, 255, 255]))
        }

        /// 210 MB of pixels pass through: what is kept does not grow with the picture.
        @Test(arguments: [SaveOptions.png(Files.fast), .tiff(), .tiff(Files.tiled), .jpeg()]) func largePicturesAreNotHeld(
            _ options: SaveOptions
        ) throws {
            let base = try Image.black(width: 10_000, height: 7_000, bands: 3).copy(interpretation: .srgb)
            let source = try UnnamedFile()
            try Saver.save(base, to: source.descriptor, options)
            let file = try PictureFile(descriptor: source.descriptor)
            let drawn = try file.image.drawing(over: [PixelBox(left: 9000, top: 6000, width: 900, height: 900)]) { pixels in
                for y in 0..<pixels.box.height { pixels.row(y, as: UInt8.self)[0] = 200 }
            }
            let target = try UnnamedFile()
            let before = try PeakMemory.restart()
            try Saver.save(drawn, to: target.descriptor, options)
            try file.finish()
            #expect(try PeakMemory.read() - before < 100_000_000)
        }

        static let fast: PNGSaveOptions = {
            var options = PNGSaveOptions()
            options.compression = 1
            return options
        }()

        static let tiled: TIFFSaveOptions = {
            var options = TIFFSaveOptions()
            options.tile = (width: 256, height: 256)
            options.compression = .lzw
            return options
        }()

        @Test func saversThatExistAreKnown() {
            for format in [SaveFormat.jpeg, .png, .webp, .tiff, .gif, .ppm] { #expect(Saver.exists(format)) }
        }

        @Test func valuesOutOfRangeAreRefused() throws {
            var options = JPEGSaveOptions()
            options.quality = 101
            let error = try #require(throws: VipsError.self) { try Image.sample(8, 8).saved(.jpeg(options)) }
            #expect(error.message == "Q: expected a whole number from 1 to 100, got 101")
        }
    }
}
