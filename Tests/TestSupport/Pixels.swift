import Glibc
import Labelpipe
import LabelpipeDrawing
import LabelpipeEngine
import LabelpipeKit
@_exported public import LabelpipeLaws
import Vips

extension Pixels {
    /// Reads a file as RGBA.
    public init(file: String) throws {
        try VipsRuntime.start()
        let opened = try PictureFile(path: Array(file.utf8))
        var image = try opened.image.colourspace(.srgb)
        if !image.hasAlpha { image = try image.joiningBands(constants: [255]) }
        try self.init(image)
    }
}

/// Draws documents in the test's own process.
public enum Draw {
    /// Texts are set in the tests' own fonts, whatever the machine has: before the first one is drawn in a process.
    public static func prepare() throws {
        _ = fonts
        try VipsRuntime.start()
    }

    /// Once: whoever starts a program beside it reads the environment without a lock.
    private static let fonts = setenv("FONTCONFIG_FILE", beside(#filePath, "../Fixtures/fonts/fonts.conf"), 1)

    /// The first output of a document as pixels.
    public static func document(
        _ bytes: [UInt8], name: String = "document.json", folder: String = ".", set: [String: String] = [:],
        scale: Double = 1, on picture: Picture? = nil
    ) throws -> Pixels {
        try prepare()
        let pipeline = try Pipeline(bytes: bytes, name: name, folder: folder, registry: Registry.bundled())
        let plan = try pipeline.plan(set.mapValues { .written($0) }, scale: scale)
        let base = picture.map {
            Context.Base(width: Double($0.width), height: Double($0.height), resolution: $0.resolution)
        }
        let results = try Executor(plan).run(
            Executor.Job(base: base) { _ in
                guard let picture else { throw DrawingError("no-input", "this test has no picture") }
                return picture
            })
        return try Pixels(results[0].layer.image().image)
    }

    public static func document(_ text: String, set: [String: String] = [:], on picture: Picture? = nil) throws -> Pixels {
        try document(Array(text.utf8), set: set, on: picture)
    }
}

/// The file beside a test's source.
public func beside(_ source: String, _ path: String) -> String {
    String(source[..<(source.lastIndex(of: "/") ?? source.startIndex)]) + "/" + path
}

public func readFile(_ path: String) throws -> [UInt8] { try SmallFile.read(path, limit: 1 << 26) }

/// The names in a folder, sorted.
public func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}
