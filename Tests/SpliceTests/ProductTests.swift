import Foundation
import Splice
import Testing

/// What the program does with JPEGs of every kind, seen by libjpeg.
@Suite(.serialized) struct ProductTests {
    /// A photo and what is drawn on it.
    private struct Shot {
        let name: String
        let bytes: [UInt8]
        let settings: JPEGSettings
        let orientation: Int
        let width: Int
        let height: Int
        /// anchor, size, color, opacity, angle
        let row: [String]
    }

    private static let document = """
        { "labelpipe": 1,
          "parameters": {
            "anchor": { "type": "anchor", "default": "center" }, "size": { "type": "length", "default": 20 },
            "color": { "type": "color", "default": "red" }, "opacity": { "type": "number", "default": 1 },
            "angle": { "type": "angle", "default": 0 }, "jpeg": { "type": "string", "default": "auto" },
            "format": { "type": "string", "default": null }, "path": { "type": "string", "default": null } },
          "outputs": [ { "jpeg": "$jpeg", "format": "$format", "node": [
            { "effect": "image.source" },
            { "effect": "layout.place", "anchor": "$anchor", "insets": 2, "opacity": "$opacity", "label": [
              { "effect": "text.mask", "text": "Splice", "font": "DejaVu Sans", "size": "$size" },
              { "effect": "fill.solid", "color": "$color" },
              { "effect": "layout.rotate", "angle": "$angle" } ] } ] } ] }
        """
    private static let plain = #"{ "labelpipe": 1, "output": [ { "effect": "image.source" } ] }"#

    private static func shot(_ number: Int, _ random: inout Seeded) throws -> Shot {
        let colours: [JPEGHeader.Colour] = [.yCbCr, .yCbCr, .yCbCr, .yCbCr, .grey, .rgb, .cmyk, .ycck]
        var settings = JPEGSettings(colour: colours[random.below(colours.count)])
        settings.quality = 20 + random.below(81)
        // 4:4:4, 4:2:2, 4:2:0, 4:4:0, 4:1:1, 4:1:0, odd factors, and colours finer than brightness.
        let samplings: [[SIMD2<Int>]] = [
            [[1, 1], [1, 1], [1, 1]], [[2, 1], [1, 1], [1, 1]], [[2, 2], [1, 1], [1, 1]], [[1, 2], [1, 1], [1, 1]],
            [[4, 1], [1, 1], [1, 1]], [[4, 2], [1, 1], [1, 1]], [[1, 4], [1, 1], [1, 1]], [[3, 1], [1, 1], [1, 1]],
            [[1, 3], [1, 1], [1, 1]], [[3, 2], [1, 1], [1, 1]], [[2, 2], [2, 1], [1, 2]], [[1, 1], [2, 1], [2, 1]],
        ]
        let choice = random.below(samplings.count)
        if settings.colour == .yCbCr { settings.sampling = samplings[choice] }
        if settings.colour == .ycck, choice < 4 { settings.sampling = samplings[choice] + [samplings[choice][0]] }
        if settings.colour == .grey { settings.sampling = [[1, 1]] }
        let coding = random.below(10)
        settings.isProgressive = coding == 6 || coding == 7 || coding == 8
        settings.isArithmetic = coding == 8 || coding == 9
        if coding == 5, settings.colour != .grey {
            settings.scans = (0..<settings.colour.channels).map { .init(components: [$0], spectral: 0...63, high: 0, low: 0) }
        }
        if random.chance(35) { settings.restartInterval = 1 + random.below(20) }
        if random.chance(50) { settings.huffman = .optimised }
        let (width, height) = (64 + random.below(300), 64 + random.below(300))
        let orientation = random.chance(40) ? 1 : 1 + random.below(8)
        let scene = Scene(
            width: width, height: height, channels: settings.colour.channels, noise: random.below(20), random: &random)
        let bytes = try scene.encoded(settings, segments: orientation == 1 ? [] : [orientationSegment(orientation)])
        let anchors = ["top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"]
        let tints = settings.colour == .grey ? ["#333", "#BBB", "#777"] : ["red", "white", "#00F", "#0A7", "black", "#FF0"]
        return Shot(
            name: "\(number).jpg", bytes: bytes, settings: settings,
            orientation: orientation, width: width, height: height,
            row: [
                anchors[random.below(9)], "\(8 + random.below(min(width, height) / 6))", tints[random.below(tints.count)],
                ["1", "0.5", "0.8"][random.below(3)], ["0", "0", "30", "-90"][random.below(4)],
            ])
    }

    @Test func onlyTheBlocksUnderTheLabelChange() throws {
        let product = try #require(Product(), "Scripts/test names the program in LABELPIPE")
        let seed = Int(Date().timeIntervalSince1970)
        print("ProductTests: seed \(seed)")
        var random = Seeded(seed)
        let shots = try (0..<320).map { try Self.shot($0, &random) }
        let folder = Folder()
        try folder.write("document.json", Array(Self.document.utf8))
        try folder.write("plain.json", Array(Self.plain.utf8))
        var table = "input,anchor,size,color,opacity,angle\n"
        for shot in shots {
            try folder.write(shot.name, shot.bytes)
            table += ([shot.name] + shot.row).joined(separator: ",") + "\n"
        }
        try folder.write("rows.csv", Array(table.utf8))
        let rows = ["--rows", "\(folder.path)/rows.csv"]
        let document = "\(folder.path)/document.json"
        let spliced = try product.run(document, rows + ["--output", "\(folder.path)/spliced"], in: folder)
        let full = try product.run(document, rows + ["--output", "\(folder.path)/full", "--set", "jpeg=reencode"], in: folder)
        #expect(spliced.count == shots.count && full.count == shots.count)
        let ideals = try self.ideals(shots, product, folder, document)
        var (splices, compared, unchanged) = (0, 0, 0)
        var gained = 0.0
        var modes: [String: Int] = [:]
        for shot in shots {
            let about =
                "seed \(seed), \(shot.name): \(shot.width)×\(shot.height), \(shot.orientation), \(shot.row), \(shot.settings)"
            let line = try #require(spliced[shot.name], "\(about)")
            let output = try folder.bytes("spliced/\(shot.name)")
            modes[String(line.mode.prefix { $0 != ":" }), default: 0] += 1
            #expect(line.mode.hasPrefix("splice-"), "\(line.mode), \(about)")
            splices += 1
            let box = stored(
                try #require(line.boxes.first), orientation: shot.orientation, width: shot.width, height: shot.height)
            switch blocksChangeOnlyUnder(box, shot.bytes, output) {
            case .success(0): unchanged += 1
            case .success: break
            case .failure(let problem): Issue.record("\(problem.text), \(about)")
            }
            #expect(full[shot.name]?.mode.hasPrefix("reencode") == true)
            if let ideal = ideals[shot.name] {
                let fully = Probe(pixels: try folder.bytes("full/\(shot.name)")).pixels
                let difference = try gain(Probe(pixels: output).pixels, fully, ideal, Probe(pixels: shot.bytes).pixels)
                #expect(difference > -1, "\(about)")
                gained += difference
                compared += 1
            }
        }
        #expect(splices >= 300 && compared >= 20, "\(splices) spliced, \(compared) compared")
        // A label may have the colour that is there already, now and then.
        #expect(unchanged < splices / 30, "\(unchanged) pictures show no label")
        #expect(gained / Double(compared) > -0.3, "\(gained / Double(compared)) dB less than encoding everything, on average")
        print("ProductTests: \(gained / Double(compared)) dB nearer to the ideal than encoding everything, on average")
        #expect(modes["splice-stream"] ?? 0 > 100 && modes["splice-coefficients"] ?? 0 > 50, "\(modes)")

        let untouched = try product.run(
            "\(folder.path)/plain.json",
            shots.map { "\(folder.path)/\($0.name)" } + ["--output", "\(folder.path)/untouched"], in: folder)
        #expect(untouched.count == shots.count)
        for shot in shots {
            #expect(try folder.bytes("untouched/\(shot.name)") == shot.bytes, "seed \(seed), \(shot.name)")
        }
    }

    /// A pattern touches the blocks that its tiles show something in, and no others; one that leaves no room is no splice.
    @Test func patternsAreSplicedWhereTheyLeaveRoom() throws {
        let product = try #require(Product(), "Scripts/test names the program in LABELPIPE")
        func document(_ gap: Int) -> String {
            """
            { "labelpipe": 1, "parameters": { "format": { "type": "string", "default": null } },
              "outputs": [ { "format": "$format", "node": [
                { "effect": "image.source" },
                { "effect": "layout.tile", "gap": \(gap), "angle": -30, "stagger": 0.5, "opacity": 0.7, "label": [
                  { "effect": "text.mask", "text": "Splice", "font": "DejaVu Sans", "size": 18 },
                  { "effect": "fill.solid", "color": "#FFB300" } ] } ] } ] }
            """
        }
        let folder = Folder()
        try folder.write("wide.json", Array(document(120).utf8))
        try folder.write("dense.json", Array(document(0).utf8))
        var random = Seeded(7)
        var inputs: [String] = []
        for (index, sampling) in [[SIMD2(1, 1)], [SIMD2(2, 2)], [SIMD2(2, 1)], [SIMD2(4, 1)]].enumerated() {
            var settings = JPEGSettings(colour: .yCbCr)
            settings.sampling = sampling + [SIMD2(1, 1), SIMD2(1, 1)]
            settings.isProgressive = index == 1
            let scene = Scene(width: 613 + index, height: 402, channels: 3, noise: 4, random: &random)
            try folder.write("\(index).jpg", try scene.encoded(settings))
            inputs.append("\(folder.path)/\(index).jpg")
        }
        let wide = "\(folder.path)/wide.json"
        let lines = try product.run(wide, inputs + ["--output", "\(folder.path)/spliced"], in: folder)
        _ = try product.run(wide, inputs + ["--output", "\(folder.path)/ideal", "--set", "format=ppm"], in: folder)
        let dense = try product.run(
            "\(folder.path)/dense.json", inputs + ["--output", "\(folder.path)/dense"], in: folder)
        for index in inputs.indices {
            let name = "\(index).jpg"
            #expect(lines[name]?.mode.hasPrefix(index == 1 ? "splice-coefficients: " : "splice-stream: ") == true)
            #expect(dense[name]?.mode.hasPrefix("reencode: the label touches ") == true, "\(dense[name]?.mode ?? "")")
            let (source, output) = (try folder.bytes(name), try folder.bytes("spliced/\(name)"))
            let ideal = try #require(PlainPicture(try folder.bytes("ideal/\(index).ppm")))
            let plain = Probe(pixels: source).pixels
            var labelled = Mask(
                width: ideal.width, height: ideal.height, px: Array(repeating: false, count: ideal.width * ideal.height))
            for at in ideal.pixels.indices where ideal.pixels[at] != plain[at] { labelled.px[at / 3] = true }
            let (before, after) = (Probe(coefficients: source), Probe(coefficients: output))
            try #require(before.isClean && after.isClean)
            let (maxH, maxV) = (before.h(0), before.v(0))
            var changed = 0
            for c in 0..<3 {
                for block in 0..<before.wide(c) * before.high(c)
                where memcmp(before.blocks(c) + block * 64, after.blocks(c) + block * 64, 128) != 0 {
                    changed += 1
                    let (h, v) = (before.h(c), before.v(c))
                    let (x, y) = (block % before.wide(c) / h * 8 * maxH, block / before.wide(c) / v * 8 * maxV)
                    if !labelled.hasAny(x, y, 8 * maxH, 8 * maxV) { Issue.record("\(name): the block at \(x), \(y) changed") }
                }
            }
            #expect(changed > 100, "\(name)")
            let wanted = ideal.pixels.map(Double.init)
            let gained = psnr(Probe(pixels: output).pixels, wanted, labelled, 3) - psnr(plain, wanted, labelled, 3)
            #expect(gained > 3, "\(name): the label is not there, \(gained) dB")
        }
    }

    /// The label's exact pixels over the decoded picture, where a PPM can hold them as stored.
    private func ideals(_ shots: [Shot], _ product: Product, _ folder: Folder, _ document: String) throws -> [String:
        PlainPicture]
    {
        let usable = shots.filter { shot in
            shot.orientation == 1 && [.yCbCr, .rgb, .grey].contains(shot.settings.colour) && shot.width * shot.height > 20_000
        }
        var table = "input,anchor,size,color,opacity,angle\n"
        for shot in usable { table += ([shot.name] + shot.row).joined(separator: ",") + "\n" }
        try folder.write("ideal.csv", Array(table.utf8))
        _ = try product.run(
            document, ["--rows", "\(folder.path)/ideal.csv", "--output", "\(folder.path)/ideal", "--set", "format=ppm"],
            in: folder)
        return try Dictionary(
            uniqueKeysWithValues: usable.map { shot in
                let stem = shot.name.dropLast(4)
                let name = FileManager.default.fileExists(atPath: "\(folder.path)/ideal/\(shot.name)") ? shot.name : "\(stem).ppm"
                return (shot.name, try #require(PlainPicture(try folder.bytes("ideal/\(name)")), "\(shot.name)"))
            })
    }

    /// How much nearer the splice is to the ideal inside the label than encoding everything anew is. dB
    private func gain(_ spliced: [UInt8], _ full: [UInt8], _ ideal: PlainPicture, _ source: [UInt8]) throws -> Double {
        let channels = source.count / (ideal.width * ideal.height)
        // libvips writes grey as three equal channels.
        let wantedBytes =
            ideal.channels == channels ? ideal.pixels : stride(from: 0, to: ideal.pixels.count, by: 3).map { ideal.pixels[$0] }
        try #require(spliced.count == wantedBytes.count && full.count == wantedBytes.count && source.count == wantedBytes.count)
        var mask = Mask(
            width: ideal.width, height: ideal.height, px: Array(repeating: false, count: ideal.width * ideal.height))
        for px in mask.px.indices {
            mask.px[px] = (0..<channels).contains { wantedBytes[px * channels + $0] != source[px * channels + $0] }
        }
        // Of very few px a mean says nothing.
        guard mask.px.count(where: { $0 }) > 400 else { return 0 }
        let wanted = wantedBytes.map(Double.init)
        // Beyond 50 dB nobody sees a difference.
        return min(psnr(spliced, wanted, mask, channels), 50) - min(psnr(full, wanted, mask, channels), 50)
    }
}

struct Misplaced: Error { let text: String }

/// How many blocks changed; a failure where one did outside the MCUs that a box touches.
func blocksChangeOnlyUnder(_ box: Area, _ source: [UInt8], _ output: [UInt8]) -> Result<Int, Misplaced> {
    let before = Probe(coefficients: source)
    let after = Probe(coefficients: output)
    guard before.isClean, after.isClean else {
        return .failure(Misplaced(text: "source: \(before.message), output: \(after.message)"))
    }
    guard before.raw.width == after.raw.width, before.raw.height == after.raw.height, before.components == after.components else {
        return .failure(Misplaced(text: "another size"))
    }
    let single = before.components == 1
    let maxH = single ? 1 : (0..<before.components).map(before.h).max()!
    let maxV = single ? 1 : (0..<before.components).map(before.v).max()!
    var changed = 0
    for c in 0..<before.components {
        let (h, v) = single ? (1, 1) : (before.h(c), before.v(c))
        for row in 0..<before.high(c) {
            for column in 0..<before.wide(c) {
                let at = (row * before.wide(c) + column) * 64
                if memcmp(before.blocks(c) + at, after.blocks(c) + at, 128) == 0 { continue }
                changed += 1
                let (x, y) = (column / h * 8 * maxH, row / v * 8 * maxV)
                let touches =
                    x < box.x + box.width && x + 8 * maxH > box.x && y < box.y + box.height && y + 8 * maxV > box.y
                if !touches {
                    return .failure(Misplaced(text: "component \(c), block \(column), \(row) changed; the label is at \(box)"))
                }
            }
        }
    }
    return .success(changed)
}
