import CSpliceProbe
import Glibc
import Splice

/// A file that is gone when nobody needs it.
final class TemporaryFile {
    let path: String
    let descriptor: Int32

    init(_ bytes: [UInt8] = []) {
        var template = Array("/tmp/splice-tests-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        if !bytes.isEmpty { _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress!, $0.count, 0) } }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    var bytes: [UInt8] {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: size)
        _ = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, size, 0) }
        return bytes
    }
}

extension tiff_probe_spec {
    /// RGB of 8 bits in tiles of 64 px, deflated.
    static func rgb(_ change: (inout tiff_probe_spec) -> Void = { _ in }) -> tiff_probe_spec {
        var spec = tiff_probe_spec()
        spec.width = 300
        spec.height = 210
        spec.samples = 3
        spec.bits = 8
        spec.format = 1
        spec.photometric = 2
        spec.compression = 8
        spec.predictor = 1
        spec.quality = 75
        spec.tile = 64
        spec.rows = 17
        spec.extra = -1
        spec.fill_order = 1
        spec.pages = 1
        change(&spec)
        return spec
    }

    /// A made-up picture as a file.
    func file(seed: Int = 1) throws -> TemporaryFile {
        var random = Seeded(seed)
        let scene = Scene(width: Int(width), height: Int(height), channels: Int(samples), random: &random)
        let file = TemporaryFile()
        var spec = self
        let failed: Int32
        switch bits {
        case 8: failed = tiff_probe_write(file.path, &spec, scene.pixels)
        case 16: failed = tiff_probe_write(file.path, &spec, scene.pixels.map { UInt16($0) * 257 &+ 3 })
        default: failed = tiff_probe_write(file.path, &spec, scene.pixels.map { Float($0) / 255 })
        }
        guard failed == 0 else { throw SpliceError.invalid("the test's own file: \(self)") }
        return file
    }
}

/// A picture as libtiff reads it.
final class TIFFProbe {
    private let raw: tiff_probe_picture

    init(path: String, page: Int = 0, level: Int = 0) { raw = tiff_probe_read(path, Int32(page), Int32(level)) }

    convenience init(_ file: TemporaryFile, page: Int = 0, level: Int = 0) {
        self.init(path: file.path, page: page, level: level)
    }

    deinit { free(raw.pixels) }

    var isClean: Bool { raw.failed == 0 }
    var width: Int { Int(raw.width) }
    var height: Int { Int(raw.height) }
    var samples: Int { Int(raw.samples) }
    var tiles: Int { Int(raw.tiles) }

    /// Samples 0…1.
    var values: [Double] {
        let bytes = UnsafeRawBufferPointer(start: raw.pixels, count: raw.size)
        switch raw.bits {
        case 8: return bytes.map { Double($0) / 255 }
        case 16: return bytes.bindMemory(to: UInt16.self).map { Double($0) / 65535 }
        default: return bytes.bindMemory(to: Float.self).map(Double.init)
        }
    }
}

func rawTile(_ file: TemporaryFile, page: Int = 0, level: Int = 0, _ tile: Int) -> [UInt8]? {
    var size = 0
    guard let bytes = tiff_probe_raw(file.path, Int32(page), Int32(level), Int32(tile), &size) else { return nil }
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: size))
}

func splice(_ source: TemporaryFile, _ patches: [Int: [Patch]]) throws -> (outcome: TIFFSpliceOutcome, file: TemporaryFile) {
    let output = TemporaryFile()
    var options = TIFFSplicer.Options()
    options.limit = 1
    let outcome = try TIFFSplicer(source.descriptor, options: options).splice(patches, to: output.descriptor)
    return (outcome, output)
}

/// A directory read by the tests' own few lines: tag to type, number and place of the values.
struct PlainDirectory {
    var entries: [Int: (type: Int, count: Int, entry: Int, values: Int)] = [:]
    var next = 0
    let bytes: [UInt8]
    let big: Bool
    let bigEndian: Bool

    init(_ bytes: [UInt8], at position: Int? = nil) {
        self.bytes = bytes
        bigEndian = bytes[0] == 0x4D
        big = bytes[bigEndian ? 3 : 2] == 43
        let start = position ?? 0
        let at = position == nil ? number(big ? 8 : 4, big ? 8 : 4) : start
        let count = number(at, big ? 8 : 2)
        for index in 0..<count {
            let entry = at + (big ? 8 : 2) + index * (big ? 20 : 12)
            let type = number(entry + 2, 2)
            let values = number(entry + 4, big ? 8 : 4)
            let size = values * [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8][type]
            let field = entry + (big ? 12 : 8)
            entries[number(entry, 2)] = (type, values, entry, size <= (big ? 8 : 4) ? field : number(field, big ? 8 : 4))
        }
        next = number(at + (big ? 8 : 2) + count * (big ? 20 : 12), big ? 8 : 4)
    }

    func number(_ at: Int, _ width: Int) -> Int {
        (0..<width).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * (bigEndian ? width - 1 - $1 : $1)) }
    }

    func values(_ tag: Int) -> [Int] {
        guard let entry = entries[tag] else { return [] }
        let width = [3: 2, 4: 4, 13: 4, 16: 8, 18: 8][entry.type]!
        return (0..<entry.count).map { number(entry.values + $0 * width, width) }
    }

    /// The directories of a file: the chain and its SubIFDs.
    static func all(_ bytes: [UInt8]) -> [PlainDirectory] {
        var all: [PlainDirectory] = []
        var directory: PlainDirectory? = PlainDirectory(bytes)
        while let one = directory {
            all.append(one)
            all += one.values(330).map { PlainDirectory(bytes, at: $0) }
            directory = one.next == 0 ? nil : PlainDirectory(bytes, at: one.next)
        }
        return all
    }
}

/// The source's bytes are all where they were, except the numbers of touched tiles and the zeros where those were.
func otherBytesStay(_ source: [UInt8], _ output: [UInt8]) -> String? {
    var may = Set<Int>()
    var gone: [Range<Int>] = []
    for (before, after) in zip(PlainDirectory.all(source), PlainDirectory.all(output)) {
        for (offsetTag, countTag) in [(324, 325), (273, 279)] {
            let (old, new) = (before.values(offsetTag), after.values(offsetTag))
            let counts = before.values(countTag)
            for tile in old.indices where old[tile] != new[tile] {
                gone.append(old[tile]..<old[tile] + counts[tile])
                if new[tile] < source.count { return "tile \(tile) lies inside the source" }
                for tag in [offsetTag, countTag] {
                    let entry = before.entries[tag]!
                    let width = [3: 2, 4: 4, 16: 8][entry.type]!
                    may.formUnion(entry.values + tile * width..<entry.values + (tile + 1) * width)
                    if after.entries[tag]!.type != entry.type {
                        may.formUnion(entry.entry + 2..<entry.entry + (before.big ? 20 : 12))
                    }
                }
            }
        }
    }
    for range in gone {
        if output[range].contains(where: { $0 != 0 }) { return "old bytes at \(range.lowerBound)" }
        may.formUnion(range)
    }
    for at in source.indices where source[at] != output[at] && !may.contains(at) { return "byte \(at)" }
    return nil
}
