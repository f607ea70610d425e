import Glibc
import Testing
import Vips

/// A folder that is removed afterwards, with everything in it.
final class Scratch {
    let path: String

    init() throws {
        var template = Array("/tmp/labelpipe-operations-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
        path = String(cString: try #require(made))
    }

    deinit { _ = try? run("rm", ["-rf", path]) }
}

/// Runs a program and returns its exit code; what it says is dropped.
func run(_ program: String, _ arguments: [String]) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for stream: Int32 in [1, 2] { posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0) }
    func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }
    let argv = copies([program] + arguments)
    // One thread, as here: sums of floats depend on their order.
    let environment = copies(["VIPS_CONCURRENCY=1", "PATH=/usr/local/bin:/usr/bin:/bin"])
    defer { for text in argv + environment { free(text) } }
    var pid = pid_t()
    let error = posix_spawnp(&pid, program, &actions, nil, argv, environment)
    try #require(error == 0, "\(program) is not installed")
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status
}

/// Pixels and their shape, for a comparison bit for bit.
struct Bits: Equatable {
    let width, height, bands: Int
    let format: PixelFormat
    let bytes: [UInt8]

    init(_ image: Image) throws {
        (width, height, bands, format) = (image.width, image.height, image.bands, image.format)
        bytes = try image.writeToMemory()
    }
}

/// A file's bytes.
func contents(of file: String) throws -> [UInt8] {
    let descriptor = open(file, O_RDONLY)
    try #require(descriptor >= 0, "\(file)")
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        try #require(count >= 0)
        if count == 0 { return bytes }
        bytes += chunk.prefix(count)
    }
}
