import LabelpipeKit
import Splice
import Vips

/// The segments of a JPEG that is encoded again.
struct JPEGMetadata {
    let blocks: MetadataBlocks
    let isChanged: Bool
    let image: Image
    let source: Image?

    init(_ blocks: MetadataBlocks, isChanged: Bool, image: Image, source: Image?) {
        (self.blocks, self.isChanged, self.image, self.source) = (blocks, isChanged, image, source)
    }

    private static let exif = Array("Exif\0\0".utf8)
    private static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let extendedXMP = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
    private static let profile = Array("ICC_PROFILE\0".utf8)

    /// The source's, with profile and metadata in place of its own where those changed.
    func segments(_ all: [JPEGSegment]) -> [JPEGSegment] {
        var kept = all
        if isChanged {
            // JFIF and Adobe say how to read the picture; the profile has its own rule; all else is metadata.
            kept.removeAll { segment in
                switch segment.marker {
                case 0xE0, 0xEE: false
                case 0xE2: !segment.payload.starts(with: JPEGMetadata.profile)
                default: true
                }
            }
            var own: [JPEGSegment] = []
            let exif = blocks.exif ?? orientationAlone
            if let exif { own.append(JPEGSegment(marker: 0xE1, payload: JPEGMetadata.exif + exif)) }
            if let xmp = blocks.xmp { own.append(JPEGSegment(marker: 0xE1, payload: JPEGMetadata.xmp + xmp)) }
            if let iptc = blocks.iptc { own.append(JPEGSegment(marker: 0xED, payload: iptc)) }
            // Too large for a segment: more than a writer could have meant.
            own.removeAll { $0.payload.count > 65533 }
            let place = kept.firstIndex { $0.marker != 0xE0 } ?? kept.endIndex
            kept.insert(contentsOf: own, at: place)
        }
        if image.profile != source?.profile {
            kept.removeAll { $0.marker == 0xE2 && $0.payload.starts(with: JPEGMetadata.profile) }
            let place = kept.firstIndex { $0.marker != 0xE0 && $0.marker != 0xE1 } ?? kept.endIndex
            kept.insert(contentsOf: profileSegments, at: place)
        }
        // Adobe's mark says how many channels there are and what they mean.
        if image.bands != source?.bands { kept.removeAll { $0.marker == 0xEE } }
        return kept
    }

    /// Orientation is no metadata: without it the picture lies on its side.
    private var orientationAlone: [UInt8]? {
        guard image.orientation != 1 else { return nil }
        var notes: [Note] = []
        return ExifBlock.edited(
            MetadataBlocks(image).exif, keep: .strip, set: [:], orientation: image.orientation, notes: &notes)
    }

    /// **Source**: ICC.1:2010, B.4, "Embedding ICC profiles in JPEG files".
    private var profileSegments: [JPEGSegment] {
        guard let profile = image.profile else { return [] }
        let size = 65519
        let count = (profile.count + size - 1) / size
        guard count <= 255 else { return [] }
        return (0..<count).map { index in
            let part = profile[(index * size)..<min(profile.count, (index + 1) * size)]
            return JPEGSegment(marker: 0xE2, payload: JPEGMetadata.profile + [UInt8(index + 1), UInt8(count)] + part)
        }
    }
}
