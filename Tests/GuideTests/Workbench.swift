import Glibc
import TestSupport

/// A folder as a reader has it: the program on the PATH, `Pipelines/`, and a folder of photos.
final class Workbench {
    let path: String

    /// The delivered program: Scripts/test says where it is; else the one beside the tests.
    static let program: String = {
        if let name = getenv("LABELPIPE") { return String(cString: name) }
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        return beside(String(decoding: path[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self), "labelpipe")
    }()
    static let root = beside(#filePath, "../..")

    init() {
        var template = Array("/tmp/labelpipe-guide-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&template))
        mkdir("\(path)/bin", 0o755)
        symlink(Self.program, "\(path)/bin/labelpipe")
    }

    deinit { _ = shell("chmod -R u+w \"$1\"; rm -rf \"$1\"", in: "/", path) }

    /// Copies the recipes and makes photos.
    func fill() throws {
        let result = shell(
            "cp -r \"$1/Pipelines\" . && \"${2%/*}/sample-photos\" photos >made && mkdir own && cp photos/hills-*.jpg own/",
            in: path, Self.root, Self.program)
        guard result.code == 0 else { throw Guide.Failure(description: "no sample photos: \(result.printed)") }
    }

    /// Runs a script here, as a reader's shell would; both streams together.
    func run(_ script: String) -> (code: Int32, printed: String) {
        shell(script, in: path)
    }

    private func shell(_ script: String, in folder: String, _ arguments: String...) -> (code: Int32, printed: String) {
        var pipe: [Int32] = [0, 0]
        guard pipe.withUnsafeMutableBufferPointer({ Glibc.pipe($0.baseAddress!) }) == 0 else { return (-1, "no pipe") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 2)
        posix_spawn_file_actions_addclose(&actions, pipe[0])
        posix_spawn_file_actions_addclose(&actions, pipe[1])
        let words = ["/bin/bash", "-e", "-c", "cd \"$0\"\n" + script, folder] + arguments
        let settings = [
            "PATH=\(path)/bin:/usr/local/bin:/usr/bin:/bin", "HOME=\(path)", "TMPDIR=/tmp", "TZ=UTC", "LC_ALL=C.UTF-8",
            "FONTCONFIG_FILE=\(Self.root)/Tests/Fixtures/fonts/fonts.conf", "SOURCE_DATE_EPOCH=1789758126", "TERM=dumb",
        ]
        var pid = pid_t()
        let status = Self.withPointers(words) { words in
            Self.withPointers(settings) { posix_spawn(&pid, "/bin/bash", &actions, nil, words, $0) }
        }
        close(pipe[1])
        defer { close(pipe[0]) }
        guard status == 0 else { return (-1, "bash cannot be started") }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(pipe[0], &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes += chunk[..<count]
        }
        var ended: Int32 = 0
        waitpid(pid, &ended, 0)
        let code = ended & 0x7F == 0 ? (ended >> 8) & 0xFF : 128 + (ended & 0x7F)
        return (code, String(decoding: bytes, as: UTF8.self))
    }

    private static func withPointers<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }

    /// The names of files below a folder, by their paths in it.
    func files(in folder: String) -> [String] {
        shell("cd \"$1\" && find . -type f -not -path './.*' | sed 's,^\\./,,' | sort", in: path, folder).printed.split(
            separator: "\n"
        ).map(
            String.init)
    }
}

/// Whether what differs is to be written anew; the run fails all the same.
var isRecording: Bool { getenv("LABELPIPE_RECORD") != nil }

func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    guard let file = fopen(path, "w") else { throw Guide.Failure(description: "\(path) cannot be written") }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
        throw Guide.Failure(description: "\(path) cannot be written")
    }
}
