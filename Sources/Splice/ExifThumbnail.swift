/// The thumbnail in the payload of an EXIF segment, where it is a JPEG.
func exifThumbnail(_ payload: [UInt8]) -> [UInt8]? {
    guard payload.starts(with: "Exif\0\0".utf8), let tiff = OrderedBytes(tiff: Array(payload[6...])), let first = tiff.u32(4),
        let primary = SegmentDirectory(tiff, at: first), let second = SegmentDirectory(tiff, at: primary.next),
        let offset = second.values(0x201, tiff).first, let count = second.values(0x202, tiff).first, offset >= 8, count > 4,
        count <= tiff.bytes.count, offset <= tiff.bytes.count - count
    else { return nil }
    return Array(tiff.bytes[offset..<(offset + count)])
}

/// The payload of an EXIF segment with its thumbnails renewed or gone; `nil` when it has none.
///
/// Nothing else in it moves: maker notes and others may point anywhere. The thumbnail's bytes are zeroed, and cut off where they
/// are the last.
///
/// - **Source**: Exif 2.3, 4.6.5 and 4.8: IFD1 with JPEGInterchangeFormat (0x201, 0x202) or strips (0x111, 0x117).
func exifPayload(_ payload: [UInt8], thumbnail: [UInt8]?) -> (payload: [UInt8], isRenewed: Bool)? {
    let prefix = 6  // "Exif\0\0"
    guard payload.count > prefix, var tiff = OrderedBytes(tiff: Array(payload[prefix...])), let first = tiff.u32(4),
        let primary = SegmentDirectory(tiff, at: first), primary.next != 0
    else { return nil }
    var directories: [SegmentDirectory] = []
    var offset = primary.next
    while directories.count < 8, let directory = SegmentDirectory(tiff, at: offset) {
        directories.append(directory)
        offset = directory.next
        if offset == 0 { break }
    }
    if let thumbnail, let second = directories.first, let renewed = renew(thumbnail, second, tiff, room: 65533 - prefix) {
        // Any further directory would be another preview.
        var renewed = renewed
        renewed.put32(0, second.nextField)
        for directory in directories.dropFirst() { _ = drop(directory, &renewed) }
        return (Array(payload[..<prefix] + renewed.bytes), true)
    }
    tiff.put32(0, primary.nextField)
    var end = tiff.bytes.count
    for directory in directories { end = min(end, drop(directory, &tiff)) }
    return (Array(payload[..<prefix] + tiff.bytes[..<end]), false)
}

/// Zeroes a directory and its picture.
///
/// - Returns: where the bytes may be cut off.
private func drop(_ directory: SegmentDirectory, _ tiff: inout OrderedBytes) -> Int {
    var end = tiff.bytes.count
    for range in pictures(directory, tiff) {
        tiff.zero(range)
        if range.upperBound >= end - 1 && range.lowerBound >= directory.range.upperBound { end = min(end, range.lowerBound) }
    }
    tiff.zero(directory.range)
    return max(end, 8)
}

/// Where a directory's picture is: one JPEG, or strips.
private func pictures(_ directory: SegmentDirectory, _ tiff: OrderedBytes) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for (offsets, counts) in [(0x201, 0x202), (0x111, 0x117)] {
        for (offset, count) in zip(directory.values(offsets, tiff), directory.values(counts, tiff)) {
            ranges.append(offset..<offset + count)
        }
    }
    return ranges
}

/// Puts another JPEG in the thumbnail's place, or behind everything else if it is too long for that.
private func renew(_ jpeg: [UInt8], _ directory: SegmentDirectory, _ tiff: OrderedBytes, room: Int) -> OrderedBytes? {
    guard let offset = directory.values(0x201, tiff).first, let count = directory.values(0x202, tiff).first,
        let offsetEntry = directory.entry(0x201), let countEntry = directory.entry(0x202), offsetEntry.type == 4,
        offset >= 8, offset + count <= tiff.bytes.count
    else { return nil }
    var tiff = tiff
    tiff.zero(offset..<offset + count)
    if offset + count >= tiff.bytes.count - 1 && offset >= directory.range.upperBound { tiff.bytes.removeSubrange(offset...) }
    var place = offset
    if jpeg.count <= count && offset + jpeg.count <= tiff.bytes.count {
        tiff.bytes.replaceSubrange(offset..<offset + jpeg.count, with: jpeg)
    } else {
        place = tiff.bytes.count
        tiff.bytes += jpeg
    }
    guard tiff.bytes.count <= room, countEntry.type == 4 || jpeg.count < 65536 else { return nil }
    tiff.put32(place, offsetEntry.value)
    if countEntry.type == 4 { tiff.put32(jpeg.count, countEntry.value) } else { tiff.put16(jpeg.count, countEntry.value) }
    return tiff
}
