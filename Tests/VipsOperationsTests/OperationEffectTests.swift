import Diagnostics
import Glibc
import Labelpipe
import LabelpipeEngine
import LabelpipeKit
import Testing
import Vips

/// A picture with edges, slopes and noise, the same each time.
let photo: Image = {
    do {
        return try Image.generated(width: 96, height: 64, bands: 3, format: .uchar, interpretation: .srgb) { pixels in
            for y in 0..<pixels.box.height {
                let row = pixels.row(y, as: UInt8.self)
                for x in 0..<pixels.box.width {
                    let (px, py) = (pixels.box.left + x, pixels.box.top + y)
                    let noise = ((px &* 7919 &+ py &* 104_729) &* 2_654_435_761 >> 7) & 31
                    row[3 * x] = UInt8(px * 2 + noise)
                    row[3 * x + 1] = UInt8(py * 3 + noise)
                    row[3 * x + 2] = UInt8((px / 16 + py / 16) % 2 * 200 + noise)
                }
            }
        }.materialised()
    } catch { preconditionFailure("\(error)") }
}()

let registry: Registry = {
    do { return try Registry.bundled() } catch { preconditionFailure("\(error)") }
}()

/// The layer that a document's output gives for the photo.
func draw(_ output: String, on picture: Image = photo) throws -> Layer {
    let text = "{ \"labelpipe\": 1, \"output\": \(output) }"
    let plan = try Pipeline(bytes: Array(text.utf8), name: "test.json", folder: ".", registry: registry).plan()
    let source = Picture(picture, orientation: picture.orientation)
    let job = Executor.Job(base: Context.Base(width: Double(source.width), height: Double(source.height))) { _ in source }
    return try #require(try Executor(plan).run(job).first).layer
}

func image(_ output: String, on picture: Image = photo) throws -> Image {
    try #require(try draw(output, on: picture).picture).image
}

@Suite struct OperationEffectTests {
    // MARK: What the command gives

    /// A node and the command line that mean the same.
    private struct Call {
        var json: [String] = []
        var positional: [String] = []
        var options: [String] = []
    }

    /// The photo, and for what takes several images, it mirrored.
    private static let nodes = (
        first: "{ \"effect\": \"image.source\" }",
        other: "[{ \"effect\": \"image.source\" }, { \"effect\": \"vips.flip\", \"direction\": \"horizontal\" }]"
    )

    /// Random arguments of an operation, written once for a document and once for the command.
    private static func call(
        _ operation: OperationDescription, _ files: (first: String, other: String), random: inout Seeded
    ) -> Call? {
        var isFirst = true
        var call = Call(json: ["\"effect\": \"vips.\(operation.nickname)\""])
        for argument in operation.arguments where argument.isInput || argument.isRequired {
            if argument.isOutput {
                guard argument.kind == .image else { return nil }
                call.positional.append("OUT")
                continue
            }
            guard argument.isRequired || random.chance(0.4), !argument.namesFile else { continue }
            let json: String
            let word: String
            switch argument.kind {
            case .image:
                (json, word) = isFirst ? (nodes.first, files.first) : (nodes.other, files.other)
                isFirst = false
            case .images: (json, word) = ("[\(nodes.first), \(nodes.other)]", "\(files.first) \(files.other)")
            case .number(let low, let high, let standard):
                let value = (random.between(max(low, min(standard, 1)), min(high, max(standard * 2, 3))) * 16).rounded(.up) / 16
                (json, word) = ("\(value)", "\(value)")
            case .integer(let low, let high, let standard):
                let value = Int(random.between(Double(max(low, min(standard, 1))), Double(min(high, max(standard * 2, 12)))))
                (json, word) = ("\(value)", "\(value)")
            case .boolean:
                let flag = random.chance(0.5)
                (json, word) = ("\(flag)", flag ? "true" : "false")
            case .choice(let names, _):
                let name = names[Int(random.between(0, Double(names.count) - 0.001))]
                (json, word) = ("\"\(name)\"", name)
            case .numbers: (json, word) = ("[1.5, 2, 0.5]", "1.5 2 0.5")
            case .integers: (json, word) = ("[2]", "2")
            case .interpolator: (json, word) = ("\"bicubic\"", "bicubic")
            case .text, .flags, .bytes, .source, .target, .other: return nil
            }
            call.json.append("\"\(argument.name)\": \(json)")
            if argument.isRequired {
                call.positional.append(word)
            } else if argument.kind == .boolean(standard: true) || argument.kind == .boolean(standard: false) {
                // The command knows only whether a switch is there.
                if word == "true" { call.options.append("--\(argument.name)") } else { call.json.removeLast() }
            } else {
                call.options.append("--\(argument.name)=\(word)")
            }
        }
        return call
    }

    /// Operations drawn at random from what libvips declares, with random arguments, against the program of the same library.
    @Test func operationsGiveWhatTheCommandGives() throws {
        let seed = getenv("LABELPIPE_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64(time(nil))
        var random = Seeded(seed)
        let scratch = try Scratch()
        let real = try PictureFile(
            path: Array("/usr/share/gocode/src/github.com/disintegration/imaging/testdata/branches.jpg".utf8)
        ).image.extractArea(PixelBox(left: 40, top: 30, width: 120, height: 90)).materialised()
        let files = (first: scratch.path + "/photo.v", other: scratch.path + "/mirrored.v")
        for (image, file) in [(real, files.first), (try real.flippedForComparison(), files.other)] {
            let saving = try Operation("vipssave").set("in", image).set("filename", OperationValue.path(Array(file.utf8))).run()
            #expect(saving.values.isEmpty)
        }
        var names = try #require(try registry.members(of: "vips")).map(\.declaration.id)
        #expect(names.count > 120)
        // FFTW's sums depend on how memory happens to be aligned: not even the command gives the same bits each time.
        names.removeAll { ["vips.fwfft", "vips.invfft", "vips.freqmult", "vips.spectrum", "vips.phasecor"].contains($0) }
        var drawn: [String] = []
        var refusals = 0
        // In each run some of every sort: several images, lists of numbers, choices; then whatever comes.
        func count(_ id: String, _ isOne: (OperationArgumentDescription) -> Bool) throws -> Int {
            try #require(try Operation.describe(String(id.dropFirst(5)))).arguments.count { $0.isInput && isOne($0) }
        }
        var sorts: [(wanted: Int, ids: [String])] = [
            (5, try names.filter { try count($0) { $0.kind == .images } > 0 || count($0) { $0.kind == .image } > 1 }),
            (8, try names.filter { try count($0) { $0.isRequired && ($0.kind == .numbers || $0.kind == .integers) } > 0 }),
            (
                12,
                try names.filter { try count($0) { if case .choice = $0.kind { $0.isRequired } else { false } } > 0 }
            ),
            (20, names),
        ]
        while let (wanted, ids) = sorts.first, drawn.count < 20 {
            let left = ids.filter(names.contains)
            guard drawn.count < wanted, !left.isEmpty else {
                sorts.removeFirst()
                continue
            }
            let id = left[Int(random.between(0, Double(left.count) - 0.001))]
            names.removeAll { $0 == id }
            let operation = try #require(try Operation.describe(String(id.dropFirst(5))))
            guard let call = Self.call(operation, files, random: &random) else { continue }
            let out = scratch.path + "/\(operation.nickname)"
            var images = 0
            let positional = call.positional.map { word -> String in
                guard word == "OUT" else { return word }
                images += 1
                return "\(out)-\(images).raw"
            }
            let words = [operation.nickname] + positional + call.options
            let status = try run("vips", words)
            let node = "{ \(call.json.joined(separator: ", ")) }"
            guard status == 0 else {
                // Then the effect has nothing to give either, or says so.
                refusals += 1
                continue
            }
            let expected = try contents(of: "\(out)-1.raw")
            let told: Comment = "seed \(seed): vips \(words.joined(separator: " ")) is not \(node)"
            do {
                #expect(try image(node, on: real).writeToMemory() == expected, told)
            } catch {
                Issue.record("\(told): \(error)")
            }
            drawn.append(operation.nickname)
        }
        print("vips.*: seed \(seed), \(refusals) refused by the command itself, compared: \(drawn.joined(separator: " "))")
        #expect(drawn.count == 20, "seed \(seed): only \(drawn.count) operations could be drawn")
    }

    // MARK: Declarations

    @Test func gaussblurReadsLikeABundledEffect() throws {
        let page = try #require(try Catalogue(registry).describe("vips.gaussblur"))
        #expect(
            page == """
                vips.gaussblur: Gaussian blur (libvips).

                Gives colour. From labelpipe.vips.

                Inputs
                  in              colour: Input image

                Parameters
                  sigma      Sigma of Gaussian
                             (a number from 0 to 1000, required)
                  min_ampl   Minimum amplitude of Gaussian
                             (a number from 0.001 to 1, default 0.2)
                  precision  Convolve with this precision
                             (one of integer, float, approximate, default integer)

                Example, drawn by labelpipe describe vips.gaussblur --render FILE
                  {
                    "labelpipe": 1,
                    "output": [
                      { "effect": "image.canvas", "size": [64, 64], "color": "#3B7DD8" },
                      { "effect": "vips.gaussblur", "sigma": 1.5 }
                    ]
                  }

                """)
    }

    @Test func allTakeAndGiveImagesAndNameNoFile() throws {
        for entry in try #require(try registry.members(of: "vips")) {
            let declaration = entry.declaration
            #expect(!declaration.inputs.isEmpty && declaration.output == .colour, "\(declaration.id)")
            for parameter in declaration.parameters.map(\.declaration) {
                #expect(!parameter.doc.isEmpty && !parameter.name.contains("file") && !parameter.name.contains("profile"))
            }
        }
        for id in [
            "vips.jpegload", "vips.jpegsave", "vips.system", "vips.remosaic", "vips.globalbalance", "vips.icc_transform",
            "vips.black", "vips.draw_rect", "vips.avg", "vips.text",
        ] {
            #expect(try registry.find(id) == nil, "\(id)")
        }
    }

    @Test func mistakesAreFoundByTheDeclaration() throws {
        func finding(_ node: String) -> Diagnostic? {
            let text = "{ \"labelpipe\": 1, \"output\": [{ \"effect\": \"image.source\" }, \(node)] }"
            do {
                _ = try Pipeline(bytes: Array(text.utf8), name: "t.json", folder: ".", registry: registry).plan()
                return nil
            } catch { return error.all.first }
        }
        let unknown = finding("{ \"effect\": \"vips.gausblur\", \"sigma\": 3 }")
        #expect(unknown?.code == "unknown-effect" && unknown?.suggestion == "vips.gaussblur")
        let range = finding("{ \"effect\": \"vips.gaussblur\", \"sigma\": -3 }")
        #expect(range?.pointer?.description == "/output/1/sigma" && range?.expected == "a number from 0 to 1000")
        let choice = finding("{ \"effect\": \"vips.rot\", \"angle\": \"d91\" }")
        #expect(choice?.description.contains("one of d0, d90, d180, d270") == true)
        #expect(finding("{ \"effect\": \"vips.gaussblur\" }")?.code == "missing-key")
        #expect(finding("{ \"effect\": \"vips.add\" }")?.code == "missing-input")
    }

    // MARK: Frames

    @Test func anImageOfTheSameSizeKeepsPlaceAndFrame() throws {
        let label = "{ \"effect\": \"shape.rectangle\", \"size\": [20, 10] }, { \"effect\": \"fill.solid\", \"color\": \"red\" }"
        let moved = "{ \"effect\": \"layout.inset\", \"insets\": 4 }"
        let plain = try draw("[\(label), \(moved)]")
        let turned = try draw("[\(label), \(moved), { \"effect\": \"vips.invert\" }]")
        #expect(turned.frame == plain.frame)
        #expect(turned.reach == plain.frame.roundedOut)
        let other = try draw("[\(label), \(moved), { \"effect\": \"vips.rot\", \"angle\": \"d90\" }]")
        #expect(other.picture?.width == 18 && other.picture?.height == 28)
    }

    @Test func floatsStayFloatsFromNodeToNode() throws {
        let label = "{ \"effect\": \"shape.rectangle\", \"size\": [20, 10] }, { \"effect\": \"fill.solid\", \"color\": \"red\" }"
        let blurred = try draw(
            """
            [\(label), { "effect": "layout.inset", "insets": 8 }, { "effect": "vips.premultiply" },
             { "effect": "vips.gaussblur", "sigma": 2 }, { "effect": "vips.unpremultiply" }]
            """)
        guard case .body(let body)? = blurred.marks.first, case .picture(let picture, _)? = body.contents.first else {
            Issue.record("no picture")
            return
        }
        #expect(picture.image.format == .float)
        // No dark rim: where anything is left of it, it is red.
        let samples = try picture.image.writeToMemory().withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        for pixel in stride(from: 0, to: samples.count, by: 4) where samples[pixel + 3] > 4 {
            #expect(samples[pixel] > 250 && samples[pixel + 1] < 1)
        }
    }

    @Test func aTurnedPhotoIsTakenUpright() throws {
        let turned = try photo.setting("orientation", to: .integer(6))
        let out = try image("[{ \"effect\": \"image.source\" }, { \"effect\": \"vips.invert\" }]", on: turned)
        #expect((out.width, out.height, out.orientation) == (64, 96, 1))
        #expect(try Bits(out) == Bits(Operation("invert").set("in", photo.rotated(quarterTurns: 1)).image()))
    }

    @Test func oneOfSeveralImagesIsChosen() throws {
        let node = "[{ \"effect\": \"image.source\" }, { \"effect\": \"vips.profile\", \"output\": \"rows\" }]"
        #expect(try image(node).width == 1)
        #expect(try image(node.replacing("rows", with: "columns")).height == 1)
    }
}

extension Image {
    fileprivate func flippedForComparison() throws -> Image {
        try Operation("flip").set("in", self).set("direction", "horizontal").image()
    }
}

/// SplitMix64.
struct Seeded {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func between(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * Double(next() >> 11) / 9_007_199_254_740_992
    }

    mutating func chance(_ share: Double) -> Bool { between(0, 1) < share }
}
