import Diagnostics

/// Says in what two pictures differ: `labelpipe verify`.
package struct CompareRequest: Sendable {
    package var key: Int
    package var input: BytePath
    package var output: BytePath
    /// Where something was drawn: x, y, width, height in the upright picture, **px**; nil: found by what differs.
    package var boxes: [[Int]]?
    /// Outside the boxes differences down to this are no finding, **dB**; nil: none may be there.
    package var leastPSNR: Double?

    package init(key: Int = 0, input: BytePath, output: BytePath) {
        self.key = key
        self.input = input
        self.output = output
    }

    func write(to writer: inout JSONWriter) {
        writer.member("request", "compare")
        writer.member("key", key)
        writer.member("input", bytes: input.bytes)
        writer.member("output", bytes: output.bytes)
        if let boxes { writer.member("boxes", boxes: boxes) }
        if let leastPSNR { writer.member("psnr", leastPSNR) }
    }

    init(key: Int, _ message: JSONValue) {
        self.key = key
        input = message.path("input") ?? BytePath("")
        output = message.path("output") ?? BytePath("")
        boxes = message["boxes"].map { _ in message.boxes("boxes") }
        leastPSNR = message["psnr"]?.double
    }
}

/// In what two pictures differ.
package struct CompareReply: Sendable {
    /// One of the two.
    package struct Side: Sendable, Equatable {
        package var format = ""
        package var size = PictureSize(width: 0, height: 0)
        package var bands = 0
        /// Of a sample.
        package var bits = 0
        package var bytes = 0
    }

    /// How many of what differ.
    package struct Share: Sendable, Equatable {
        package var all = 0
        package var differing = 0
        package var percent: Double { all == 0 ? 0 : 100 * Double(differing) / Double(all) }
    }

    package var input = Side()
    package var output = Side()
    /// Where something was drawn: as asked for, or as found. Upright, **px**.
    package var boxes: [[Int]] = []
    package var areBoxesFound = false
    /// Side of the blocks that are counted, **px**.
    package var blockSide = 8
    /// Outside the boxes.
    package var pixels = Share()
    package var blocks = Share()
    /// The greatest difference of a sample outside, as a part of full intensity.
    package var greatest = 0.0
    /// Outside the boxes, **dB**; nil: nothing differs.
    package var psnr: Double?
    /// Of the whole picture.
    package var wholePSNR: Double?
    /// Whether any pixel differs anywhere.
    package var isIdentical = false
    /// `exif`, `xmp`, `iptc`, `profile`: `same`, `rewritten` (other bytes that say the same), `changed`, `lost`, `added`; those
    /// that neither has are left out.
    package var metadata: [(name: String, state: String)] = []
    /// What should not be.
    package var findings: [Diagnostic] = []

    package init() {}

    package func write(to writer: inout JSONWriter) {
        for (name, side) in [("from", input), ("to", output)] {
            writer.key(name)
            writer.object {
                $0.member("format", side.format)
                side.size.write(to: &$0)
                $0.member("bands", side.bands)
                $0.member("bits", side.bits)
                $0.member("bytes", side.bytes)
            }
        }
        writer.member("boxes", boxes: boxes)
        writer.member("boxesFound", areBoxesFound)
        writer.key("outside")
        writer.object {
            $0.member("pixels", pixels.all)
            $0.member("differingPixels", pixels.differing)
            $0.member("blockSide", blockSide)
            $0.member("blocks", blocks.all)
            $0.member("differingBlocks", blocks.differing)
            $0.member("greatest", greatest)
            if let psnr { $0.member("psnr", psnr) }
        }
        writer.member("identical", isIdentical)
        if let wholePSNR { writer.member("psnr", wholePSNR) }
        writer.key("metadata")
        writer.object { for block in metadata { $0.member(block.name, block.state) } }
        writer.member("found", findings: findings)
    }

    init(_ message: JSONValue) {
        input = Side(message["from"])
        output = Side(message["to"])
        boxes = message.boxes("boxes")
        areBoxesFound = message["boxesFound"]?.bool ?? false
        if let outside = message["outside"] {
            blockSide = outside["blockSide"]?.integer ?? 8
            pixels = Share(all: outside["pixels"]?.integer ?? 0, differing: outside["differingPixels"]?.integer ?? 0)
            blocks = Share(all: outside["blocks"]?.integer ?? 0, differing: outside["differingBlocks"]?.integer ?? 0)
            greatest = outside["greatest"]?.double ?? 0
            psnr = outside["psnr"]?.double
        }
        isIdentical = message["identical"]?.bool ?? false
        wholePSNR = message["psnr"]?.double
        metadata = message["metadata"]?.members?.map { ($0.key, $0.value.string ?? "") } ?? []
        findings = message.findings("found")
    }
}

extension CompareReply.Side {
    init(_ message: JSONValue?) {
        guard let message else { return }
        format = message["format"]?.string ?? ""
        size = PictureSize(message) ?? size
        bands = message["bands"]?.integer ?? 0
        bits = message["bits"]?.integer ?? 0
        bytes = message["bytes"]?.integer ?? 0
    }
}

extension JSONValue {
    fileprivate func boxes(_ key: String) -> [[Int]] {
        self[key]?.elements?.map { $0.elements?.compactMap(\.integer) ?? [] }.filter { $0.count == 4 } ?? []
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, boxes: [[Int]]) {
        key(name)
        array { list in for box in boxes { list.array { for side in box { $0.number(side) } } } }
    }
}

extension Diagnostics {
    /// The same findings, about a file.
    func about(_ path: BytePath) -> Diagnostics {
        Diagnostics(
            all.map {
                var finding = $0
                finding.file = path.description
                return finding
            })
    }
}
