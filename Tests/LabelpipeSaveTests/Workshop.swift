import Diagnostics
import Glibc
import Testing
import Vips

/// All tests of this target, one after another: each runs the program itself, on real files, and looks at what it wrote.
@Suite(.serialized) struct SaveTests {}

/// A folder of a test's own with the program and the tools that look at its outputs from outside.
final class Workshop {
    let folder: String
    /// What the program's runs find in their environment besides what this process has.
    var environment: [String: String] = [:]

    init() throws {
        var template = Array("/tmp/labelpipe-save-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
        folder = String(cString: try #require(made))
        try VipsRuntime.start()
    }

    deinit { _ = try? Tool("rm", ["-rf", folder]) }

    func path(_ name: String) -> String { name.hasPrefix("/") ? name : "\(folder)/\(name)" }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = fopen(path(name), "w")
        try #require(file != nil, "\(name)")
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        let descriptor = open(path(name), O_RDONLY)
        try #require(descriptor >= 0, "there is no \(name)")
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        return try FileBytes(descriptor: descriptor).read(at: 0, count: Int(status.st_size))
    }

    func exists(_ name: String) -> Bool { access(path(name), F_OK) == 0 }

    /// Saves a picture by libvips.
    func save(_ image: Image, _ name: String, _ options: SaveOptions) throws {
        let descriptor = open(path(name), O_RDWR | O_CREAT | O_TRUNC, 0o644)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try Saver.save(image, to: descriptor, options)
    }

    /// What a run came to.
    struct Outcome {
        let code: Int32
        /// A line a picture.
        let pictures: [JSONValue]
        let errors: String

        var mode: String? { pictures.first?["mode"]?.string }
        /// Notes too.
        var warnings: [String] { pictures.flatMap(Self.told) }

        static func told(of picture: JSONValue) -> [String] {
            ["warnings", "notes"].flatMap { picture[$0]?.elements?.compactMap(\.string) ?? [] }
        }
    }

    /// Runs a document on inputs. One output file in `out` is named, or `out/` for the inputs' own names.
    @discardableResult func run(
        _ document: String, _ inputs: String..., output: String, flags: [String] = [], expecting code: Int32? = 0,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        try run(document, all: inputs, output: output, flags: flags, expecting: code, location)
    }

    /// Many inputs, and perhaps many outputs of each, cost the start of one program.
    @discardableResult func run(
        _ document: String, all inputs: [String], output: String, flags: [String] = [], expecting code: Int32? = 0,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        try write("document.json", Array(document.utf8))
        let program = try #require(getenv("LABELPIPE").map { String(cString: $0) }, "LABELPIPE is not set: Scripts/test does it")
        unlink(path("report"))
        let arguments =
            ["run", path("document.json")] + inputs.map(path)
            + ["--output", path(output), "--overwrite", "--report", path("report")] + flags
        // Given to the program alone: what is set in this process is set for all tests that run beside.
        let tool = try Tool("env", environment.map { "\($0.key)=\($0.value)" } + [program] + arguments)
        var pictures =
            (try? bytes("report"))?.split(separator: 10).compactMap { try? JSONValue.parse(Array($0), file: "report") } ?? []
        if pictures.last?["status"]?.string == "totals" { pictures.removeLast() }
        if let code { #expect(tool.code == code, "\(tool.errors)", sourceLocation: location) }
        return Outcome(code: tool.code, pictures: pictures, errors: tool.errors)
    }

    /// What exiftool reads: `IFD0:Artist`, `XMP-dc:Creator`…
    func tags(_ name: String, _ options: String...) throws -> [String: String] { try tags(all: [name], options)[0] }

    /// The same of many files: exiftool takes longer to start than to read one.
    func tags(all names: [String], _ options: [String] = []) throws -> [[String: String]] {
        let tool = try Tool("exiftool", ["-j", "-G1", "-s", "-charset", "iptc=utf8"] + options + names.map(path))
        let all = try #require(try JSONValue.parse(tool.output, file: "exiftool").elements, "\(tool.errors)")
        try #require(all.count == names.count)
        return all.map { file in
            var tags: [String: String] = [:]
            for member in file.members ?? [] {
                let value = member.value
                let list = value.elements.map { $0.compactMap(\.string).joined(separator: ", ") }
                tags[member.key] = value.string ?? list ?? value.integer.map(String.init) ?? "\(value.double ?? .nan)"
            }
            return tags
        }
    }

    /// Writes metadata by exiftool.
    func tag(_ name: String, _ options: [String]) throws {
        let tool = try Tool("exiftool", ["-q", "-m", "-overwrite_original"] + options + [path(name)])
        try #require(tool.code == 0, "\(tool.errors)")
    }
}

/// Something that tests share. Where making it fails each of them fails: what `#require` throws is an issue only the first time.
func once<Value>(_ make: () throws -> Value) -> Swift.Result<Value, MakingFailed> {
    Swift.Result { try make() }.mapError { MakingFailed(cause: "\($0)") }
}

struct MakingFailed: Error { let cause: String }

/// A program of the system, run to its end.
struct Tool {
    let code: Int32
    let output: [UInt8]
    let errors: String

    init(_ name: String, _ arguments: [String]) throws {
        var files: [Int32] = []
        for _ in 0..<2 {
            var template = Array("/tmp/labelpipe-tool-XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            try #require(descriptor >= 0)
            files.append(descriptor)
            unlink(template)
        }
        defer { for file in files { close(file) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, files[0], 1)
        posix_spawn_file_actions_adddup2(&actions, files[1], 2)
        var pointers = ([name] + arguments).map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var pid = pid_t()
        try #require(posix_spawnp(&pid, name, &actions, nil, pointers, environ) == 0, "\(name) cannot be run")
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
        func text(_ descriptor: Int32) throws -> [UInt8] {
            var status = stat()
            fstat(descriptor, &status)
            return try FileBytes(descriptor: descriptor).read(at: 0, count: Int(status.st_size))
        }
        output = try text(files[0])
        errors = String(decoding: try text(files[1]), as: UTF8.self)
    }
}

/// An output, read again by libvips: pages below each other, in the file's own format.
struct Result {
    let image: Image

    init(_ workshop: Workshop, _ name: String) throws {
        var options = LoadOptions()
        options.pages = .all
        options.access = .random
        options.allowed = [.jxl, .ppm]
        image = try PictureFile(path: Array(workshop.path(name).utf8), options: options).image
    }

    /// The samples at a place of a page, in the file's own range.
    func at(_ x: Int, _ y: Int, page: Int = 0) throws -> [Int] {
        let bytes = try image.read(PixelBox(left: x, top: y + page * image.pageHeight, width: 1, height: 1))
        guard image.format == .ushort else { return bytes.map(Int.init) }
        return stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
    }

    /// 8-bit red, green, blue, by the profile where there is one.
    func sRGB() throws -> Result {
        var image = image
        if image.hasProfile || image.interpretation == .cmyk {
            image = try image.iccTransform(to: "srgb", assumed: "cmyk", depth: 8)
        }
        return Result(image: try image.colourspace(.srgb))
    }

    private init(image: Image) { self.image = image }
}

extension Collection<Int> {
    /// Whether each is as near to the other as `tolerance`.
    func isNear(_ other: [Int], _ tolerance: Int) -> Bool {
        count == other.count && zip(self, other).allSatisfy { abs($0 - $1) <= tolerance }
    }
}

/// A document that lays one block of a colour on its picture.
func marking(
    x: Int = 40, y: Int = 30, width: Int = 20, height: Int = 10, _ color: String = "white", keys: String = "", before: String = ""
) -> String {
    marking(all: [keys], x: x, y: y, width: width, height: height, color, before: before)
}

/// The same with an output for each of the keys.
func marking(
    all outputs: [String], x: Int = 40, y: Int = 30, width: Int = 20, height: Int = 10, _ color: String = "white",
    before: String = ""
) -> String {
    let made = outputs.map { keys in
        """
        {"node": [{"effect": "image.source"}, \(before) {"effect": "layout.place", "anchor": "top-left",
         "insets": {"left": \(x), "top": \(y)}, "label": [{"effect": "shape.rectangle", "size": [\(width), \(height)]},
         {"effect": "fill.solid", "color": "\(color)"}]}] \(keys.isEmpty ? "" : ", " + keys)}
        """
    }
    return "{\"labelpipe\": 1, \"outputs\": [\(made.joined(separator: ",\n"))]}"
}

extension Image {
    /// One colour all over.
    static func plain(_ width: Int, _ height: Int, _ samples: [Double], _ interpretation: Interpretation = .srgb) throws -> Image
    {
        let isDeep = interpretation == .rgb16 || interpretation == .grey16
        return try Image.filled(
            samples, width: width, height: height, format: isDeep ? .ushort : .uchar, interpretation: interpretation)
    }
}
