import LabelpipeKit
import Splice
import Vips

/// The segments of a JPEG that is written.
struct JPEGMetadata {
    let blocks: MetadataBlocks
    let policy: OutputKeys.MetadataPolicy
    /// Whether blocks are others than the source's segments hold.
    let isChanged: Bool

    private static let exif = Array("Exif\0\0".utf8)
    private static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let photoshop = Array("Photoshop 3.0\0".utf8)
    private static let profile = Array("ICC_PROFILE\0".utf8)
    private static let jfif = Array("JFIF\0".utf8)
    private static let largest = 65533

    /// A source's segments, with metadata in place of its own where that changed.
    func segments(of all: [JPEGSegment], notes: inout [Note]) -> [JPEGSegment] {
        guard isChanged else { return all }
        var kept = all
        let dropsAll = policy == .strip || policy == .rights
        kept.removeAll { segment in
            let payload = segment.payload
            switch segment.marker {
            // JFIF and Adobe say how to read the picture.
            case 0xE0, 0xEE: return false
            case 0xE1: return dropsAll || payload.starts(with: Self.exif) || payload.starts(with: Self.xmp)
            case 0xE2: return dropsAll && !payload.starts(with: Self.profile)
            case 0xED: return dropsAll || payload.starts(with: Self.photoshop)
            default: return dropsAll
            }
        }
        let place = kept.firstIndex { $0.marker != 0xE0 } ?? kept.endIndex
        kept.insert(contentsOf: own(notes: &notes), at: place)
        return kept
    }

    /// EXIF, XMP and IPTC, each in its segment.
    func own(notes: inout [Note]) -> [JPEGSegment] {
        var own: [(name: String, segment: JPEGSegment)] = []
        if let exif = blocks.exif { own.append(("EXIF", JPEGSegment(marker: 0xE1, payload: Self.exif + exif))) }
        if let xmp = blocks.xmp { own.append(("XMP", JPEGSegment(marker: 0xE1, payload: Self.xmp + xmp))) }
        if let iptc = blocks.iptc.flatMap({ IPTCBlock.resources($0, withRecordsAlone: true) }) {
            own.append(("IPTC", JPEGSegment(marker: 0xED, payload: Self.photoshop + iptc)))
        }
        for (name, segment) in own where segment.payload.count > Self.largest {
            notes.append(
                Note(
                    .warning, "metadata-lost",
                    "\(name) of \(segment.payload.count) bytes does not fit into a JPEG; it is left out"))
        }
        return own.map(\.segment).filter { $0.payload.count <= Self.largest }
    }

    /// Segments whose colour profile and colour transform are those of the picture that is written.
    static func coloured(_ segments: [JPEGSegment], image: Image, source: Image?) -> [JPEGSegment] {
        var segments = segments
        if image.profile != source?.profile {
            segments.removeAll { $0.marker == 0xE2 && $0.payload.starts(with: profile) }
            let place = segments.firstIndex { $0.marker != 0xE0 && $0.marker != 0xE1 } ?? segments.endIndex
            segments.insert(contentsOf: profileSegments(image), at: place)
        }
        // Adobe's mark says how many channels there are and what they mean.
        if image.bands != source?.bands { segments.removeAll { $0.marker == 0xEE } }
        return segments
    }

    /// JFIF's segment with the picture's resolution; nil where it has none.
    static func density(_ image: Image) -> JPEGSegment? {
        let (x, y) = (image.xResolution * 25.4, image.yResolution * 25.4)
        guard image.hasResolution, (1...65535).contains(x.rounded()), (1...65535).contains(y.rounded()) else { return nil }
        // Whole numbers of whichever unit has them.
        func isWhole(_ value: Double) -> Bool { abs(value - value.rounded()) < 0.01 }
        let usesCentimetres = !(isWhole(x) && isWhole(y)) && isWhole(image.xResolution * 10) && isWhole(image.yResolution * 10)
        let numbers = (usesCentimetres ? [image.xResolution * 10, image.yResolution * 10] : [x, y]).map { Int($0.rounded()) }
        let payload = jfif + [1, 1, usesCentimetres ? 2 : 1] + numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } + [0, 0]
        return JPEGSegment(marker: 0xE0, payload: payload)
    }

    /// **Source**: ICC.1:2010, B.4, "Embedding ICC profiles in JPEG files".
    private static func profileSegments(_ image: Image) -> [JPEGSegment] {
        guard let profile = image.profile else { return [] }
        let size = 65519
        let count = (profile.count + size - 1) / size
        guard count <= 255 else { return [] }
        return (0..<count).map { index in
            let part = profile[(index * size)..<min(profile.count, (index + 1) * size)]
            return JPEGSegment(marker: 0xE2, payload: Self.profile + [UInt8(index + 1), UInt8(count)] + part)
        }
    }
}

extension Image {
    /// libvips says 72 dpi, or 1 px/mm, for "none".
    var hasResolution: Bool {
        ![xResolution, yResolution].allSatisfy { abs($0 * 25.4 - 72) < 0.01 || abs($0 - 1) < 0.001 }
    }
}
