import LabelpipeKit
import Splice
import Vips

/// Every pixel of a JPEG encoded by libjpeg: with a source JPEG's own tables, sampling, progression and restart interval as far
/// as the document keeps them.
struct JPEGEncoding {
    let settings: OutputSettings
    /// Of the source, where that is a JPEG.
    let header: JPEGHeader?

    /// - Parameter image: 8 bit; grey, RGB or CMYK.
    func encode(_ image: Image, segments: [JPEGSegment], to descriptor: Int32) throws {
        let encoder = try JPEGEncoder(
            width: image.width, height: image.height, settings: encoding(of: image), segments: segments,
            sink: fileSink(descriptor))
        let rowBytes = image.width * image.bands
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

    private var subsampling: JPEGSettings.Subsampling? {
        switch settings.subsampling {
        case "4:4:4": .s444
        case "4:2:2": .s422
        case "4:2:0": .s420
        default: nil
        }
    }

    private func encoding(of image: Image) -> JPEGSettings {
        let colour: JPEGHeader.Colour = image.bands == 1 ? .grey : image.bands == 3 ? .yCbCr : .ycck
        let like = header.flatMap { $0.colour.channels == image.bands ? JPEGSettings.like($0) : nil }
        var made: JPEGSettings
        if settings.quality == nil, subsampling == nil, let like {
            made = like
        } else {
            made = JPEGSettings.quality(settings.quality ?? 90, subsampling: subsampling ?? .s444, colour: colour)
            made.huffman = .optimised
            made.isProgressive = header?.isProgressive ?? false
            made.restartInterval = header?.restartInterval ?? 0
            if settings.quality == nil, let header, let table = header.components.first?.quantisation, table.count == 64 {
                // The source's tables, by brightness and colour.
                let second = header.components.count > 1 ? header.components[1].quantisation : table
                made.quantisation = (0..<image.bands).map { $0 == 0 || $0 == 3 ? table : second }
            }
            if settings.quality != nil, subsampling == nil, let like {
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

    /// Writes what follows a source's picture behind a finished one, and the index that says where.
    static func add(_ surroundings: JPEGSurroundings, of source: JPEGSource, to descriptor: Int32) throws {
        let file = FileEdit(output: descriptor)
        let size = try file.size
        var at = 2
        while let head = try file.read(at, 8), head[0] == 0xFF, head[1] != 0xDA {
            if head[1] == 0xE2, head[4..<8].elementsEqual("MPF\0".utf8),
                let payload = surroundings.indexPayload(size: size, payloadAt: at + 4)
            {
                try file.write(payload, at: at + 4)
            }
            at += 2 + Int(head[2]) << 8 + Int(head[3])
        }
        var end = size
        for range in surroundings.trailer {
            try file.write(Array(source.file.bytes[range]), at: end)
            end += range.count
        }
    }
}
