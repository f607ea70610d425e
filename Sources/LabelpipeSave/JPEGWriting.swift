import LabelpipeKit
import Outline
import Splice
import Vips

/// JPEG from JPEG: spliced where that can be done, else encoded as the source was.
struct JPEGWriting {
    let settings: OutputSettings
    let file: MappedFile
    let splicer: JPEGSplicer

    /// nil: no JPEG that libjpeg's interface can describe; libvips writes it then.
    init?(_ settings: OutputSettings, source: Saving.Source) {
        guard source.kind == .jpeg, let file = try? MappedFile(descriptor: source.descriptor),
            let splicer = try? JPEGSplicer(file.bytes)
        else { return nil }
        (self.settings, self.file, self.splicer) = (settings, file, splicer)
    }

    private var header: JPEGHeader { splicer.header }

    // MARK: Splice

    /// Why the document's output keys need every pixel encoded again; nil where they don't.
    private var obstacleInSettings: String? {
        if settings.jpeg == .reencode { return "as the document says" }
        if settings.quality != nil { return "the document sets a quality" }
        if settings.subsampling != nil { return "the document sets a subsampling" }
        if settings.interlace != nil { return "the document sets interlace" }
        if settings.profile != .keep { return "the document converts the profile" }
        if settings.metadata != .keep { return "the document drops metadata" }
        if !settings.set.isEmpty { return "the document sets metadata" }
        return nil
    }

    /// More tiles than this are no label, and would be looked through for every row of blocks.
    private static let mostPlaces = 20_000

    /// Copies what is not touched and encodes the rest; a string says why not, and nothing is written then.
    func splice(_ picture: Picture, to descriptor: Int32) throws -> Swift.Result<Saving.Report, Obstacle> {
        if let reason = obstacleInSettings { return .failure(Obstacle(reason: reason)) }
        guard let provenance = picture.provenance else {
            return .failure(Obstacle(reason: "the picture itself was changed"))
        }
        let area = picture.image.width * picture.image.height
        var patches: [Patch] = []
        for touch in provenance.touched {
            guard touch.patch.channels == header.colour.channels else {
                return .failure(Obstacle(reason: "the label has other colours than the file"))
            }
            let region = touch.region
            if region.isEmpty { continue }
            if let pattern = touch.pattern, let moves = pattern.moves(Self.mostPlaces) {
                // Drawn once; the splicer finds out what the places touch together.
                let stamp = try stamp(pattern.patch, pattern.region)
                patches += moves.map { Patch(x: pattern.region.x + $0.dx, y: pattern.region.y + $0.dy, stamp: stamp) }
                continue
            }
            // Nothing would be saved.
            guard region.width * region.height * 10 <= area * 6 else {
                return .failure(Obstacle(reason: "the label covers most of the picture"))
            }
            patches.append(
                Patch(x: region.x, y: region.y, stamp: try stamp(touch.patch, region)))
        }
        switch try splicer.splice(patches, to: fileSink(descriptor)) {
        case .spliced(let mode, let touched, let total, let notes):
            // Why a path was taken belongs to the mode; the rest is for the user.
            let (reasons, told) = (
                notes.filter { $0.hasPrefix("by coefficients") }, notes.filter { !$0.hasPrefix("by coefficients") }
            )
            return .success(
                Saving.Report(
                    mode: (["\(mode): \(touched) of \(total) MCUs encoded anew"] + reasons).joined(separator: ", "),
                    notes: told.map { Note(.note, "jpeg", $0) }))
        case .unsuitable(let reason): return .failure(Obstacle(reason: reason))
        }
    }

    /// The label's pixels in 16 bits, asked for in bands: half of what floats would take, and finer than a JPEG's samples.
    private func stamp(_ patch: any PatchSource, _ region: Region) throws -> Stamp {
        let row = region.width * (patch.channels + 1)
        let rows = max(1, min(region.height, (1 << 18) / max(row, 1)))
        var floats = [Float](repeating: 0, count: row * rows)
        var words: [UInt16] = []
        words.reserveCapacity(row * region.height)
        for y in stride(from: region.y, to: region.maxY, by: rows) {
            let band = Region(x: region.x, y: y, width: region.width, height: min(rows, region.maxY - y))
            try floats.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                try patch.pixels(in: band, into: base, rowStride: row)
                words.append(contentsOf: buffer[..<(row * band.height)].lazy.map { UInt16(min(max($0, 0), 1) * 65535 + 0.5) })
            }
        }
        return try Stamp(width: region.width, height: region.height, channels: patch.channels, samples: .u16(words))
    }

    // MARK: Encode

    /// Encodes with the source's own tables, sampling, progression and restart interval, as far as the document keeps them.
    ///
    /// - Parameter image: 8 bit; grey, RGB or CMYK.
    func encode(_ image: Image, segments: [JPEGSegment], to descriptor: Int32) throws {
        let encoder = try JPEGEncoder(
            width: image.width, height: image.height, settings: encoding(of: image), segments: segments,
            sink: fileSink(descriptor))
        let rowBytes = image.width * image.bands
        // The header's reader has seen the whole file; its pages are the system's again, not this process's.
        file.forget()
        // Each step of libvips' way holds as many rows as are asked for: few, for wide pictures.
        let rows = max(16, min(256, (1 << 18) / max(rowBytes, 1)))
        var buffer = [UInt8](repeating: 0, count: rowBytes * rows)
        for y in stride(from: 0, to: image.height, by: rows) {
            let count = min(rows, image.height - y)
            try buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                try image.read(
                    PixelBox(left: 0, top: y, width: image.width, height: count), into: base, rowStride: rowBytes)
                try encoder.write(rows: UnsafeRawBufferPointer(bytes), stride: rowBytes, count: count)
            }
        }
        try encoder.finish()
    }

    private func encoding(of image: Image) -> JPEGSettings {
        let colour: JPEGHeader.Colour = image.bands == 1 ? .grey : image.bands == 3 ? .yCbCr : .ycck
        let subsampling: JPEGSettings.Subsampling? =
            switch settings.subsampling {
            case "4:4:4": .s444
            case "4:2:2": .s422
            case "4:2:0": .s420
            default: nil
            }
        var made: JPEGSettings
        if settings.quality == nil, subsampling == nil, let like = JPEGSettings.like(header),
            header.colour.channels == image.bands
        {
            made = like
        } else {
            made = JPEGSettings.quality(settings.quality ?? 90, subsampling: subsampling ?? .s444, colour: colour)
            made.huffman = .optimised
            made.isProgressive = header.isProgressive
            made.restartInterval = header.restartInterval
            if settings.quality == nil, let table = header.components.first?.quantisation, table.count == 64 {
                // The source's tables, by brightness and colour.
                let second = header.components.count > 1 ? header.components[1].quantisation : table
                made.quantisation = (0..<image.bands).map { $0 == 0 || $0 == 3 ? table : second }
            }
            if settings.quality != nil, subsampling == nil, header.colour.channels == image.bands,
                let like = JPEGSettings.like(header)
            {
                made.sampling = like.sampling
                made.colour = like.colour
                made.isInverted = like.isInverted
            }
        }
        if let interlace = settings.interlace {
            made.isProgressive = interlace
            made.scans = []
            if interlace { made.huffman = .optimised }
        }
        return made
    }

    /// The source's segments, without previews that show no label, and what was dropped.
    func segments() -> (segments: [JPEGSegment], notes: [String]) {
        JPEGSegment.withoutPreviews(of: header, in: file.bytes)
    }
}
