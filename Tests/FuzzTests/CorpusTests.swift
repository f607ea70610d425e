import Fuzzing
import Glibc
import Testing

@Suite("What fuzzers have found stays found") struct CorpusTests {
    private static var folder: String {
        var parts = "\(#filePath)".split(separator: "/").map(String.init)
        parts.removeLast()
        return "/" + parts.joined(separator: "/") + "/Corpus"
    }

    private static func names(_ folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static func bytes(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    @Test("the corpus of every target is replayed, and each of its files changed a little", arguments: FuzzTarget.allCases)
    func replay(target: FuzzTarget) {
        let names = Self.names("\(Self.folder)/\(target.rawValue)")
        #expect(names.count >= 5, "the corpus of \(target.rawValue) is missing")
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
        print("seed \(seed) for \(target.rawValue)")
        var chance = SplitMix(state: seed)
        for name in names {
            let bytes = Self.bytes("\(Self.folder)/\(target.rawValue)/\(name)")
            target.run(bytes)
            for _ in 0..<20 where !bytes.isEmpty && bytes.count < 20_000 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &chance) {
                    let place = Int.random(in: 0..<changed.count, using: &chance)
                    switch Int.random(in: 0..<4, using: &chance) {
                    case 0: changed[place] = UInt8.random(in: 0...255, using: &chance)
                    case 1: changed.insert(UInt8.random(in: 0...255, using: &chance), at: place)
                    case 2 where changed.count > 1: changed.remove(at: place)
                    default: changed.insert(contentsOf: changed[place...].prefix(20), at: 0)
                    }
                }
                target.run(changed)
            }
        }
    }
}

/// A generator that a seed makes again.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
