import CSpliceProbe
import Splice

/// SplitMix64: the same numbers everywhere for a seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

/// A made-up photo: slopes, shapes with hard edges and noise.
struct Scene {
    let width: Int
    let height: Int
    let channels: Int
    var pixels: [UInt8]

    init(width: Int, height: Int, channels: Int, noise: Int = 12, random: inout Seeded) {
        self.width = width
        self.height = height
        self.channels = channels
        pixels = [UInt8](repeating: 0, count: width * height * channels)
        let slopes = (0..<channels).map { _ in (random.below(256), random.below(400) - 200, random.below(400) - 200) }
        let shapes = (0..<4).map { _ in
            (
                random.below(width), random.below(height), 1 + random.below(max(1, width / 2)),
                (0..<4).map { _ in random.below(256) }
            )
        }
        for y in 0..<height {
            for x in 0..<width {
                let shape = shapes.first { abs(x - $0.0) + abs(y - $0.1) < $0.2 }
                for channel in 0..<channels {
                    let slope = slopes[channel]
                    var value = slope.0 + slope.1 * x / width + slope.2 * y / height
                    if let shape { value = (value + shape.3[channel]) / 2 }
                    value += random.below(2 * noise + 1) - noise
                    pixels[(y * width + x) * channels + channel] = UInt8(min(255, max(0, value)))
                }
            }
        }
    }

    func encoded(_ settings: JPEGSettings, segments: [JPEGSegment] = []) throws -> [UInt8] {
        let collected = Collected()
        let encoder = try JPEGEncoder(width: width, height: height, settings: settings, segments: segments, sink: collected.sink)
        try pixels.withUnsafeBytes { try encoder.write(rows: $0, stride: width * channels, count: height) }
        try encoder.finish()
        return collected.bytes
    }
}

/// A sink in memory.
final class Collected {
    var bytes: [UInt8] = []
    var sink: ByteSink { { [unowned self] in bytes.append(contentsOf: $0) } }
}

/// A source and how it came about, one for each seed.
struct Sample {
    let name: String
    let bytes: [UInt8]
    let scene: Scene
    let settings: JPEGSettings

    init(seed: Int, smallest: Int = 1, largest: Int = 120) throws {
        var random = Seeded(seed)
        let colours: [JPEGHeader.Colour] = [.yCbCr, .yCbCr, .yCbCr, .grey, .rgb, .cmyk, .ycck]
        var settings = JPEGSettings(colour: colours[random.below(colours.count)])
        let tiny = smallest == 1 && random.chance(20)
        let width = tiny ? 1 + random.below(9) : smallest + random.below(largest - smallest)
        let height = tiny && random.chance(50) ? 1 + random.below(9) : smallest + random.below(largest - smallest)
        settings.quality = 5 + random.below(96)
        let factors = [(1, 1), (2, 1), (2, 2), (1, 2), (4, 1), (4, 2), (1, 4)][random.below(7)]
        let luma = SIMD2(factors.0, factors.1)
        switch settings.colour {
        case .yCbCr: settings.sampling = [luma, SIMD2(1, 1), SIMD2(1, 1)]
        case .ycck: settings.sampling = factors.0 * factors.1 > 4 ? [] : [luma, SIMD2(1, 1), SIMD2(1, 1), luma]
        case .grey: settings.sampling = [SIMD2(1, 1)]
        default: break
        }
        if luma.x * luma.y * (settings.colour == .ycck ? 2 : 1) + 2 > 10 { settings.sampling = [] }
        let coding = random.below(10)
        settings.isProgressive = coding == 7 || coding == 8
        settings.isArithmetic = coding == 8 || coding == 9
        if random.chance(40) { settings.restartInterval = 1 + random.below(9) }
        if random.chance(35) { settings.huffman = .optimised }
        if !settings.isProgressive && !settings.isArithmetic && settings.colour != .grey && random.chance(8) {
            settings.scans = (0..<settings.colour.channels).map { .init(components: [$0], spectral: 0...63, high: 0, low: 0) }
        }
        var segments: [JPEGSegment] = []
        if random.chance(20) { segments.append(JPEGSegment(marker: 0xFE, payload: Array("a comment".utf8))) }
        if random.chance(20) {
            segments.append(JPEGSegment(marker: 0xE7, payload: (0..<random.below(300)).map { UInt8($0 & 255) }))
        }
        scene = Scene(width: width, height: height, channels: settings.colour.channels, noise: random.below(30), random: &random)
        var bytes = try scene.encoded(settings, segments: segments)
        if random.chance(25) { bytes += (0..<random.below(5000)).map { _ in UInt8(random.below(256)) } }
        self.bytes = bytes
        self.settings = settings
        name = "seed \(seed): \(width)×\(height) \(settings)"
    }

    var isStream: Bool { !settings.isProgressive && !settings.isArithmetic && settings.scans.isEmpty }
}

extension Stamp {
    /// A label of random place-holders: transparent holes, soft and opaque parts.
    static func random(width: Int, height: Int, channels: Int, using random: inout Seeded) throws -> Stamp {
        let kind = random.below(4)
        let colour = (0..<channels).map { _ in random.below(65536) }
        var samples: [UInt16] = []
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<channels {
                    samples.append(UInt16(kind == 3 ? (colour[channel] + 999 * (x ^ y)) & 65535 : colour[channel]))
                }
                let isHole = kind > 0 && (x / 9 + y / 5) % 3 == 0
                samples.append(isHole ? 0 : kind == 1 ? 65535 : UInt16(random.below(65536)))
            }
        }
        return try Stamp(width: width, height: height, channels: channels, samples: .u16(samples))
    }
}

extension Sample {
    /// One to three patches, some of them hanging over the edges.
    func patches(using random: inout Seeded) throws -> [Patch] {
        try (0...random.below(3)).map { _ in
            let stamp = try Stamp.random(
                width: 1 + random.below(max(2, scene.width / 2)), height: 1 + random.below(max(2, scene.height / 2)),
                channels: scene.channels, using: &random)
            return Patch(
                x: random.below(scene.width + stamp.width) - stamp.width + 1,
                y: random.below(scene.height + stamp.height) - stamp.height + 1, stamp: stamp)
        }
    }
}

func splice(
    _ bytes: [UInt8], _ patches: [Patch], _ options: JPEGSplicer.Options = .init()
) throws -> (outcome: JPEGSpliceOutcome, bytes: [UInt8]) {
    let collected = Collected()
    let outcome = try bytes.withUnsafeBytes { try JPEGSplicer($0).splice(patches, options: options, to: collected.sink) }
    return (outcome, collected.bytes)
}

func header(_ bytes: [UInt8]) throws -> JPEGHeader { try bytes.withUnsafeBytes { try JPEGHeader($0) } }

/// What libjpeg reads, with its memory.
final class Probe {
    private(set) var raw: splice_probe

    init(coefficients bytes: [UInt8]) { raw = splice_probe_coefficients(bytes, bytes.count) }
    init(pixels bytes: [UInt8]) { raw = splice_probe_pixels(bytes, bytes.count) }
    deinit { splice_probe_free(&raw) }

    var isClean: Bool { raw.failed == 0 && raw.warnings == 0 }
    var message: String { withUnsafeBytes(of: raw.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } }

    private func element<T>(_ tuple: (T, T, T, T), _ index: Int) -> T { [tuple.0, tuple.1, tuple.2, tuple.3][index] }

    func wide(_ c: Int) -> Int { Int(element(raw.wide, c)) }
    func high(_ c: Int) -> Int { Int(element(raw.high, c)) }
    func h(_ c: Int) -> Int { Int(element(raw.h, c)) }
    func v(_ c: Int) -> Int { Int(element(raw.v, c)) }
    func blocks(_ c: Int) -> UnsafeMutablePointer<Int16> { element(raw.blocks, c)! }
    var components: Int { Int(raw.components) }

    var pixels: [UInt8] {
        guard let pixels = raw.pixels else { return [] }
        return Array(UnsafeBufferPointer(start: pixels, count: Int(raw.width * raw.height * raw.components)))
    }
}

func segments(_ bytes: [UInt8]) throws -> [JPEGSegment] {
    try bytes.withUnsafeBytes { JPEGSegment.all(of: try JPEGHeader($0), in: $0) }
}
