import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

/// The program as it is delivered, run as a process of its own: its code, both streams, how long it took and how large it became.
struct Program {
    let code: Int32?
    let output: String
    let errors: String
    let seconds: Double
    /// Of the largest process of it, workers included. **Units**: bytes.
    let peak: Int

    /// `LABELPIPE`, which Scripts/test sets; else what was built beside the tests.
    static var path: String {
        getenv("LABELPIPE").map { String(cString: $0) }
            ?? Trial.launch.executable.folder.appending(BytePath("labelpipe")).description
    }

    /// - Parameters:
    ///   - before: a program and its arguments that runs it, such as strace.
    ///   - input: what comes on standard input.
    init(
        _ arguments: [String], before: [String] = [], input: String = "/dev/null", environment: [String] = [],
        scratch: Scratch = Scratch()
    ) {
        let started = Clock.now
        let output = scratch.at(".output-\(UInt64.random(in: 0..<(.max)))").description
        let child = Child(
            ["/usr/bin/env"] + environment + before + [Program.path] + arguments, input: input, output: output,
            errors: output + "-errors")
        code = child.code
        seconds = Clock.now - started
        peak = child.peak
        self.output = Program.text(output)
        errors = Program.text(output + "-errors")
        unlink(output)
        unlink(output + "-errors")
    }

    static func run(_ arguments: String..., before: [String] = [], input: String = "/dev/null") -> Program {
        Program(arguments, before: before, input: input)
    }

    private static func text(_ path: String) -> String { String(decoding: bytes(path) ?? [], as: UTF8.self) }

    static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
        }
    }

    /// The report's lines, where it went to standard output.
    var report: [JSONValue] {
        output.split(separator: "\n").compactMap { try? JSONValue.parse(Array($0.utf8), file: "report") }
    }
}

/// Real pictures, made by libvips' own program.
enum Samples {
    /// A JPEG or PNG, by the name, of noise that no two seeds share.
    static func picture(_ path: BytePath, width: Int = 200, height: Int = 150, seed: Int = 1) {
        let noise = path.description + ".noise.v"
        tool(["vips", "gaussnoise", noise, "\(width)", "\(height)", "--mean", "128", "--sigma", "20", "--seed", "\(seed)"])
        tool(["vips", "cast", noise, path.description, "uchar"])
        unlink(noise)
    }

    /// What a tool says on standard output; a tool that fails is an issue of the test.
    @discardableResult static func tool(_ arguments: [String]) -> Int32? {
        let child = Child(arguments)
        if child.code != 0 { Issue.record("\(arguments.joined(separator: " ")) ended with \(child.code ?? -1)") }
        return child.code
    }

    /// Without capabilities, so that permissions hold for root too.
    static let withoutPowers: [String] =
        geteuid() == 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : []

    /// A PNG's header that says so many pixels, and no more.
    static func bombPNG(width: UInt32, height: UInt32) -> [UInt8] {
        func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let body = Array("IHDR".utf8) + big(width) + big(height) + [8, 2, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + big(13) + body + big(crc(body))
            + big(0) + Array("IDAT".utf8) + big(crc(Array("IDAT".utf8))) + big(0) + Array("IEND".utf8)
            + big(crc(Array("IEND".utf8)))
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
