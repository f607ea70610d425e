/// A TIFF's chain of pages, and where their pixels are.
///
/// **Source**: TIFF 6.0, section 2; BigTIFF.
struct TIFFPages {
    let file: Window
    let isLittle: Bool
    let isBig: Bool

    /// More pages than any document has. A file may link them in a ring.
    private static let most = 1 << 20

    static func wholeness(_ file: Window) throws -> Wholeness {
        guard let pages = try TIFFPages(file) else { return Wholeness(damage: Wholeness.cutOff) }
        var next = try pages.number(pages.first, pages.word)
        var seen: Set<Int> = []
        var oddPages: Set<Int> = []
        var isRing = false
        while let place = next, place != 0, !isRing {
            guard seen.count < most else { return Wholeness(damage: "it has more than \(most) pages") }
            guard seen.insert(place).inserted else {
                isRing = true
                continue
            }
            switch try pages.page(at: place, number: seen.count) {
            case .success(let page):
                next = page.next
                if page.isOdd { oddPages.insert(seen.count - 1) }
            case .failure(let damage): return Wholeness(damage: damage.text)
            }
        }
        var whole = Wholeness(damage: next == nil ? Wholeness.cutOff : nil, frames: seen.count)
        whole.oddPages = oddPages
        // libtiff follows the ring once.
        if isRing { whole.warnings = ["its last page leads back to an earlier one: each counts once"] }
        return whole
    }

    /// Where the directory of a page is; nil: there is no such page.
    ///
    /// - Parameter index: from 0.
    func place(of index: Int) throws -> Int? {
        var next = try number(first, word)
        for _ in 0..<index {
            guard let place = next, place != 0, let entries = try entries(at: place) else { return nil }
            next = entries.next
        }
        return next == 0 ? nil : next
    }

    /// What is odd about the samples of the first page; nil: nothing.
    ///
    /// For a file that its decoder does not take: it does not say which bits it misses.
    static func oddSamples(_ file: Window) throws -> String? {
        guard let pages = try TIFFPages(file), let place = try pages.number(pages.first, pages.word),
            let entries = try pages.entries(at: place)?.entries
        else { return nil }
        func values(_ tag: Int) throws -> [Int] { try entries.first { $0.tag == tag }.flatMap { try pages.numbers($0) } ?? [] }
        let bits = Set(try values(258))
        guard let most = bits.max() else { return nil }
        if bits.count > 1 { return "its samples have different numbers of bits" }
        if try values(339).first == 3 { return most == 32 ? nil : "its samples are floats of \(most) bits" }
        return [1, 2, 4, 8, 12, 16, 32].contains(most) ? nil : "its samples have \(most) bits"
    }

    private struct Damage: Error { let text: String }

    var word: Int { isBig ? 8 : 4 }

    func number(_ at: Int, _ count: Int) throws -> Int? {
        isLittle ? try file.littleEndian(at, count) : try file.bigEndian(at, count)
    }

    /// nil where the file has no room for a header.
    init?(_ file: Window) throws {
        guard let head = try file.read(0, 8) else { return nil }
        (self.file, isLittle, isBig) = (file, head[0] == 0x49, head[2] == 43 || head[3] == 43)
    }

    /// Where the place of the first directory is written.
    var first: Int { isBig ? 8 : 4 }

    struct Entry {
        let tag: Int
        let type: Int
        let count: Int
        /// Where its values are.
        let values: Int

        private static let widths = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
        /// Bytes of a value; 0 for a type that nobody knows.
        var width: Int { type < Self.widths.count ? Self.widths[type] : 0 }
        /// One that says how pixels are stored, or another of the format's own: programs' private ones point anywhere.
        var isCommon: Bool { tag < 32768 || tag == 34675 }
    }

    /// nil where the directory is cut off.
    func entries(at place: Int) throws -> (entries: [Entry], next: Int)? {
        let head = isBig ? 8 : 2
        let size = isBig ? 20 : 12
        guard let count = try number(place, head), count <= 65535,
            let following = try number(place + head + count * size, word)
        else { return nil }
        var found: [Entry] = []
        for index in 0..<count {
            let at = place + head + index * size
            guard let tag = try number(at, 2), let type = try number(at + 2, 2), let count = try number(at + 4, word) else {
                break
            }
            let own = at + 4 + word
            let isInside = count <= word && Entry(tag: tag, type: type, count: count, values: own).width * count <= word
            guard let values = isInside ? own : try number(own, word) else { break }
            found.append(Entry(tag: tag, type: type, count: count, values: values))
        }
        return (found, following)
    }

    /// The next page's place, 0 for none, and whether it is one for `PlainTIFF`.
    private func page(at place: Int, number page: Int) throws -> Swift.Result<(next: Int, isOdd: Bool), Damage> {
        guard let (entries, following) = try entries(at: place) else {
            return .failure(Damage(text: "page \(page) is cut off"))
        }
        var values: [Int: [Int]] = [:]
        for entry in entries where entry.width > 0 {
            // What begins in the file and ends behind it was there once.
            let isOutside = entry.count > file.size || entry.values > file.size - entry.count * entry.width
            if isOutside, entry.isCommon || entry.values < file.size && entry.count <= file.size {
                return .failure(Damage(text: "page \(page) is cut off"))
            }
            if let name = Self.directories[entry.tag] {
                for place in try numbers(entry) ?? [] where try !isDirectory(place) {
                    return .failure(Damage(text: "the \(name) of page \(page) cannot be read"))
                }
            }
            // Compression; places and lengths of strips and of tiles.
            if [259, 273, 279, 324, 325].contains(entry.tag) { values[entry.tag] = try numbers(entry) }
        }
        let isCoded = ![1, 6].contains(values[259]?.first ?? 1)
        for (places, lengths) in [(273, 279), (324, 325)] {
            let counts = values[lengths] ?? []
            for (index, offset) in (values[places] ?? []).enumerated() {
                // Some programs write wrong lengths of what is not coded, or is JPEG as it was first thought of: there the decoder
                // knows how much it needs.
                let count = isCoded && index < counts.count ? counts[index] : 1
                if count > 0, offset > file.size - min(count, file.size) {
                    return .failure(Damage(text: "pixels of page \(page) are cut off"))
                }
            }
        }
        return .success((following, try PageLayout(entries, self).isOdd))
    }

    /// Tags that point to directories: what such a one holds would be lost without a word.
    private static let directories = [330: "further pictures (SubIFDs)", 34665: "EXIF", 34853: "GPS position"]

    /// Whether a table of entries can begin there.
    private func isDirectory(_ place: Int) throws -> Bool {
        guard let (entries, _) = try entries(at: place) else { return false }
        return entries.contains { $0.width > 0 }
    }

    /// Whole numbers; nil where they do not lie in the file.
    func numbers(_ entry: Entry) throws -> [Int]? {
        let width = [3: 2, 4: 4, 13: 4, 16: 8, 18: 8][entry.type] ?? 0
        guard width > 0 else { return [] }
        guard entry.count <= file.size, let bytes = try file.read(entry.values, entry.count * width) else { return nil }
        // A slide has some hundred thousand of them.
        var numbers = [Int](repeating: 0, count: entry.count)
        for index in 0..<entry.count {
            var value: UInt64 = 0
            for byte in 0..<width {
                value |= UInt64(bytes[index * width + (isLittle ? byte : width - 1 - byte)]) << UInt64(8 * byte)
            }
            numbers[index] = Int(clamping: value)
        }
        return numbers
    }
}
