import Glibc
import Testing
import Vips

extension VipsTests {
    @Suite struct CoderMemory {
        static let all: [SaveOptions] = {
            var progressive = JPEGSaveOptions()
            progressive.isInterlaced = true
            var sampled = progressive
            sampled.subsampling = .on
            var interlaced = PNGSaveOptions()
            interlaced.isInterlaced = true
            interlaced.compression = 1
            var lossless = WebPSaveOptions()
            lossless.isLossless = true
            lossless.effort = 0
            var webp = WebPSaveOptions()
            webp.effort = 0
            var fast = HEIFSaveOptions()
            fast.effort = 0
            var pyramid = TIFFSaveOptions()
            pyramid.tile = (width: 256, height: 256)
            pyramid.isPyramid = true
            var gif = GIFSaveOptions()
            gif.effort = 1
            var jxl = JXLSaveOptions()
            jxl.effort = 3
            return [
                .jpeg(), .jpeg(progressive), .jpeg(sampled), .png(interlaced), .webp(webp), .webp(lossless), .tiff(),
                .tiff(pyramid), .gif(gif), .avif(fast), .heic(fast), .jxl(jxl), .ppm,
            ]
        }()

        @Test(arguments: all) func coversWhatCodersNeed(_ options: SaveOptions) throws {
            let image = try Image.sample(1600, 1000)
            let target = try UnnamedFile()
            var before = try PeakMemory.restart()
            try Saver.save(image, to: target.descriptor, options)
            let encoding = try PeakMemory.read() - before
            #expect(encoding <= options.encoderMemory(of: image), "\(options.format): encoding took \(encoding) bytes")
            before = try PeakMemory.restart()
            let file = try Image.opened(try target.bytes()) { $0.allowed = [.jxl, .ppm] }
            try file.image.sinkDiscard()
            let decoding = try PeakMemory.read() - before
            #expect(decoding <= file.decoderMemory + 2 * file.size, "\(options.format): decoding took \(decoding) bytes")
        }
    }
}

/// The most memory that this process has had since a moment.
enum PeakMemory {
    /// **Units**: bytes, the memory in use now.
    static func restart() throws -> Int {
        let reset = open("/proc/self/clear_refs", O_WRONLY)
        try #require(reset >= 0)
        defer { close(reset) }
        try #require(write(reset, "5", 1) == 1)
        return try status("VmRSS")
    }

    static func read() throws -> Int { try status("VmHWM") }

    private static func status(_ name: String) throws -> Int {
        let descriptor = open("/proc/self/status", O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let text = String(decoding: try FileBytes(descriptor: descriptor).read(at: 0, count: 4096), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name) })
        return 1024 * (try #require(Int(line.split(whereSeparator: { !$0.isNumber }).first ?? "")))
    }
}
