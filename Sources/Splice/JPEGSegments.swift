/// What stands around a JPEG's own picture, for one that is encoded again with a label: no preview stays without it.
package struct JPEGSurroundings {
    /// APPn and COM, in order. An index of further pictures has its place, but not yet its numbers.
    package let segments: [JPEGSegment]
    /// What was dropped, or is kept although it shows no label.
    package let notes: [String]
    /// Stretches of the source behind the picture's end that stay.
    package let trailer: [Range<Int>]
    private let index: MultiPicture?
    private let dropped: [Range<Int>]
    private let end: Int

    /// - Parameter keepsTrailer: whether what follows the picture is still right beside it.
    package init(of header: JPEGHeader, in source: UnsafeRawBufferPointer, keepsTrailer: Bool) {
        var header = header
        func isIndex(_ segment: JPEGHeader.Segment) -> Bool {
            segment.marker == 0xE2 && source[segment.payload].starts(with: Array("MPF\0".utf8))
        }
        if !keepsTrailer {
            header.segments.removeAll(where: isIndex)
            header.trailer = header.trailer.upperBound..<header.trailer.upperBound
        }
        let previews = JPEGPreviews(source, header, thumbnail: nil)
        var segments: [JPEGSegment] = []
        for segment in header.segments where (0xE0...0xEF).contains(segment.marker) || segment.marker == 0xFE {
            if isIndex(segment), previews.index == nil { continue }
            if let edit = previews.edits.first(where: { segment.range.contains($0.range.lowerBound) }) {
                // Either the whole segment goes, or its length and payload are replaced.
                if edit.bytes.count > 2 {
                    segments.append(JPEGSegment(marker: segment.marker, payload: Array(edit.bytes.dropFirst(2))))
                }
            } else {
                segments.append(JPEGSegment(marker: segment.marker, payload: Array(source[segment.payload])))
            }
        }
        self.segments = segments
        notes = previews.notes
        index = previews.index
        dropped = previews.dropped
        end = header.trailer.lowerBound
        trailer = JPEGPreviews.rest(of: header.trailer, without: previews.dropped)
    }

    /// The payload of the index of further pictures; nil where there is none.
    ///
    /// - Parameters:
    ///   - size: of the picture in the output.
    ///   - payloadAt: where the payload begins in the output.
    package func indexPayload(size: Int, payloadAt: Int) -> [UInt8]? {
        index?.patched(size: size, payloadAt: payloadAt) { position in
            size + position - end - dropped.filter { $0.upperBound <= position }.reduce(0) { $0 + $1.count }
        }
    }
}
