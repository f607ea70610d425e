import Glibc
import Testing
import Vips

extension VipsTests {
    /// Files that end early, or cannot be written to the end.
    @Suite struct Damage {
        static let formats: [SaveOptions] = {
            var progressive = JPEGSaveOptions()
            progressive.isInterlaced = true
            var interlaced = PNGSaveOptions()
            interlaced.isInterlaced = true
            var tiles = TIFFSaveOptions()
            tiles.tile = (width: 64, height: 64)
            return [
                .jpeg(), .jpeg(progressive), .png(), .png(interlaced), .webp(), .gif(), .tiff(), .tiff(tiles), .avif(), .heic(),
            ]
        }()

        @Test(arguments: formats) func truncatedFilesAreRefused(_ options: SaveOptions) throws {
            try #require(Saver.exists(options.format))
            let whole = try Image.sample(400, 300).saved(options)
            var accepted: [Int] = []
            for round in 0..<60 {
                // The last one lacks one byte: all pixels are there.
                let length = 40 + (whole.count - 1 - 40) * round / 59
                do {
                    let file = try Image.opened(Array(whole.prefix(length)))
                    let drawn = try file.image.drawing(over: [PixelBox(left: 0, top: 280, width: 9, height: 9)]) { _ in }
                    _ = try drawn.saved(.jpeg())
                    try file.finish()
                    accepted.append(length)
                } catch {}
            }
            #expect(accepted == [], "of \(whole.count) bytes, \(options.format)")
            #expect(ErrorBuffer.takeText() == "")
        }

        static let oddities: [(String, isRefused: Bool, @Sendable ([UInt8]) -> [UInt8])] = {
            @Sendable func inserting(_ bytes: [UInt8], before mark: [UInt8]) -> @Sendable ([UInt8]) -> [UInt8] {
                { file in
                    guard let place = file.firstRange(of: mark) else { return [] }
                    return file[..<place.lowerBound] + bytes + file[place.lowerBound...]
                }
            }
            @Sendable func garbage(_ file: [UInt8]) -> [UInt8] {
                var file = file
                for index in file.count / 2..<file.count / 2 + 600 { file[index] = 0x55 }
                return file
            }
            let revision: [UInt8] = [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [2, 1, 1, 0, 1, 0, 1, 0, 0]
            let transform: [UInt8] = [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 7]
            @Sendable func emptySpectrum(_ file: [UInt8]) -> [UInt8] {
                var file = file
                if let scan = file.firstRange(of: [0xFF, 0xDA]) { file[scan.lowerBound + 12] = 0 }
                return file
            }
            return [
                ("as it is", false, { $0 }), ("a trailer", false, { $0 + [1, 2, 3] }),
                ("garbage in the middle", true, garbage),
                ("a hole", true, { Array($0.prefix($0.count / 2) + $0.suffix($0.count / 3)) }),
                ("zeros instead of the end", true, { $0.dropLast(4000) + [UInt8](repeating: 0, count: 4000) }),
                ("an unknown revision of JFIF", false, inserting(revision, before: [0xFF, 0xE1])),
                ("an unknown transform", false, inserting(transform, before: [0xFF, 0xE1])),
                ("bytes between markers", false, inserting([0, 0, 0], before: [0xFF, 0xDA])),
                ("bytes before the end", false, { $0.dropLast(2) + [0, 0, 0, 0, 0xFF, 0xD9] }),
                ("a scan of no coefficients", false, emptySpectrum),
                ("an unknown transform and garbage", true, { garbage(inserting(transform, before: [0xFF, 0xE1])($0)) }),
                (
                    "an unknown transform and a hole", true,
                    {
                        let file = inserting(transform, before: [0xFF, 0xE1])($0)
                        return Array(file.prefix(file.count / 2) + file.suffix(file.count / 3))
                    }
                ),
            ]
        }()

        /// Faults of a header are let pass, faults of the pixels are not, not even behind one of a header.
        @Test(arguments: oddities.indices) func oddJPEGs(_ index: Int) throws {
            let (name, isRefused, change) = Damage.oddities[index]
            let bytes = change(try Image.sample(400, 300).saved(.jpeg()))
            try #require(!bytes.isEmpty)
            var verdict: (any Error)?
            do {
                let file = try Image.opened(bytes)
                _ = try file.image.saved(.png())
                try file.finish()
            } catch { verdict = error }
            #expect((verdict != nil) == isRefused, "\(name): \(String(describing: verdict))")
            #expect(ErrorBuffer.takeText() == "")
        }

        @Test func tolerantOpensWhatThereIs() throws {
            let image = try Image.sample(400, 300)
            let whole = try image.saved(.jpeg())
            let file = try Image.opened(Array(whole.prefix(whole.count * 2 / 3))) { $0.isTolerant = true }
            let target = try UnnamedFile()
            let texts = try Saver.save(file.image, to: target.descriptor, .png(), isTolerant: true)
            let warnings = try texts + file.finish() + VipsRuntime.takeWarnings()
            #expect(!warnings.isEmpty)
            let bytes = try Image.opened(try target.bytes()).image.writeToMemory()
            #expect(
                largestDifference(Array(bytes.prefix(400 * 3 * 100)), Array(try image.writeToMemory().prefix(400 * 3 * 100)))
                    <= 24)
        }

        @Test(arguments: [SaveOptions.jpeg(), .png(), .webp(), .tiff(), .gif(), .avif(), .ppm])
        func aFullDiskIsAnError(_ options: SaveOptions) throws {
            let full = open("/dev/full", O_RDWR)
            try #require(full >= 0)
            defer { close(full) }
            // A small file too: it fits into libvips' buffer, and the error comes with the last flush.
            for width in [16, 800] {
                let image = try Image.sample(width, 16)
                let error = try #require(throws: VipsError.self) { try Saver.save(image, to: full, options) }
                #expect(error.isOutOfSpace, "\(error)")
            }
            #expect(ErrorBuffer.takeText() == "")
        }

        @Test func aDescriptorThatCannotBeWrittenIsAnError() throws {
            let readOnly = open("/dev/null", O_RDONLY)
            defer { close(readOnly) }
            for options in [SaveOptions.jpeg(), .png(), .tiff()] {
                #expect(throws: VipsError.self) { try Saver.save(try Image.sample(8, 8), to: readOnly, options) }
            }
        }

        @Test func nothingStaysOpenAfterFailures() throws {
            func descriptors() throws -> Int {
                let folder = try #require(opendir("/proc/self/fd"))
                defer { closedir(folder) }
                var count = 0
                while readdir(folder) != nil { count += 1 }
                return count
            }
            let whole = try Image.sample(100, 100).saved(.jpeg())
            let before = try descriptors()
            let objects = VipsRuntime.liveObjectCount
            for index in 0..<200 {
                let file = try? Image.opened(Array(whole.prefix(whole.count * (index % 10 + 1) / 10)))
                _ = try? file?.image.saved(.png())
            }
            #expect(try descriptors() == before)
            #expect(VipsRuntime.liveObjectCount == objects, "\(VipsRuntime.liveObjects())")
        }
    }
}
