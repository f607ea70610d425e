/// Numbers of either byte order in bytes of unknown honesty: outside there are none.
struct OrderedBytes {
    var bytes: [UInt8]
    let isBigEndian: Bool

    func u16(_ at: Int) -> Int? { number(at, 2) }
    func u32(_ at: Int) -> Int? { number(at, 4) }
    /// `nil` as well for what no file is long enough for.
    func u64(_ at: Int) -> Int? { number(at, 8).flatMap { $0 >= 0 && $0 < 1 << 56 ? $0 : nil } }

    private func number(_ at: Int, _ count: Int) -> Int? {
        guard at >= 0, at <= bytes.count - count else { return nil }
        var value = 0
        for index in 0..<count { value = value << 8 | Int(bytes[isBigEndian ? at + index : at + count - 1 - index]) }
        return value
    }

    mutating func put16(_ value: Int, _ at: Int) { put(value, at, 2) }
    mutating func put32(_ value: Int, _ at: Int) { put(value, at, 4) }

    private mutating func put(_ value: Int, _ at: Int, _ count: Int) {
        guard at >= 0, at <= bytes.count - count else { return }
        for index in 0..<count {
            bytes[isBigEndian ? at + count - 1 - index : at + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
        }
    }

    mutating func zero(_ range: Range<Int>) {
        for at in range.clamped(to: 0..<bytes.count) { bytes[at] = 0 }
    }
}

/// A small TIFF structure held in a marker segment: EXIF and MPF.
struct SegmentDirectory {
    struct Entry {
        let tag: Int
        let type: Int
        let count: Int
        /// Where the value is: in the entry itself, or where it points to.
        let value: Int
    }

    let entries: [Entry]
    let range: Range<Int>
    /// The offset of the next directory, and where that offset is written.
    let next: Int
    let nextField: Int

    /// - Returns: `nil` when it does not lie in the bytes.
    init?(_ tiff: OrderedBytes, at offset: Int) {
        guard offset >= 8, let count = tiff.u16(offset), let next = tiff.u32(offset + 2 + 12 * count) else { return nil }
        let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
        var entries: [Entry] = []
        for index in 0..<count {
            let at = offset + 2 + 12 * index
            guard let tag = tiff.u16(at), let type = tiff.u16(at + 2), let number = tiff.u32(at + 4),
                let pointer = tiff.u32(at + 8)
            else {
                return nil
            }
            let size = number * (type < sizes.count ? sizes[type] : 0)
            entries.append(Entry(tag: tag, type: type, count: number, value: size <= 4 ? at + 8 : pointer))
        }
        self.entries = entries
        self.next = next
        nextField = offset + 2 + 12 * count
        range = offset..<nextField + 4
    }

    func entry(_ tag: Int) -> Entry? { entries.first { $0.tag == tag } }

    /// The whole numbers of an entry; empty where there are none.
    func values(_ tag: Int, _ tiff: OrderedBytes) -> [Int] {
        guard let entry = entry(tag), entry.type == 3 || entry.type == 4, entry.count <= 4096 else { return [] }
        return (0..<entry.count).compactMap { entry.type == 3 ? tiff.u16(entry.value + 2 * $0) : tiff.u32(entry.value + 4 * $0) }
    }
}

extension OrderedBytes {
    /// Bytes that begin with a TIFF header; its byte order counts.
    init?(tiff bytes: [UInt8]) {
        guard bytes.count >= 8, bytes[0] == bytes[1], bytes[0] == 0x49 || bytes[0] == 0x4D else { return nil }
        self.init(bytes: bytes, isBigEndian: bytes[0] == 0x4D)
        guard u16(2) == 42 else { return nil }
    }
}
