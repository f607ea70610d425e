import Glibc
import LabelpipePreview
import Testing
import Vips

@Suite("Small copies") struct ThumbnailTests {
    init() throws { try VipsRuntime.start(concurrency: 1) }

    private func file() -> Int32 {
        var template = Array("/tmp/labelpipe-test-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        unlink(template)
        return descriptor
    }

    private func copy(of image: Image, _ options: SaveOptions) throws -> Image {
        let (source, target) = (file(), file())
        defer {
            close(source)
            close(target)
        }
        try Saver.save(image, to: source, options)
        try Thumbnail.make(of: source, path: Array("x".utf8), options: LoadOptions(), to: target)
        return try PictureFile(descriptor: target).image.materialised()
    }

    @Test("of any format and depth: at most so large, upright, opaque, sRGB, without metadata")
    func formats() throws {
        let wide = try Image.filled([200, 40, 40], width: 2000, height: 1000, format: .uchar, interpretation: .srgb)
        var turned = try wide.materialised()
        turned = try turned.editingMetadata {
            $0.setOrientation(6)
            $0.set("exif-ifd0-Artist", .string("Ann (Ann, ASCII, 4 components, 4 bytes)"))
        }
        let small = try copy(of: turned, .jpeg(JPEGSaveOptions()))
        #expect(small.width == Thumbnail.side / 2 && small.height == Thumbnail.side)
        #expect(small.orientation == 1 && small.string("exif-ifd0-Artist") == nil)
        let deep = try Image.filled([65535, 0, 0, 0], width: 300, height: 200, format: .ushort, interpretation: .rgb16)
        let opaque = try copy(of: deep, .png(PNGSaveOptions()))
        // Never larger than the picture; what is transparent is white.
        #expect(opaque.width == 300 && opaque.bands == 3 && opaque.format == .uchar)
        #expect(try opaque.read(PixelBox(left: 10, top: 10, width: 1, height: 1)).allSatisfy { $0 > 250 })
        let grey = try Image.filled([90], width: 1024, height: 4096, format: .uchar, interpretation: .bw)
        let narrow = try copy(of: grey, .webp(WebPSaveOptions()))
        #expect(narrow.height == Thumbnail.side && narrow.width == Thumbnail.side / 4)
    }

    @Test("a file that is no picture throws")
    func damaged() {
        let (source, target) = (file(), file())
        defer {
            close(source)
            close(target)
        }
        _ = write(source, "no picture", 10)
        #expect(throws: PictureFileError.self) {
            try Thumbnail.make(of: source, path: [], options: LoadOptions(), to: target)
        }
    }
}
