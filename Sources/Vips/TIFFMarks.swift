/// What tells a camera's raw file, or a slide, from a picture: both are TIFF.
///
/// A raw file has a directory whose samples are a colour filter array (photometric 32803) or linear raw (34892), or says
/// its DNG version, or its maker's own compression. The maker's name says nothing: film scanners write it into TIFFs too.
struct TIFFMarks {
    private let file: FileBytes
    private let isLittle: Bool
    private let isBig: Bool
    private let firstDirectory: Int
    private var hasRawSamples = false
    private var hasSubDirectories = false
    private var firstIsPreview = false
    private var isHamamatsu = false

    init(descriptor: Int32) throws {
        file = FileBytes(descriptor: descriptor)
        let head = try file.read(at: 0, count: 16)
        isLittle = head.first == 0x49
        isBig = head.count == 16 && (head[2] == 43 || head[3] == 43)
        firstDirectory = 0
        guard head.count >= 8 else { return }
        let offset =
            isBig
            ? TIFFMarks.number(head[8..<16], little: isLittle) : TIFFMarks.number(head[4..<8], little: isLittle)
        try walk(from: offset)
    }

    func kind(extension name: String) -> FileKind {
        if hasRawSamples { return .raw }
        // Nothing but a small preview first and more behind it: raw by its structure, if its name says so.
        if firstIsPreview, hasSubDirectories, TIFFMarks.rawNames.contains(name) { return .raw }
        return isHamamatsu ? .openslide : .tiff
    }

    private static let rawNames: Set<String> = [
        "3fr", "arw", "cr2", "dcr", "dng", "erf", "fff", "iiq", "k25", "kdc", "mef", "mos", "mrw", "nef", "nrw", "orf",
        "pef", "raw", "rw2", "rwl", "sr2", "srf", "srw",
    ]

    /// Visits at most 32 directories: a file may link them in a ring.
    private mutating func walk(from first: Int) throws {
        var waiting = [first]
        var seen: Set<Int> = []
        while let offset = waiting.popLast(), seen.count < 32 {
            guard offset > 0, offset < 1 << 56, seen.insert(offset).inserted else { continue }
            try visit(offset, isFirst: offset == first, next: &waiting)
        }
    }

    private mutating func visit(_ offset: Int, isFirst: Bool, next: inout [Int]) throws {
        let countBytes = isBig ? 8 : 2
        let entryBytes = isBig ? 20 : 12
        let count = min(4096, number(try file.read(at: offset, count: countBytes)))
        let body = try file.read(at: offset + countBytes, count: count * entryBytes + (isBig ? 8 : 4))
        for index in 0..<count where (index + 1) * entryBytes <= body.count {
            let entry = body[index * entryBytes..<(index + 1) * entryBytes]
            let start = entry.startIndex
            let tag = number(entry[start..<start + 2])
            let type = number(entry[start + 2..<start + 4])
            let values = number(entry[start + 4..<start + (isBig ? 12 : 8)])
            let inlineBytes = entry[(start + (isBig ? 12 : 8))...]
            let value = number(type == 3 ? inlineBytes.prefix(2) : inlineBytes)
            switch tag {
            case 254: if isFirst { firstIsPreview = value & 1 == 1 }
            case 259: if TIFFMarks.rawCompressions.contains(value) { hasRawSamples = true }
            case 262: if value == 32803 || value == 34892 { hasRawSamples = true }
            case 330:
                hasSubDirectories = true
                next += try offsets(value, count: values, type: type)
            case 50706: hasRawSamples = true
            case 65420: isHamamatsu = true
            default: break
            }
        }
        if body.count == count * entryBytes + (isBig ? 8 : 4) { next.append(number(body.suffix(isBig ? 8 : 4))) }
    }

    /// Nikon's, Sony's, Pentax's, Samsung's and Kodak's.
    private static let rawCompressions: Set<Int> = [34713, 32767, 65535, 32770, 65000]

    private func offsets(_ value: Int, count: Int, type: Int) throws -> [Int] {
        if count <= 1 { return [value] }
        let bytes = type == 16 || type == 18 ? 8 : 4
        let list = try file.read(at: value, count: min(count, 16) * bytes)
        return stride(from: 0, to: list.count - bytes + 1, by: bytes).map { number(list[$0..<$0 + bytes]) }
    }

    private func number(_ bytes: some Collection<UInt8>) -> Int { TIFFMarks.number(bytes, little: isLittle) }

    private static func number(_ bytes: some Collection<UInt8>, little: Bool) -> Int {
        var result: UInt64 = 0
        for (index, byte) in bytes.prefix(8).enumerated() {
            result = little ? result | UInt64(byte) << UInt64(8 * index) : result << 8 | UInt64(byte)
        }
        return Int(clamping: result)
    }
}
