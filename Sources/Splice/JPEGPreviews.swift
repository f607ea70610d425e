import Glibc

/// What around a picture must change when a label is drawn into it, so that no preview stays without the label, and what stays
/// although it would: notes for the report.
struct JPEGPreviews {
    private(set) var edits: [Edit] = []
    private(set) var notes: [String] = []
    /// An index of pictures that has to be patched when the first picture's size is known.
    private(set) var index: MultiPicture?
    /// Ranges of the trailer that are left out.
    private(set) var dropped: [Range<Int>] = []

    private let source: UnsafeRawBufferPointer
    private let header: JPEGHeader

    init(_ source: UnsafeRawBufferPointer, _ header: JPEGHeader, thumbnail: [UInt8]?) {
        self.source = source
        self.header = header
        for segment in header.segments where segment.range.upperBound <= header.scans[0].data.lowerBound {
            switch segment.marker {
            case 0xE0: jfif(segment)
            case 0xE1: exif(segment, thumbnail)
            case 0xE2: multiPicture(segment)
            case 0xEB where begins(segment, "JP"): note("content credentials (C2PA) no longer match the picture")
            case 0xED: photoshop(segment)
            default: break
            }
        }
        trailerNotes()
    }

    private mutating func note(_ text: String) {
        if !notes.contains(text) { notes.append(text) }
    }

    private func begins(_ segment: JPEGHeader.Segment, _ text: String) -> Bool { source[segment.payload].starts(with: text.utf8) }

    /// Replaces a segment's payload; the length follows.
    private mutating func replace(_ segment: JPEGHeader.Segment, _ payload: [UInt8]) {
        let start = segment.range.lowerBound + 2
        edits.append(Edit(range: start..<segment.range.upperBound, bytes: bigEndian(payload.count + 2) + payload))
    }

    private mutating func remove(_ segment: JPEGHeader.Segment) { edits.append(Edit(range: segment.range, bytes: [])) }

    private mutating func jfif(_ segment: JPEGHeader.Segment) {
        if begins(segment, "JFXX\0") {
            remove(segment)
            note("JFIF thumbnail dropped")
        }
        let payload = segment.payload
        if begins(segment, "JFIF\0") && payload.count >= 14 && source[payload.lowerBound + 12] != 0
            && source[payload.lowerBound + 13] != 0
        {
            replace(segment, Array(source[payload.prefix(12)]) + [0, 0])
            note("JFIF thumbnail dropped")
        }
    }

    private mutating func exif(_ segment: JPEGHeader.Segment, _ thumbnail: [UInt8]?) {
        if begins(segment, "Exif\0\0") {
            let payload = Array(source[segment.payload])
            if let changed = exifPayload(payload, thumbnail: thumbnail) {
                replace(segment, changed.payload)
                note(changed.isRenewed ? "EXIF thumbnail renewed" : "EXIF thumbnail dropped")
            }
            // Cameras keep larger ones in places of their own; nobody but they knows what else points there.
            if (exifPayload(payload, thumbnail: nil)?.payload ?? payload).withUnsafeBytes({ contains($0, [0xFF, 0xD8, 0xFF]) }) {
                note("a preview in the maker notes is kept, without the label")
            }
        } else if begins(segment, "http://ns.adobe.com/xap/1.0/\0") {
            var payload = Array(source[segment.payload])
            if EmbeddedPreviews.blankThumbnails(ofXMP: &payload) {
                replace(segment, payload)
                note("XMP thumbnail dropped")
            }
        } else if begins(segment, "http://ns.adobe.com/xmp/extension/\0"),
            contains(source.part(segment.payload), Array("xmpGImg:image".utf8))
        {
            note("a preview in extended XMP is kept, without the label")
        }
    }

    private mutating func photoshop(_ segment: JPEGHeader.Segment) {
        let name = "Photoshop 3.0\0"
        guard begins(segment, name),
            let kept = EmbeddedPreviews.withoutThumbnails(Array(source[segment.payload]), from: name.utf8.count)
        else { return }
        if kept.count > name.utf8.count { replace(segment, kept) } else { remove(segment) }
        note("Photoshop thumbnail dropped")
    }

    private mutating func multiPicture(_ segment: JPEGHeader.Segment) {
        guard begins(segment, "MPF\0"), index == nil else { return }
        guard let index = MultiPicture(source, segment.payload, trailer: header.trailer) else {
            return note("the index of further pictures (MPF) is broken and kept as it is")
        }
        dropped = index.previews.sorted { $0.lowerBound < $1.lowerBound }
        if !dropped.isEmpty { note("previews behind the picture (MPF) dropped") }
        if index.kept.count == 1 { remove(segment) } else { self.index = index }
    }

    /// What is left of a range.
    static func rest(of range: Range<Int>, without dropped: [Range<Int>]) -> [Range<Int>] {
        var rest: [Range<Int>] = []
        var done = range.lowerBound
        for gap in dropped where gap.upperBound > done {
            if gap.lowerBound > done { rest.append(done..<gap.lowerBound) }
            done = gap.upperBound
        }
        if done < range.upperBound { rest.append(done..<range.upperBound) }
        return rest
    }

    private mutating func trailerNotes() {
        let marks = ["http://ns.adobe.com/hdr-gain-map/", "urn:iso:std:iso:ts:21496", "HDRGainMap"]
        let kept = Self.rest(of: header.trailer, without: dropped)
        let pictures = kept.contains { contains(source.part($0), [0xFF, 0xD8, 0xFF]) }
        guard pictures else { return }
        let texts = [0..<header.scans[0].data.lowerBound] + kept
        if marks.contains(where: { mark in texts.contains { contains(source.part($0), Array(mark.utf8)) } }) {
            note("a gain map is kept: HDR displays scale the label by it")
        } else {
            note("pictures behind the first are kept, without the label")
        }
    }

}

private func contains(_ bytes: UnsafeRawBufferPointer, _ pattern: [UInt8]) -> Bool {
    position(of: pattern, in: bytes, from: 0) != nil
}

func position(of pattern: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var at = start
    while at + pattern.count <= bytes.count {
        guard let found = memchr(bytes.baseAddress! + at, Int32(pattern[0]), bytes.count - pattern.count - at + 1) else {
            return nil
        }
        at = UnsafeRawPointer(found) - bytes.baseAddress!
        if memcmp(found, pattern, pattern.count) == 0 { return at }
        at += 1
    }
    return nil
}
