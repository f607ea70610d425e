// The EXIF thumbnail is a picture like the one around it, only smaller: it gets the label in its size, by the same splicer.
extension JPEGSplicer {
    /// Patterns of more places are not looked at once more for the thumbnail's sake.
    private static let mostPatches = 64

    /// The thumbnail with the label; nil where there is none, or none that shows the whole picture and nothing else: such a one
    /// is better dropped.
    func labelledThumbnail(_ patches: [Patch]) -> [UInt8]? {
        guard patches.count <= Self.mostPatches else { return nil }
        for segment in header.segments
        where segment.marker == 0xE1 && segment.range.upperBound <= header.scans[0].data.lowerBound {
            guard let thumbnail = exifThumbnail(Array(source[segment.payload])) else { continue }
            // What is wrong with a thumbnail is no fault of the picture.
            return thumbnail.withUnsafeBytes { try? labelled($0, patches) }
        }
        return nil
    }

    private func labelled(_ thumbnail: UnsafeRawBufferPointer, _ patches: [Patch]) throws -> [UInt8]? {
        let splicer = try JPEGSplicer(thumbnail)
        let small = splicer.header
        // Cameras put bars around thumbnails of other proportions.
        let difference = small.width * header.height - small.height * header.width
        guard small.width < header.width, small.height < header.height, abs(difference) <= max(header.width, header.height),
            small.colour.channels == header.colour.channels
        else { return nil }
        let page = Area(x: 0, y: 0, width: small.width, height: small.height)
        let own = try patches.compactMap { patch in
            try Sheet(patch).scaled(from: (header.width, header.height), to: (small.width, small.height))?.patch(in: page)
        }
        var options = Options()
        options.limit = 1
        final class Bytes { var all: [UInt8] = [] }
        let collected = Bytes()
        let outcome = try splicer.splice(own, options: options) { collected.all.append(contentsOf: $0) }
        guard case .spliced(_, let touched, _, _) = outcome, touched > 0 else { return nil }
        return collected.all
    }
}
