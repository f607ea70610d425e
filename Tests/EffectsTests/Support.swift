import Diagnostics
import Glibc
import Labelpipe
import LabelpipeDrawing
import LabelpipeEngine
import LabelpipeKit
import Outline
import Synchronization
import Testing
import Vips

/// The root of the package.
let packageFolder: String = {
    var path = #filePath
    for _ in 0..<3 { path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
    return path
}()

/// The bundled effects; texts are set in the tests' own fonts.
let registry: Registry = {
    setenv("FONTCONFIG_FILE", packageFolder + "/Tests/Fixtures/fonts/fonts.conf", 1)
    do { return try Registry.bundled() } catch { preconditionFailure("\(error)") }
}()

/// A document run on a picture.
struct Run {
    let layers: [Layer]
    let notes: [Note]
    /// What `image.source` asked for; nil: all.
    let pages: [Int?]
    var layer: Layer { layers[0] }

    /// - Parameters:
    ///   - output: the document's output, as JSON.
    ///   - source: what `image.source` opens.
    init(_ output: String, nodes: String = "{}", source: Picture? = nil) throws {
        let text = "{ \"labelpipe\": 1, \"nodes\": \(nodes), \"output\": \(output) }"
        try self.init(
            Pipeline(bytes: Array(text.utf8), name: "test.json", folder: packageFolder + "/Pipelines", registry: registry), [:],
            source)
    }

    /// - Parameter file: below `Pipelines`.
    init(file: String, _ settings: [String: String] = [:], source: Picture? = nil) throws {
        try self.init(
            Pipeline(file: packageFolder + "/Pipelines/" + file, registry: registry),
            settings.mapValues { Pipeline.Setting.written($0) }, source)
    }

    private init(_ pipeline: Pipeline, _ settings: [String: Pipeline.Setting], _ source: Picture?) throws {
        let notes = Mutex<[Note]>([])
        let pages = Mutex<[Int?]>([])
        let plan = try pipeline.plan(settings)
        let base = source.map {
            Context.Base(width: Double($0.width), height: Double($0.height), resolution: $0.resolution)
        }
        let job = Executor.Job(
            base: base, missing: .empty, report: { note in notes.withLock { $0.append(note) } },
            source: { page in
                pages.withLock { $0.append(page) }
                guard let source else { throw VipsError(operation: "test", message: "no picture") }
                return source
            })
        layers = try Executor(plan).run(job).map(\.layer)
        self.notes = notes.withLock { $0 }
        self.pages = pages.withLock { $0 }
    }

    var bitmap: Bitmap { get throws { try Bitmap(layer) } }
}

/// The findings of a document that must be refused.
func refusal(_ output: String) -> [Diagnostic] {
    do {
        _ = try Run(output)
        return []
    } catch let findings as Diagnostics {
        return findings.all
    } catch {
        Issue.record("refused in another way: \(error)")
        return []
    }
}

/// Pixels of a layer, as an output has them.
struct Bitmap {
    let width: Int
    let height: Int
    let bands: Int
    private let bytes: [UInt8]

    init(_ layer: Layer) throws { try self.init(layer.image().image) }

    init(_ image: Image) throws {
        (width, height, bands) = (image.width, image.height, image.bands)
        bytes = try image.writeToMemory()
    }

    subscript(x: Int, y: Int) -> [Int] {
        let start = (y * width + x) * bands
        return bytes[start..<start + bands].map(Int.init)
    }

    /// Red, green and blue of a pixel as #RRGGBB.
    func hex(_ x: Int, _ y: Int) -> String {
        let digits = Array("0123456789ABCDEF")
        return "#" + self[x, y].prefix(3).map { String([digits[$0 / 16], digits[$0 % 16]]) }.joined()
    }

    /// Whether all bands are as near as `tolerance` to these.
    func isNear(_ x: Int, _ y: Int, _ wanted: [Int], _ tolerance: Int = 1) -> Bool {
        zip(self[x, y], wanted).allSatisfy { abs($0 - $1) <= tolerance }
    }

    /// The box of pixels whose last band is above `level`: left, top, right, bottom, the latter two excluded.
    func ink(above level: Int = 0) -> [Int]? {
        var box: [Int]?
        for y in 0..<height {
            for x in 0..<width where self[x, y][bands - 1] > level {
                let old = box ?? [x, y, x + 1, y + 1]
                box = [min(old[0], x), min(old[1], y), max(old[2], x + 1), max(old[3], y + 1)]
            }
        }
        return box
    }
}

extension Run {
    /// Alpha at a place of the layer's plane, wherever its picture begins.
    static func alpha(_ layer: Layer, _ x: Int, _ y: Int) throws -> Int {
        let image = try layer.image(in: Region(x: x, y: y, width: 1, height: 1))
        return Int(try image.writeToMemory()[3])
    }
}

/// A plain picture.
func plain(_ width: Int, _ height: Int, _ pixel: [Double] = [255, 255, 255], format: PixelFormat = .uchar) throws -> Picture {
    Picture(
        try Image.filled(
            pixel, width: width, height: height, format: format, interpretation: format == .ushort ? .rgb16 : .srgb
        ).materialised())
}

func near(_ a: Double, _ b: Double, _ tolerance: Double = 1e-6) -> Bool { abs(a - b) <= tolerance }
