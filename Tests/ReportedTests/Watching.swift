import Glibc
import TestSupport
import Testing
import Vips

/// What a running program's processes need, looked at from outside again and again.
struct Watch {
    var code: Int32 = -1
    var errors = ""
    /// **Units**: seconds.
    var time = 0.0
    /// The most descriptors that one process has open.
    var descriptors = 0
    /// The most memory that one process has had, as the system counts it since the process began. **Units**: bytes.
    var peak = 0
    /// Sums over all processes, one a look. **Units**: seconds, bytes.
    var memory: [(time: Double, bytes: Int)] = []
}

extension Program {
    /// Runs a command of the shell in the folder; `$LABELPIPE` is the program. Each look is a few milliseconds after the last.
    func watch(_ command: String, look: (Double) -> Void = { _ in }) throws -> Watch {
        var watch = Watch()
        let begin = Program.now
        let pid = try start(command)
        var status: Int32 = 0
        while waitpid(pid, &status, WNOHANG) == 0 {
            var sum = 0
            for process in Program.family(of: pid) {
                let (now, peak) = Program.memory(of: process)
                sum += now
                watch.peak = max(watch.peak, peak)
                watch.descriptors = max(watch.descriptors, Program.descriptors(of: process))
            }
            watch.memory.append((Program.now - begin, sum))
            look(Program.now - begin)
            usleep(10_000)
        }
        watch.time = Program.now - begin
        watch.code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
        watch.errors = String(decoding: try readFile(path(".errors")), as: UTF8.self)
        return watch
    }

    /// A command of the shell, to its end.
    func shell(_ command: String) throws -> Watch { try watch(command) }

    private func start(_ command: String) throws -> pid_t {
        try #require(getenv("LABELPIPE") != nil, "Scripts/test says where the program is")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, path(".output"), O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, path(".errors"), O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        let fonts = packageFolder + "/Tests/Fixtures/fonts/fonts.conf"
        let arguments: [String] = [
            "/bin/bash", "-c", "cd \"$0\" || exit 99; export FONTCONFIG_FILE=\"$1\"; \(command)", folder, fonts,
        ]
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var pid = pid_t()
        try #require(posix_spawn(&pid, "/bin/bash", &actions, nil, pointers, environ) == 0)
        return pid
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// A process and all that it started.
    private static func family(of pid: pid_t) -> [pid_t] {
        guard let threads = opendir("/proc/\(pid)/task") else { return [] }
        defer { closedir(threads) }
        var family = [pid]
        while let entry = readdir(threads) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let text = text("/proc/\(pid)/task/\(name)/children") else { continue }
            for child in text.split(separator: " ").compactMap({ pid_t($0) }) { family += self.family(of: child) }
        }
        return family
    }

    private static func memory(of pid: pid_t) -> (now: Int, peak: Int) {
        var (now, peak) = (0, 0)
        for line in text("/proc/\(pid)/status")?.split(separator: "\n") ?? [] {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.count > 1, let size = Int(words[1]) else { continue }
            if words[0] == "VmRSS:" { now = size << 10 }
            if words[0] == "VmHWM:" { peak = size << 10 }
        }
        return (now, peak)
    }

    private static func descriptors(of pid: pid_t) -> Int {
        guard let folder = opendir("/proc/\(pid)/fd") else { return 0 }
        defer { closedir(folder) }
        // Itself and its parent are listed too.
        var count = -2
        while readdir(folder) != nil { count += 1 }
        return count
    }

    /// A file of the kernel's, whose size is not known before; nil where the process is gone.
    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// A white block in the corner.
let whiteCorner = stamping(chain(rectangle(20, 10), solid("white")))

func job(_ program: Program, _ document: String = whiteCorner) throws { try program.write("job.json", document) }

/// A picture in which every pixel counts.
func photo(_ width: Int = 160, _ height: Int = 120) throws -> Image {
    try VipsRuntime.start()
    return try Image.generated(width: width, height: height, bands: 3, format: .uchar, interpretation: .srgb) { pixels in
        for y in 0..<pixels.box.height {
            for x in 0..<pixels.box.width * 3 {
                let (px, py) = (pixels.box.left + x / 3, pixels.box.top + y)
                pixels.row(y, as: UInt8.self)[x] = UInt8((px * 2 + py * 3 + x % 3 * 40) % 200)
            }
        }
    }
}

/// What lies in a folder, sorted, without the journal's own folder.
func files(_ program: Program, _ folder: String) throws -> [String] {
    let found = try program.shell("find \(folder) -not -type d -not -path '*/.labelpipe/*' | sort > .found")
    #expect(found.code == 0, "\(found.errors)")
    return String(decoding: try readFile(program.path(".found")), as: UTF8.self).split(separator: "\n").map(String.init)
}
