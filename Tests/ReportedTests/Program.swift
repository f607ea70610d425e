import Glibc
import TestSupport
import Testing
import Vips

/// The program as it is delivered, run in a folder of its own.
final class Program {
    let folder: String
    /// Of any process of the last run. **Units**: bytes.
    private(set) var peakMemory = 0

    struct Ending {
        let code: Int32
        let output: String
        let errors: String
        /// **Units**: seconds.
        let time: Double
    }

    init() {
        var template = Array("/tmp/labelpipe-case-XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    }

    deinit {
        _ = Program.wait(Program.spawn("/bin/rm", ["-rf", folder], folder: "/", output: "/dev/null", errors: "/dev/null"))
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func write(_ name: String, _ text: String) throws { try write(name, bytes: Array(text.utf8)) }

    func write(_ name: String, bytes: [UInt8]) throws {
        let file = try #require(fopen(path(name), "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    func write(_ name: String, _ image: Image, _ options: SaveOptions) throws {
        let descriptor = open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try Saver.save(image, to: descriptor, options)
    }

    func copy(_ source: String, as name: String) throws { try write(name, bytes: readFile(source)) }

    func exists(_ name: String) -> Bool { access(path(name), F_OK) == 0 }

    /// A result, read back as it is.
    func image(_ name: String) throws -> Image {
        var options = LoadOptions()
        options.access = .random
        return try PictureFile(path: Array(path(name).utf8), options: options).image
    }

    func sheet(_ name: String) throws -> Sheet { try Sheet(image(name)) }

    /// Runs `labelpipe` with these arguments in the folder, with the tests' own fonts.
    ///
    /// - Parameter environment: added; an empty value takes a variable away.
    @discardableResult func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Ending {
        let program = try #require(getenv("LABELPIPE").map { String(cString: $0) }, "Scripts/test says where the program is")
        let (output, errors) = (path(".output"), path(".errors"))
        var variables = ["FONTCONFIG_FILE": packageFolder + "/Tests/Fixtures/fonts/fonts.conf"]
        variables.merge(environment) { $1 }
        var begin = timespec()
        clock_gettime(CLOCK_MONOTONIC, &begin)
        let (code, peak) = Program.wait(
            Program.spawn(program, arguments, folder: folder, output: output, errors: errors, variables: variables))
        peakMemory = peak
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        func said(_ path: String) throws -> String { String(decoding: try readFile(path), as: UTF8.self) }
        return Ending(
            code: code, output: try said(output), errors: try said(errors),
            time: Double(end.tv_sec - begin.tv_sec) + Double(end.tv_nsec - begin.tv_nsec) / 1e9)
    }

    private static func spawn(
        _ program: String, _ arguments: [String], folder: String, output: String, errors: String,
        variables: [String: String] = [:]
    ) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        // The shell goes there; posix_spawn itself cannot everywhere.
        let command = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder, program] + arguments
        var pointers = command.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var surroundings: [UnsafeMutablePointer<CChar>?] = []
        var index = 0
        while let entry = environ[index] {
            index += 1
            let name = String(cString: entry).prefix { $0 != "=" }
            if variables[String(name)] == nil { surroundings.append(strdup(entry)) }
        }
        for (name, value) in variables where !value.isEmpty { surroundings.append(strdup("\(name)=\(value)")) }
        surroundings.append(nil)
        defer { for pointer in surroundings { free(pointer) } }
        var pid = pid_t()
        guard posix_spawn(&pid, "/bin/sh", &actions, nil, pointers, surroundings) == 0 else { return -1 }
        return pid
    }

    /// The code it exited with; −1 after a signal, or if it could not be started. And its peak memory, or its largest child's.
    private static func wait(_ pid: pid_t) -> (code: Int32, peak: Int) {
        var status: Int32 = 0
        var usage = rusage()
        guard pid > 0, wait4(pid, &status, 0, &usage) == pid else { return (-1, 0) }
        return (status & 0x7F == 0 ? (status >> 8) & 0xFF : -1, usage.ru_maxrss << 10)
    }
}

/// A document with one label on each input.
func stamping(_ label: String, _ keys: String = "\"at\": [0, 0]", output: String = "") -> String {
    "{ \"labelpipe\": 1, \"outputs\": [ { \"node\": "
        + chain("{ \"effect\": \"image.source\" }", "{ \"effect\": \"layout.place\", \"label\": \(label), \(keys) }")
        + "\(output) } ] }"
}
