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

/// A picture's samples, whatever they were stored as.
struct Sheet: Equatable {
    let width, height, bands: Int
    let samples: [Float]

    init(width: Int, height: Int, bands: Int, samples: [Float]) {
        (self.width, self.height, self.bands, self.samples) = (width, height, bands, samples)
    }

    init(_ image: Image) throws {
        let bytes = try image.cast(.float).writeToMemory()
        (width, height, bands) = (image.width, image.height, image.bands)
        samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    subscript(x: Int, y: Int) -> [Double] {
        let start = (y * width + x) * bands
        return samples[start..<start + bands].map(Double.init)
    }

    subscript(x: Int, y: Int, band: Int) -> Double { Double(samples[(y * width + x) * bands + band]) }

    /// All bands as near as `tolerance`.
    func isNear(_ x: Int, _ y: Int, _ wanted: [Double], _ tolerance: Double = 1) -> Bool {
        let pixel = self[x, y]
        return pixel.count == wanted.count && zip(pixel, wanted).allSatisfy { abs($0 - $1) <= tolerance }
    }

    func band(_ band: Int) -> [Float] { stride(from: band, to: samples.count, by: bands).map { samples[$0] } }

    /// The last band.
    var alpha: [Float] { band(bands - 1) }

    /// The sum of the last band, in whole pixels.
    var area: Double { alpha.reduce(0) { $0 + Double($1) } / 255 }

    /// The box of pixels that `isInk` says yes to: left, top, right, bottom, the latter two excluded.
    func box(_ isInk: ([Double]) -> Bool) -> [Int]? {
        var box: [Int]?
        for y in 0..<height {
            for x in 0..<width where isInk(self[x, y]) {
                let old = box ?? [x, y, x + 1, y + 1]
                box = [min(old[0], x), min(old[1], y), max(old[2], x + 1), max(old[3], y + 1)]
            }
        }
        return box
    }

    /// Where the last band is above `level`.
    func ink(above level: Double = 0) -> [Int]? { box { $0[$0.count - 1] > level } }

    func cropped(_ box: [Int]) -> Sheet {
        var part: [Float] = []
        for y in box[1]..<box[3] { part += samples[(y * width + box[0]) * bands..<(y * width + box[2]) * bands] }
        return Sheet(width: box[2] - box[0], height: box[3] - box[1], bands: bands, samples: part)
    }

    func count(_ isWanted: ([Double]) -> Bool) -> Int {
        var count = 0
        for y in 0..<height { for x in 0..<width where isWanted(self[x, y]) { count += 1 } }
        return count
    }

    /// The largest difference of any sample; infinite for another shape.
    func difference(_ other: Sheet) -> Double {
        guard width == other.width, height == other.height, bands == other.bands else { return .infinity }
        return zip(samples, other.samples).reduce(0) { max($0, Double(abs($1.0 - $1.1))) }
    }
}

/// A document drawn in this process.
struct Drawing {
    let layer: Layer
    let notes: [Note]

    /// - Parameters:
    ///   - output: the document's output, as JSON.
    ///   - source: what `image.source` opens.
    init(
        _ output: String, nodes: String = "{}", set: [String: String] = [:], parameters: String = "{}", source: Picture? = nil
    ) throws {
        try VipsRuntime.start()
        let text =
            "{ \"labelpipe\": 1, \"parameters\": \(parameters), \"nodes\": \(nodes), \"output\": \(output) }"
        let pipeline = try Pipeline(
            bytes: Array(text.utf8), name: "test.json", folder: packageFolder + "/Pipelines", registry: registry)
        let notes = Mutex<[Note]>([])
        let base = source.map { Context.Base(width: Double($0.width), height: Double($0.height), resolution: $0.resolution) }
        let job = Executor.Job(
            base: base, missing: .empty, report: { note in notes.withLock { $0.append(note) } },
            source: { _ in
                guard let source else { throw DrawingError("no-input", "this test has no picture") }
                return source
            })
        layer = try Executor(pipeline.plan(set.mapValues { .written($0) })).run(job)[0].layer
        self.notes = notes.withLock { $0 }
    }

    var image: Image { get throws { try layer.image().image } }
    var sheet: Sheet { get throws { try Sheet(image) } }
}

// MARK: Documents

func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}

/// `more`: further keys, each with its comma before it.
func text(_ text: String, _ font: String = "DejaVu Sans", _ size: Double = 100, _ more: String = "") -> String {
    "{ \"effect\": \"text.mask\", \"text\": \(quoted(text)), \"font\": \(quoted(font)), \"size\": \(size)\(more) }"
}

func solid(_ color: String) -> String { "{ \"effect\": \"fill.solid\", \"color\": \"\(color)\" }" }

func rectangle(_ width: Double, _ height: Double, _ more: String = "") -> String {
    "{ \"effect\": \"shape.rectangle\", \"size\": [\(width), \(height)]\(more) }"
}

func stroke(_ width: Double, _ color: String, _ position: String = "outside", _ more: String = "") -> String {
    "{ \"effect\": \"stroke.outline\", \"width\": \(width), \"color\": \"\(color)\", \"position\": \"\(position)\"\(more) }"
}

func shadow(_ color: String, _ offset: (Double, Double), _ blur: Double, _ more: String = "") -> String {
    "{ \"effect\": \"shadow.drop\", \"color\": \"\(color)\", \"offset\": [\(offset.0), \(offset.1)], \"blur\": \(blur)\(more) }"
}

func chain(_ steps: String...) -> String { "[ " + steps.joined(separator: ", ") + " ]" }

/// A label on a picture of its own.
func placed(_ label: String, _ width: Int, _ height: Int, _ background: String, _ keys: String) throws -> Sheet {
    try Drawing(
        chain(
            "{ \"effect\": \"image.canvas\", \"size\": [\(width), \(height)], \"color\": \"\(background)\" }",
            "{ \"effect\": \"layout.place\", \"label\": \(label), \(keys) }")
    ).sheet
}

/// With the pen's origin at a place.
func written(_ label: String, _ width: Int, _ height: Int, _ background: String, at: (Int, Int)) throws -> Sheet {
    try placed(label, width, height, background, "\"at\": [\(at.0), \(at.1)], \"anchor\": \"baseline-left\"")
}

/// A label as a picture of its own size.
func own(_ label: String) throws -> Sheet { try Drawing(label).sheet }

/// A label on a picture, which is `image.source`.
func marked(_ source: Picture, _ label: String, _ keys: String = "\"at\": [0, 0]") throws -> Image {
    try Drawing(
        chain("{ \"effect\": \"image.source\" }", "{ \"effect\": \"layout.place\", \"label\": \(label), \(keys) }"),
        source: source
    ).image
}

/// A plain picture.
func plain(
    _ width: Int, _ height: Int, _ pixel: [Double], format: PixelFormat = .uchar, _ interpretation: Interpretation = .srgb
) throws -> Image {
    try VipsRuntime.start()
    return try Image.filled(pixel, width: width, height: height, format: format, interpretation: interpretation).materialised()
}

func near(_ a: Double, _ b: Double, _ tolerance: Double) -> Bool { abs(a - b) <= tolerance }
