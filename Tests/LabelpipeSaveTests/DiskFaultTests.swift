import Glibc
import Testing
import Vips

extension SaveTests {
    /// A disk that does not give some bytes: what cannot be read is not what is not there.
    @Suite struct DiskFaults {
        let shop: Workshop
        init() throws { shop = try Workshop() }

        struct Fault: CustomTestStringConvertible, Sendable {
            let input: String
            let output: String
            var keys = ""
            /// The call that fails: how many bytes, and where.
            let count: Int
            let at: Int
            var words = "cannot be read: input/output error"
            var testDescription: String { "\(input) to \(output), \(count) bytes at \(at)" }
        }

        static let faults = [
            // The chunk behind a PNG's header: with it would go resolution and gamma.
            Fault(input: "i.png", output: "o.png", count: 8, at: 33),
            Fault(input: "i.png", output: "o.webp", count: 25, at: 0, words: "the output cannot be read again"),
            Fault(input: "i.tif", output: "o.tif", keys: #""compression": "lzw""#, count: 8, at: 0),
            Fault(input: "i.webp", output: "o.webp", count: 8, at: 12),
            Fault(input: "i.gif", output: "o.gif", count: 1, at: 10),
        ]

        @Test(arguments: faults) func aReadThatFailsFailsThePicture(_ fault: Fault) throws {
            let options: [String: SaveOptions] = [
                "i.png": .png(), "i.tif": .tiff(), "i.webp": .webp(), "i.gif": .gif(),
            ]
            try shop.save(
                Image.plain(64, 48, [200, 100, 50]).editingMetadata { $0.setResolution(x: 3, y: 3) }, fault.input,
                try #require(options[fault.input]))
            try shop.write(
                "fault.c",
                Array(
                    """
                    #define _GNU_SOURCE
                    #include <errno.h>
                    #include <sys/syscall.h>
                    #include <unistd.h>
                    static ssize_t get(int file, void *bytes, size_t count, off_t at) {
                        if (count == \(fault.count) && at == \(fault.at)) { errno = EIO; return -1; }
                        return syscall(SYS_pread64, file, bytes, count, at);
                    }
                    ssize_t pread(int file, void *bytes, size_t count, off_t at) { return get(file, bytes, count, at); }
                    ssize_t pread64(int file, void *bytes, size_t count, off_t at) { return get(file, bytes, count, at); }
                    """.utf8))
            let compiled = try Tool("clang", ["-shared", "-fPIC", "-o", shop.path("fault.so"), shop.path("fault.c")])
            try #require(compiled.code == 0, "\(compiled.errors)")
            try shop.run(marking(keys: fault.keys), fault.input, output: "out/\(fault.output)")
            #expect(try Tool("rm", [shop.path("out/\(fault.output)")]).code == 0)
            setenv("LD_PRELOAD", shop.path("fault.so"), 1)
            defer { unsetenv("LD_PRELOAD") }
            let outcome = try shop.run(marking(keys: fault.keys), fault.input, output: "out/\(fault.output)", expecting: 1)
            #expect(outcome.errors.contains(fault.words) && outcome.errors.contains(fault.input), "\(outcome.errors)")
            #expect(!shop.exists("out/\(fault.output)"))
        }
    }
}
