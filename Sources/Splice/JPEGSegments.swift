extension JPEGSegment {
    /// The APPn and COM segments of a source, in order, for a picture that is encoded again with a label: no preview stays
    /// without it. Notes say what was dropped.
    package static func withoutPreviews(
        of header: JPEGHeader, in source: UnsafeRawBufferPointer
    ) -> (segments: [JPEGSegment], notes: [String]) {
        let previews = JPEGPreviews(source, header, thumbnail: nil)
        var segments: [JPEGSegment] = []
        for segment in header.segments where (0xE0...0xEF).contains(segment.marker) || segment.marker == 0xFE {
            // An index of further pictures would point behind the end of the new file.
            if segment.marker == 0xE2, source[segment.payload].starts(with: Array("MPF\0".utf8)) { continue }
            if let edit = previews.edits.first(where: { segment.range.contains($0.range.lowerBound) }) {
                // Either the whole segment goes, or its length and payload are replaced.
                if edit.bytes.count > 2 {
                    segments.append(JPEGSegment(marker: segment.marker, payload: Array(edit.bytes.dropFirst(2))))
                }
            } else {
                segments.append(JPEGSegment(marker: segment.marker, payload: Array(source[segment.payload])))
            }
        }
        return (segments, previews.notes)
    }
}
