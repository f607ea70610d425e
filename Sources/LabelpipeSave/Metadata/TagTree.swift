/// Tags in directories, as TIFF and EXIF have them: read from anywhere, written as a block of its own.
///
/// Values stay the bytes they are; what points elsewhere is followed or left out, so nothing that was removed stays behind.
/// **Source**: TIFF 6.0, "Image File Directory"; BigTIFF; Exif 2.32, 4.5 and 4.6.
struct TagTree: Equatable {
    struct Tag: Equatable {
        let number: Int
        /// TIFF's: 1 byte, 2 ASCII, 3 short, 4 long, 5 rational, 7 undefined…
        let type: Int
        let count: Int
        /// In the byte order of the tree.
        var bytes: [UInt8]
    }

    enum Directory: Int, CaseIterable {
        case primary, exif, gps, interoperability

        /// The tag that points to it, and where that stands.
        var pointer: (tag: Int, parent: Directory)? {
            switch self {
            case .primary: nil
            case .exif: (0x8769, .primary)
            case .gps: (0x8825, .primary)
            case .interoperability: (0xA005, .exif)
            }
        }
    }

    var isBigEndian = false
    private(set) var tags: [[Tag]] = Array(repeating: [], count: Directory.allCases.count)
    /// Where the maker's note lay: what it points to is counted from the block's beginning.
    private var makerNoteAt: Int?
    /// There was a second directory: a preview.
    private(set) var hasPreview = false

    static let makerNote = 0x927C
    private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
    /// **Units**: bytes. Of all values together; a table of contents may promise any number.
    private static let most = 64 << 20

    init() {}

    subscript(directory: Directory) -> [Tag] {
        get { tags[directory.rawValue] }
        set { tags[directory.rawValue] = newValue }
    }

    var isEmpty: Bool { tags.allSatisfy(\.isEmpty) }

    // MARK: Values

    func tag(_ number: Int, _ directory: Directory = .primary) -> Tag? { self[directory].first { $0.number == number } }

    func number(_ tag: Int, _ directory: Directory = .primary) -> Int? {
        guard let tag = self.tag(tag, directory), tag.count >= 1, tag.type == 3 || tag.type == 4 else { return nil }
        return TagTree.number(tag.bytes.prefix(tag.type == 3 ? 2 : 4), isBigEndian)
    }

    /// The quotient of a rational number.
    func ratio(_ tag: Int, _ directory: Directory = .primary) -> Double? {
        guard let tag = self.tag(tag, directory), tag.count >= 1, tag.type == 5 else { return nil }
        let bottom = TagTree.number(tag.bytes[4..<8], isBigEndian)
        return bottom == 0 ? nil : Double(TagTree.number(tag.bytes[0..<4], isBigEndian)) / Double(bottom)
    }

    mutating func remove(_ number: Int, _ directory: Directory = .primary) { self[directory].removeAll { $0.number == number } }

    mutating func set(_ number: Int, type: Int, count: Int, _ bytes: [UInt8], _ directory: Directory = .primary) {
        remove(number, directory)
        self[directory].append(Tag(number: number, type: type, count: count, bytes: bytes))
    }

    mutating func set(_ number: Int, text: String, _ directory: Directory = .primary) {
        let bytes = Array(text.utf8.filter { $0 != 0 }) + [0]
        set(number, type: 2, count: bytes.count, bytes, directory)
    }

    mutating func set(_ number: Int, short value: Int, _ directory: Directory = .primary) {
        set(number, type: 3, count: 1, encoded(value, 2), directory)
    }

    mutating func set(_ number: Int, long value: Int, _ directory: Directory = .primary) {
        set(number, type: 4, count: 1, encoded(value, 4), directory)
    }

    mutating func set(_ number: Int, rational value: Double, _ directory: Directory = .primary) {
        // Two decimals: pixels per inch of a number of pixels per metre are no finer.
        let bottom = abs(value - value.rounded()) < 0.005 ? 1 : 100
        set(number, type: 5, count: 1, encoded(Int((value * Double(bottom)).rounded()), 4) + encoded(bottom, 4), directory)
    }

    // MARK: Reading

    /// Reads a block that begins with a TIFF header.
    init?(_ block: [UInt8]) {
        self.init { at, count in
            at >= 0 && count >= 0 && at <= block.count - count ? Array(block[at..<(at + count)]) : nil
        }
    }

    /// Reads from anything that gives bytes at a place, nil outside. A value that lies outside is left out.
    ///
    /// - Parameter place: of the first directory; nil: where the header says.
    init?<Failure>(at place: Int? = nil, _ read: @escaping (_ at: Int, _ count: Int) throws(Failure) -> [UInt8]?) throws(Failure)
    {
        guard let head = try read(0, 8), head[0] == head[1], head[0] == 0x49 || head[0] == 0x4D else { return nil }
        isBigEndian = head[0] == 0x4D
        let version = TagTree.number(head[2..<4], isBigEndian)
        guard version == 42 || version == 43 else { return nil }
        var reader = Reader<Failure>(isBigEndian: isBigEndian, isBig: version == 43, left: TagTree.most, read: read)
        var first = place
        if first == nil { first = version == 42 ? TagTree.number(head[4..<8], isBigEndian) : try reader.number(8, 8) }
        guard let first, let primary = try reader.directory(at: first) else { return nil }
        hasPreview = primary.next != 0
        self[.primary] = primary.tags.map(\.tag)
        for directory in Directory.allCases {
            guard let pointer = directory.pointer, let place = number(pointer.tag, pointer.parent) else { continue }
            let found = try reader.directory(at: place).map(\.tags) ?? []
            self[directory] = found.map(\.tag)
            if directory == .exif { makerNoteAt = found.first { $0.tag.number == TagTree.makerNote }?.at }
        }
        for directory in Directory.allCases {
            if let pointer = directory.pointer { remove(pointer.tag, pointer.parent) }
        }
    }

    private struct Reader<Failure: Error> {
        let isBigEndian: Bool
        let isBig: Bool
        var left: Int
        let read: (Int, Int) throws(Failure) -> [UInt8]?

        func number(_ at: Int, _ count: Int) throws(Failure) -> Int? {
            guard let bytes = try read(at, count) else { return nil }
            return TagTree.number(bytes[...], isBigEndian)
        }

        mutating func directory(at place: Int) throws(Failure) -> (tags: [(tag: Tag, at: Int)], next: Int)? {
            let (entrySize, inline) = isBig ? (20, 8) : (12, 4)
            guard place >= 8, let count = try number(place, isBig ? 8 : 2), count <= 4096,
                let body = try read(place + (isBig ? 8 : 2), count * entrySize)
            else { return nil }
            var tags: [(Tag, Int)] = []
            var seen: Set<Int> = []
            for index in 0..<count {
                let entry = body[(index * entrySize)..<((index + 1) * entrySize)]
                let start = entry.startIndex
                let tag = TagTree.number(entry[start..<(start + 2)], isBigEndian)
                let type = TagTree.number(entry[(start + 2)..<(start + 4)], isBigEndian)
                let values = TagTree.number(entry[(start + 4)..<(start + 4 + inline)], isBigEndian)
                guard type < TagTree.sizes.count, TagTree.sizes[type] > 0, values >= 0, values <= left / TagTree.sizes[type],
                    seen.insert(tag).inserted
                else { continue }
                let size = values * TagTree.sizes[type]
                let field = entry[(start + 4 + inline)...]
                if size <= inline {
                    tags.append((Tag(number: tag, type: type, count: values, bytes: Array(field.prefix(size))), 0))
                } else {
                    let at = TagTree.number(field, isBigEndian)
                    guard let bytes = try read(at, size) else { continue }
                    left -= size
                    tags.append((Tag(number: tag, type: type, count: values, bytes: bytes), at))
                }
            }
            let next = try number(place + (isBig ? 8 : 2) + count * entrySize, isBig ? 8 : 4)
            return (tags, next ?? 0)
        }
    }

    // MARK: Writing

    /// A block of its own: header, directories, values. The maker's note lies where it lay if `keepsPlaces`.
    func bytes(keepsPlaces: Bool = true) -> [UInt8] {
        var layout = Layout(reserved: keepsPlaces ? reserved : nil)
        var places: [Int] = []
        var filled = self
        for directory in Directory.allCases.reversed() where !filled[directory].isEmpty {
            // Pointers are values of four bytes in their own entries: their size is known before they are.
            if let pointer = directory.pointer { filled.set(pointer.tag, long: 0, pointer.parent) }
        }
        for directory in Directory.allCases {
            let count = filled[directory].count
            places.append(count > 0 || directory == .primary ? layout.place(2 + 12 * count + 4) : 0)
        }
        for directory in Directory.allCases where !filled[directory].isEmpty {
            if let pointer = directory.pointer { filled.set(pointer.tag, long: places[directory.rawValue], pointer.parent) }
        }
        var out = [UInt8](repeating: 0, count: 8)
        out[0] = isBigEndian ? 0x4D : 0x49
        out[1] = out[0]
        func put(_ bytes: [UInt8], _ at: Int) {
            if out.count < at + bytes.count { out += [UInt8](repeating: 0, count: at + bytes.count - out.count) }
            out.replaceSubrange(at..<(at + bytes.count), with: bytes)
        }
        put(encoded(42, 2), 2)
        put(encoded(places[0], 4), 4)
        for directory in Directory.allCases where places[directory.rawValue] > 0 {
            let sorted = filled[directory].sorted { $0.number < $1.number }
            var entries = encoded(sorted.count, 2)
            for tag in sorted {
                entries += encoded(tag.number, 2) + encoded(tag.type, 2) + encoded(tag.count, 4)
                if tag.bytes.count <= 4 {
                    entries += tag.bytes + [UInt8](repeating: 0, count: 4 - tag.bytes.count)
                } else {
                    let isFixed = keepsPlaces && directory == .exif && tag.number == TagTree.makerNote && reserved != nil
                    let at = isFixed ? makerNoteAt ?? 0 : layout.place(tag.bytes.count)
                    entries += encoded(at, 4)
                    put(tag.bytes, at)
                }
            }
            put(entries + encoded(0, 4), places[directory.rawValue])
        }
        return out
    }

    /// The maker's note's own place.
    private var reserved: Range<Int>? {
        guard let makerNoteAt, makerNoteAt >= 8, makerNoteAt < 1 << 16, let note = tag(TagTree.makerNote, .exif) else {
            return nil
        }
        return makerNoteAt..<(makerNoteAt + note.bytes.count)
    }

    private struct Layout {
        let reserved: Range<Int>?
        var end = 8

        mutating func place(_ count: Int) -> Int {
            var at = end + end & 1
            if let reserved, at < reserved.upperBound, at + count > reserved.lowerBound {
                at = reserved.upperBound + reserved.upperBound & 1
            }
            end = at + count
            return at
        }
    }

    // MARK: Byte order

    private static func number(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> Int {
        var value: UInt64 = 0
        for byte in isBigEndian ? Array(bytes) : bytes.reversed() { value = value << 8 | UInt64(byte) }
        return Int(clamping: value)
    }

    func encoded(_ value: Int, _ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    /// The same tags in another byte order. What a value of the type "undefined" means inside stays as it is.
    func ordered(bigEndian: Bool) -> TagTree {
        if bigEndian == isBigEndian { return self }
        var turned = self
        turned.isBigEndian = bigEndian
        let words = [1, 1, 1, 2, 4, 4, 1, 1, 2, 4, 4, 4, 8, 4, 1, 1, 8, 8, 8]
        for directory in Directory.allCases {
            turned[directory] = self[directory].map { tag in
                let word = tag.type < words.count ? words[tag.type] : 1
                var tag = tag
                if word > 1 {
                    tag.bytes = stride(from: 0, to: tag.bytes.count - word + 1, by: word).flatMap {
                        tag.bytes[$0..<($0 + word)].reversed()
                    }
                }
                return tag
            }
        }
        return turned
    }
}
