/// The index of a file of several pictures, and what becomes of it when the first picture changes its size.
///
/// - **Source**: CIPA DC-007, Multi-Picture Format: tags 0xB001 (number), 0xB002 (16 bytes a picture: attributes, size, offset
///   from this header, two dependent pictures).
struct MultiPicture {
    struct Picture {
        let attributes: Int
        /// In the source.
        let range: Range<Int>
        let dependents: [Int]

        /// A smaller rendering of the first picture.
        var isPreview: Bool { attributes >> 16 & 0xFF == 1 }
    }

    /// The segment's payload in the source.
    let payload: Range<Int>
    let pictures: [Picture]
    private let tiff: OrderedBytes
    private let numberAt: Int
    private let listEntryAt: Int
    private let listAt: Int

    /// The header that offsets are counted from.
    private var base: Int { payload.lowerBound + 4 }
    /// Pictures that are dropped.
    var previews: [Range<Int>] { pictures.dropFirst().filter(\.isPreview).map(\.range) }
    var kept: [Picture] { pictures.enumerated().filter { $0.offset == 0 || !$0.element.isPreview }.map(\.element) }

    /// - Returns: `nil` when the index is broken or points elsewhere than behind the first picture.
    init?(_ source: UnsafeRawBufferPointer, _ payload: Range<Int>, trailer: Range<Int>) {
        guard let tiff = OrderedBytes(tiff: Array(source[payload].dropFirst(4))), let first = tiff.u32(4),
            let directory = SegmentDirectory(tiff, at: first), let count = directory.values(0xB001, tiff).first,
            let number = directory.entry(0xB001), let list = directory.entry(0xB002), 2...64 ~= count, list.count == 16 * count,
            number.type == 4, list.value + list.count <= tiff.bytes.count
        else { return nil }
        self.payload = payload
        self.tiff = tiff
        numberAt = number.value
        listAt = list.value
        listEntryAt = directory.range.lowerBound + 2 + 12 * directory.entries.firstIndex { $0.tag == 0xB002 }!
        var pictures: [Picture] = []
        for index in 0..<count {
            let at = list.value + 16 * index
            guard let attributes = tiff.u32(at), let size = tiff.u32(at + 4), let offset = tiff.u32(at + 8),
                let one = tiff.u16(at + 12), let other = tiff.u16(at + 14)
            else { return nil }
            let start = index == 0 ? 0 : payload.lowerBound + 4 + offset
            let range = start..<start + size
            guard index == 0 || (range.lowerBound >= trailer.lowerBound && range.upperBound <= trailer.upperBound) else {
                return nil
            }
            pictures.append(Picture(attributes: attributes, range: range, dependents: [one, other]))
        }
        self.pictures = pictures
    }

    /// The payload for an output; as long as the source's.
    ///
    /// - Parameters:
    ///   - size: of the first picture in the output.
    ///   - payloadAt: where this payload begins in the output.
    ///   - moved: from a position behind the first picture in the source to the same in the output.
    func patched(size: Int, payloadAt: Int, moved: (Int) -> Int) -> [UInt8] {
        var tiff = self.tiff
        let numbers = pictures.indices.filter { $0 == 0 || !pictures[$0].isPreview }
        tiff.zero(listAt..<listAt + 16 * pictures.count)
        for (index, number) in numbers.enumerated() {
            let picture = pictures[number]
            let at = listAt + 16 * index
            tiff.put32(picture.attributes, at)
            tiff.put32(index == 0 ? size : picture.range.count, at + 4)
            tiff.put32(index == 0 ? 0 : moved(picture.range.lowerBound) - payloadAt - 4, at + 8)
            for (place, dependent) in picture.dependents.enumerated() {
                tiff.put16((numbers.firstIndex(of: dependent - 1) ?? -1) + 1, at + 12 + 2 * place)
            }
        }
        tiff.put32(numbers.count, numberAt)
        tiff.put32(16 * numbers.count, listEntryAt + 4)
        return Array("MPF\0".utf8) + tiff.bytes
    }
}
