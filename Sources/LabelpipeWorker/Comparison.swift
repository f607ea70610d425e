import Diagnostics
import Glibc
import LabelpipeDrawing
import Outline
import Vips

extension PipelineWork {
    package func compare(
        _ request: CompareRequest, _ input: OpenSource, _ output: OpenSource, progress: (Phase, PictureSize?) -> Void
    ) throws(Diagnostics) -> CompareReply {
        do {
            let one = try opened(input, .sequential)
            var other = try opened(output, .sequential)
            let isTurned = one.image.orientation != other.image.orientation
            // Turned against each other they are compared upright, which takes pixels in any order.
            let first = isTurned ? try opened(input, .random) : one
            if isTurned { other = try opened(output, .random) }
            progress(.save, size(one.image))
            var comparison = Comparison(
                request, first, other, isTurned: isTurned, bytes: (Int(input.facts.size), Int(output.facts.size)))
            try comparison.run()
            for (file, source) in [(first, input), (other, output)] {
                do { try file.finish() } catch { throw Findings.finding(error).about(source.path) }
            }
            return comparison.reply
        } catch let finding as Diagnostic {
            throw [finding]
        } catch {
            throw [Findings.finding(error)]
        }
    }

    private func opened(_ source: OpenSource, _ access: LoadOptions.Access) throws -> PictureFile {
        do { return try open(source, access).file } catch { throw Findings.finding(error).about(source.path) }
    }
}

extension Diagnostic {
    fileprivate func about(_ path: BytePath) -> Diagnostic {
        var finding = self
        finding.file = path.description
        return finding
    }
}

/// The comparison of two opened pictures.
private struct Comparison {
    let request: CompareRequest
    let input: PictureFile
    let output: PictureFile
    let isTurned: Bool
    private(set) var reply = CompareReply()

    /// A difference above this part of full intensity is drawing, below it may be the loss of another encoding. What JPEG at
    /// quality 75 does to a photo stays below; a label that is fainter everywhere is found only where nothing else differs.
    private static let noise: Float = 32.0 / 255
    /// libjpeg interpolates colour across the edge of what was encoded anew, from blocks of up to 16 px.
    private static let (jpegBlock, jpegReach) = (16, 2)

    init(_ request: CompareRequest, _ input: PictureFile, _ output: PictureFile, isTurned: Bool, bytes: (Int, Int)) {
        (self.request, self.input, self.output, self.isTurned) = (request, input, output, isTurned)
        reply.input = Self.side(input, bytes.0)
        reply.output = Self.side(output, bytes.1)
    }

    private static func side(_ file: PictureFile, _ bytes: Int) -> CompareReply.Side {
        let image = file.image
        var side = CompareReply.Side()
        side.format = file.kind.rawValue
        let isSideways = image.orientation > 4
        side.size = PictureSize(
            width: isSideways ? image.pageHeight : image.width, height: isSideways ? image.width : image.pageHeight,
            pages: image.pageCount)
        (side.bands, side.bits, side.bytes) = (image.bands, image.format.bytesPerSample * 8, bytes)
        return side
    }

    mutating func run() throws {
        compareMetadata()
        guard reply.input.size == reply.output.size else {
            find("size", "the output has \(text(reply.output.size)), the input \(text(reply.input.size))")
            return
        }
        if reply.output.bits < reply.input.bits {
            find("depth", "the output has \(reply.output.bits) bits a sample, the input \(reply.input.bits)")
        }
        try comparePixels()
    }

    private mutating func find(_ code: String, _ message: String) {
        reply.findings.append(Diagnostic(code, message: message))
    }

    private func text(_ size: PictureSize) -> String {
        "\(size.width)x\(size.height) px" + (size.pages > 1 ? " and \(size.pages) pages" : "")
    }

    // MARK: Pixels

    private mutating func comparePixels() throws {
        let (a, b) = try comparable()
        let turn = Orientation(isTurned ? 1 : input.image.orientation, storedWidth: a.width, storedHeight: a.pageHeight)
        let given = request.boxes.map { boxes in
            boxes.map { widened(turn.stored(Region(x: $0[0], y: $0[1], width: $0[2], height: $0[3]))) }
        }
        var grid = DifferenceGrid(width: a.width, height: a.pageHeight, ignored: given ?? [])
        let rows = grid.side * max(1, 64 / grid.side)
        for page in 0..<a.pageCount {
            for top in stride(from: 0, to: a.pageHeight, by: rows) {
                let box = PixelBox(
                    left: 0, top: page * a.pageHeight + top, width: a.width, height: min(rows, a.pageHeight - top))
                try a.withRegion(box) { one, oneStride in
                    try b.withRegion(box) { other, otherStride in
                        switch a.format {
                        case .uchar:
                            grid.add(one, oneStride, other, otherStride, y: top, rows: box.height, bands: a.bands, as: UInt8.self)
                        case .ushort:
                            grid.add(
                                one, oneStride, other, otherStride, y: top, rows: box.height, bands: a.bands, as: UInt16.self)
                        default:
                            grid.add(one, oneStride, other, otherStride, y: top, rows: box.height, bands: a.bands, as: Float.self)
                        }
                    }
                }
            }
        }
        judge(grid, given, turn, full: a.fullIntensity, samples: Double(a.pageCount * a.bands), pages: a.pageCount)
    }

    private mutating func judge(
        _ grid: DifferenceGrid, _ given: [Region]?, _ turn: Orientation, full: Double, samples: Double, pages: Int
    ) {
        let differing = grid.counts.count { $0 > 0 }
        // Where most of the picture differs, it was encoded anew: then only what differs much was drawn.
        let noise = 2 * differing > grid.counts.count ? Self.noise * Float(full) : 0
        let boxes = given ?? grid.boxes(noise: noise)
        let outside = grid.outside(boxes)
        reply.areBoxesFound = given == nil
        reply.boxes =
            request.boxes
            ?? boxes.map {
                let box = turn.upright($0)
                return [box.x, box.y, box.width, box.height]
            }
        reply.blockSide = grid.side
        reply.pixels = CompareReply.Share(all: outside.area * pages, differing: outside.pixels)
        reply.blocks = CompareReply.Share(all: outside.allBlocks, differing: outside.blocks)
        reply.greatest = Double(outside.greatest) / full
        reply.psnr = Self.psnr(outside.squares, Double(outside.area) * samples, full)
        let all = grid.squares.reduce(grid.ignoredSquares, +)
        reply.wholePSNR = Self.psnr(all, Double(grid.width * grid.height) * samples, full)
        reply.isIdentical = differing == 0 && grid.ignoredCount == 0
        if let psnr = reply.psnr, psnr < request.leastPSNR ?? .infinity {
            let share = (reply.pixels.percent * 1000).rounded() / 1000
            let loss = (psnr * 10).rounded() / 10
            find(
                "outside",
                "\(share) % of the pixels outside the boxes differ, in \(outside.blocks) of \(outside.allBlocks) blocks; PSNR \(loss) dB"
            )
        }
    }

    private static func psnr(_ squares: Double, _ samples: Double, _ full: Double) -> Double? {
        guard squares > 0, samples > 0 else { return nil }
        return 10 * log10(full * full * samples / squares)
    }

    /// A JPEG's box with all that was encoded anew round it.
    private func widened(_ box: Region) -> Region {
        guard output.kind == .jpeg, !box.isEmpty else { return box }
        let block = Self.jpegBlock
        let left = box.x / block * block - Self.jpegReach
        let top = box.y / block * block - Self.jpegReach
        let right = (box.maxX + block - 1) / block * block + Self.jpegReach
        let bottom = (box.maxY + block - 1) / block * block + Self.jpegReach
        return Region(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Both with the same bands in the same format: as they are where they agree, else as sRGB.
    private func comparable() throws -> (Image, Image) {
        var (a, b) = (input.image, output.image)
        if isTurned { (a, b) = (try a.upright(), try b.upright()) }
        let agree =
            a.format == b.format && a.bands == b.bands && a.likelyInterpretation == b.likelyInterpretation
            && a.profile == b.profile && [.uchar, .ushort, .float].contains(a.format)
        if agree { return (a, b) }
        let keepsAlpha = a.hasAlpha && b.hasAlpha
        return (try Self.srgb(a, keepsAlpha: keepsAlpha), try Self.srgb(b, keepsAlpha: keepsAlpha))
    }

    private static func srgb(_ image: Image, keepsAlpha: Bool) throws -> Image {
        var image = image
        if image.hasAlpha, !keepsAlpha { image = try image.flattened(background: [image.fullIntensity]) }
        // What has no profile is what libvips takes it for.
        if image.hasProfile || image.likelyInterpretation == .cmyk {
            image = try image.iccTransform(to: "srgb", assumed: image.likelyInterpretation == .cmyk ? "cmyk" : "srgb", depth: 8)
        } else {
            image = try image.colourspace(.srgb)
        }
        return try image.rounded(to: .uchar)
    }

    // MARK: Metadata

    private mutating func compareMetadata() {
        let (a, b) = (input.image, output.image)
        for (name, field) in [("exif", "exif-data"), ("xmp", "xmp-data"), ("iptc", "iptc-data"), ("profile", "icc-profile-data")]
        {
            var changed: [String] = []
            let state: String
            switch (a.bytes(field), b.bytes(field)) {
            case (nil, nil): continue
            case (.some, nil): state = "lost"
            case (nil, .some): state = "added"
            case (let one?, let other?) where one == other: state = "same"
            case (let one?, let other?):
                changed = name == "exif" ? Self.changedEntries(a, b) : []
                let saysTheSame =
                    name == "exif" ? changed.isEmpty : name == "iptc" && PhotoshopBlock.saysTheSame(one, other)
                state = saysTheSame ? "rewritten" : "changed"
            }
            reply.metadata.append((name, state))
            guard !["same", "rewritten"].contains(state) else { continue }
            let entries = changed.isEmpty ? "" : ": \(changed.prefix(8).joined(separator: " "))\(changed.count > 8 ? " …" : "")"
            find(name == "profile" ? "profile" : "metadata", "the \(Self.title(name)) is \(state)\(entries)")
        }
        for field in ["delay", "loop"] where a.metadata(field) != nil && a.metadata(field) != b.metadata(field) {
            find("animation", "the animation's \(field) is \(b.has(field) ? "changed" : "lost")")
        }
        let (one, other) = (a.xResolution, b.xResolution)
        if one > 0, abs(one - other) / one > 0.005, one != 1 {
            let perInch = [one, other].map { "\(($0 * 25.4 * 100).rounded() / 100)" }
            find("resolution", "the resolution is \(perInch[1]) dpi, of the input \(perInch[0]) dpi")
        }
    }

    private static func title(_ name: String) -> String {
        switch name {
        case "exif": "EXIF block"
        case "xmp": "XMP packet"
        case "iptc": "IPTC block"
        default: "colour profile"
        }
    }

    /// EXIF entries that differ, by their names. Not the thumbnail's, which has to be another, and not the orientation, which is
    /// part of the pixels.
    private static func changedEntries(_ a: Image, _ b: Image) -> [String] {
        func entries(_ image: Image) -> [String: String] {
            var found: [String: String] = [:]
            for name in image.fieldNames() where name.hasPrefix("exif-ifd") && !name.hasPrefix("exif-ifd1-") {
                let plain = String(name.dropFirst("exif-ifd0-".count))
                if plain != "Orientation" { found[plain] = image.string(name) }
            }
            return found
        }
        let (one, other) = (entries(a), entries(b))
        // What says how large the picture is may be put right.
        let sizes = ["PixelXDimension": b.width, "PixelYDimension": b.pageHeight]
        return Set(one.keys).union(other.keys).filter { name in
            guard one[name] != other[name] else { return false }
            return sizes[name].map { other[name]?.hasPrefix("\($0) ") != true } ?? true
        }.sorted()
    }
}
