import Glibc
import Testing
import Vips

/// All tests of this target, one after another: libvips' error buffer is one for the process.
@Suite(.serialized) struct VipsTests {}

/// A file without a name.
final class UnnamedFile {
    let descriptor: Int32

    init(_ bytes: [UInt8] = []) throws {
        var name = Array("/tmp/labelpipe-vips-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        try #require(descriptor >= 0)
        unlink(name)
        var done = 0
        while done < bytes.count {
            let wrote = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            try #require(wrote > 0)
            done += wrote
        }
    }

    deinit { close(descriptor) }

    func bytes() throws -> [UInt8] {
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        return try FileBytes(descriptor: descriptor).read(at: 0, count: Int(status.st_size))
    }
}

/// A folder that is removed afterwards.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/labelpipe-vips-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
        path = String(cString: try #require(made))
    }

    deinit {
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { _ = unlinkat(dirfd(folder), $0, 0) }
            }
        }
        closedir(folder)
        rmdir(path)
    }

    func write(_ bytes: [UInt8], to name: [UInt8]) throws -> [UInt8] {
        let full = Array(path.utf8) + [UInt8(ascii: "/")] + name
        let descriptor = (full + [0]).withUnsafeBytes {
            open($0.baseAddress!.assumingMemoryBound(to: CChar.self), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var done = 0
        while done < bytes.count {
            let wrote = bytes[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            try #require(wrote > 0)
            done += wrote
        }
        return full
    }
}

extension Image {
    func saved(_ options: SaveOptions) throws -> [UInt8] {
        let file = try UnnamedFile()
        try Saver.save(self, to: file.descriptor, options)
        return try file.bytes()
    }

    /// A picture in which every pixel differs from its neighbours, smooth enough for lossy coders.
    static func sample(
        _ width: Int, _ height: Int, bands: Int = 3, format: PixelFormat = .uchar, interpretation: Interpretation = .srgb
    ) throws -> Image {
        try generated(width: width, height: height, bands: bands, format: format, interpretation: interpretation) { pixels in
            for y in 0..<pixels.box.height {
                for x in 0..<pixels.box.width * bands {
                    let value =
                        (pixels.box.left * bands + x) * 3 / bands + (pixels.box.top + y) * 2 + x % bands * 40
                    switch format {
                    case .uchar: pixels.row(y, as: UInt8.self)[x] = UInt8(clamping: abs((value & 511) - 256))
                    case .ushort: pixels.row(y, as: UInt16.self)[x] = UInt16(truncatingIfNeeded: value &* 157)
                    case .float: pixels.row(y, as: Float.self)[x] = Float(value) / 1024
                    default: throw VipsError(operation: "sample", message: "no \(format) here")
                    }
                }
            }
        }
    }

    static func opened(_ bytes: [UInt8], _ change: (inout LoadOptions) -> Void = { _ in }) throws -> PictureFile {
        let file = try UnnamedFile(bytes)
        var options = LoadOptions()
        change(&options)
        return try PictureFile(descriptor: file.descriptor, options: options)
    }
}

/// The largest difference of two lists of bytes of one length.
func largestDifference(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a.count == b.count ? zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 0 : .max
}
