/// A TIFF's chain of pages, and where their pixels are.
///
/// **Source**: TIFF 6.0, section 2; BigTIFF.
struct TIFFPages {
    private let file: Window
    private let isLittle: Bool
    private let isBig: Bool

    /// More pages than any document has. A file may link them in a ring.
    private static let most = 1 << 20

    static func wholeness(_ file: Window) throws -> Wholeness {
        guard let head = try file.read(0, 8) else { return Wholeness(damage: Wholeness.cutOff) }
        let pages = TIFFPages(file: file, isLittle: head[0] == 0x49, isBig: head[2] == 43 || head[3] == 43)
        var next = try pages.number(pages.isBig ? 8 : 4, pages.word)
        var seen: Set<Int> = []
        while let place = next, place != 0 {
            guard seen.count < most, seen.insert(place).inserted else {
                return Wholeness(damage: "its pages follow each other in a ring")
            }
            switch try pages.page(at: place, number: seen.count) {
            case .success(let following): next = following
            case .failure(let damage): return Wholeness(damage: damage.text)
            }
        }
        return Wholeness(damage: next == nil ? Wholeness.cutOff : nil, frames: seen.count)
    }

    private struct Damage: Error { let text: String }

    private var word: Int { isBig ? 8 : 4 }

    private func number(_ at: Int, _ count: Int) throws -> Int? {
        isLittle ? try file.littleEndian(at, count) : try file.bigEndian(at, count)
    }

    /// The next page's place; 0 for none.
    private func page(at place: Int, number page: Int) throws -> Swift.Result<Int, Damage> {
        let head = isBig ? 8 : 2
        let entry = isBig ? 20 : 12
        guard let count = try number(place, head), count <= 65535,
            let following = try number(place + head + count * entry, word)
        else { return .failure(Damage(text: "page \(page) is cut off")) }
        var places: [Int: [Int]] = [:]
        for index in 0..<count {
            let at = place + head + index * entry
            guard let tag = try number(at, 2) else { break }
            // Places of strips and of tiles.
            guard tag == 273 || tag == 324 else { continue }
            guard let numbers = try numbers(at) else { return .failure(Damage(text: "page \(page) is cut off")) }
            places[tag] = numbers
        }
        // One that begins in the file but promises more than there is, its decoder has to judge: some programs write wrong lengths.
        for offset in (places[273] ?? []) + (places[324] ?? []) where offset >= file.size {
            return .failure(Damage(text: "pixels of page \(page) are cut off"))
        }
        return .success(following)
    }

    /// Whole numbers; nil where they do not lie in the file.
    private func numbers(_ at: Int) throws -> [Int]? {
        guard let type = try number(at + 2, 2), let count = try number(at + 4, word), count <= file.size else { return nil }
        let widths = [3: 2, 4: 4, 13: 4, 16: 8, 18: 8]
        guard let width = widths[type] else { return [] }
        var start = at + 4 + word
        if count * width > word {
            guard let pointer = try number(start, word) else { return nil }
            start = pointer
        }
        guard let bytes = try file.read(start, count * width) else { return nil }
        // A slide has some hundred thousand of them.
        var numbers = [Int](repeating: 0, count: count)
        for index in 0..<count {
            var value: UInt64 = 0
            for byte in 0..<width {
                value |= UInt64(bytes[index * width + (isLittle ? byte : width - 1 - byte)]) << UInt64(8 * byte)
            }
            numbers[index] = Int(clamping: value)
        }
        return numbers
    }
}
