import LabelpipeKit
import Outline
import Splice
import Vips

/// JPEG from JPEG without decoding what no label touches.
struct JPEGSplicing: Splicing {
    let settings: OutputSettings
    let source: JPEGSource

    private var header: JPEGHeader { source.header }

    /// Why the document's output keys need every pixel encoded again; nil where they don't.
    private var obstacleInSettings: String? {
        if settings.jpeg == .reencode { return "as the document says" }
        if settings.quality != nil { return "the document sets a quality" }
        if settings.subsampling != nil { return "the document sets a subsampling" }
        if settings.interlace != nil { return "the document sets interlace" }
        if settings.profile != .keep { return "the document converts the profile" }
        return nil
    }

    /// More tiles than this are no label, and would be looked through for every row of blocks.
    private static let mostPlaces = 20_000

    /// Copies what is not touched and encodes the rest; the obstacle says why not, and nothing is written then.
    func splice(_ picture: Picture, to descriptor: Int32) throws -> Swift.Result<Saving.Report, Obstacle> {
        if let reason = obstacleInSettings { return .failure(Obstacle(reason: reason)) }
        guard let provenance = picture.provenance else { return .failure(Obstacle(reason: "the picture itself was changed")) }
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
            patches.append(Patch(x: region.x, y: region.y, stamp: try stamp(touch.patch, region)))
        }
        guard settings.metadata != .keep || !settings.set.isEmpty else {
            return try splice(patches, source.splicer, [], to: descriptor)
        }
        // Metadata stands in front of the pixels: the splicer gets a source that has the new one already.
        let edited = sourceWithMetadata(picture)
        return try edited.bytes.withUnsafeBytes {
            try splice(patches, try JPEGSplicer($0), edited.notes, to: descriptor)
        }
    }

    private func splice(_ patches: [Patch], _ splicer: JPEGSplicer, _ told: [Note], to descriptor: Int32) throws
        -> Swift.Result<Saving.Report, Obstacle>
    {
        switch try splicer.splice(patches, to: fileSink(descriptor)) {
        case .spliced(let mode, let touched, let total, let notes):
            // How it was done belongs to the mode; the rest is for the user.
            func isMode(_ note: String) -> Bool { note.hasPrefix("by coefficients") || note.hasPrefix("Huffman codes") }
            return .success(
                Saving.Report(
                    mode: (["\(mode): \(touched) of \(total) MCUs encoded anew"] + notes.filter(isMode)).joined(separator: ", "),
                    notes: told + notes.filter { !isMode($0) }.map { Note(.note, "jpeg", $0) }))
        case .unsuitable(let reason):
            // Decoders skip them, and show what a fault in front of them has made of the picture.
            return .failure(Obstacle(reason: reason, isDamage: reason.hasPrefix("stray bytes behind MCU")))
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

    /// The source with the metadata that the document asks for.
    ///
    /// **Cost**: a copy of the file in memory.
    private func sourceWithMetadata(_ picture: Picture) -> (bytes: [UInt8], notes: [Note]) {
        let bytes = source.file.bytes
        let image = picture.image
        let editing = MetadataEditing(settings: settings, orientation: image.orientation, resized: nil)
        let (blocks, told) = editing.edited(MetadataBlocks(image))
        var notes = told
        let keepsTrailer = settings.metadata == .keep || settings.metadata == .noLocation
        if !keepsTrailer, header.trailer.count > 64 {
            notes.append(
                Note(.note, "jpeg", "\(header.trailer.count) bytes behind the picture's end are dropped with the metadata"))
        }
        let all = JPEGSegment.all(of: header, in: bytes)
        let kept = JPEGMetadata(blocks: blocks, policy: settings.metadata, isChanged: true).segments(of: all, notes: &notes)
        var made: [UInt8] = [0xFF, 0xD8]
        let start = header.scans[0].segment.lowerBound
        let others = header.segments.filter {
            !(0xE0...0xEF).contains($0.marker) && $0.marker != 0xFE && $0.range.upperBound <= start
        }
        let own = kept.reduce(0) { $0 + 4 + $1.payload.count } + others.reduce(0) { $0 + $1.range.count }
        // How far everything behind the segments moves.
        let moved = 2 + own - start
        for segment in kept {
            var payload = segment.payload
            if segment.marker == 0xE2,
                let old = header.segments.first(where: { bytes[$0.payload].elementsEqual(segment.payload) })
            {
                MultiPictureIndex.move(&payload, by: moved - (made.count + 4 - old.payload.lowerBound))
            }
            made += [0xFF, segment.marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
        }
        for segment in others { made += bytes[segment.range] }
        made += bytes[start..<(keepsTrailer ? bytes.count : header.trailer.lowerBound)]
        return (made, notes)
    }
}

/// The index of further pictures, whose places are counted from its own.
///
/// **Source**: CIPA DC-007, 5.2.3: tag 0xB002, 16 bytes a picture, the place in the third word, 0 for the first.
enum MultiPictureIndex {
    static func move(_ payload: inout [UInt8], by distance: Int) {
        let head = 4
        guard distance != 0, payload.starts(with: Array("MPF\0".utf8)), payload.count > head + 8 else { return }
        let isBigEndian = payload[head] == 0x4D
        func number(_ at: Int, _ count: Int) -> Int? {
            guard at >= 0, at + count <= payload.count else { return nil }
            let bytes = payload[at..<(at + count)]
            return (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        guard let directory = number(head + 4, 4), let count = number(head + directory, 2) else { return }
        for index in 0..<count {
            let entry = head + directory + 2 + 12 * index
            guard number(entry, 2) == 0xB002, let size = number(entry + 4, 4), let place = number(entry + 8, 4) else { continue }
            for picture in 0..<(size / 16) {
                let at = head + place + 16 * picture + 8
                guard let old = number(at, 4), old != 0 else { continue }
                let bytes = [UInt8](bigEndian32: old + distance)
                payload.replaceSubrange(at..<(at + 4), with: isBigEndian ? bytes : bytes.reversed())
            }
        }
    }
}
