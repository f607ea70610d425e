import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

/// A program, run apart from this process.
final class Child {
    let pid: pid_t
    private var status: Int32?

    /// The most memory that it or one of its children had, once it has ended. **Units**: bytes.
    private(set) var peak = 0

    /// - Parameter errors: where its standard error goes.
    init(_ arguments: [String], input: String = "/dev/null", output: String = "/dev/null", errors: String = "/dev/null") {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        var pointers = arguments.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var pid = pid_t()
        // What comes of a program that was never started is none of its results; and waiting for 0 would take anybody's child.
        var error = posix_spawnp(&pid, arguments[0], &actions, nil, pointers, Self.environment)
        for _ in 0..<50 where error == EAGAIN || error == ENOMEM {
            usleep(100_000)
            error = posix_spawnp(&pid, arguments[0], &actions, nil, pointers, Self.environment)
        }
        precondition(error == 0 && pid > 0, "\(arguments[0]) cannot be started: \(error)")
        self.pid = pid
    }

    /// As it was when the first program was started: other tests change theirs meanwhile. Unsafe for its pointers only: what they
    /// point to is made once, and neither written again nor freed.
    nonisolated(unsafe) private static let environment: [UnsafeMutablePointer<CChar>?] = {
        var copies: [UnsafeMutablePointer<CChar>?] = []
        while let entry = environ[copies.count] { copies.append(strdup(entry)) }
        return copies + [nil]
    }()

    /// A supervisor over faulty workers.
    convenience init(run input: BytePath, _ output: BytePath, _ rest: String..., errors: String = "/dev/null") {
        self.init(
            [Trial.launch.executable.description, "run", input.description, output.description] + rest, errors: errors)
    }

    func wait() -> Int32 {
        if let status { return status }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        peak = usage.ru_maxrss << 10
        self.status = status
        return status
    }

    /// The code it exited with; nil after a signal.
    var code: Int32? { wait() & 0x7F == 0 ? (wait() >> 8) & 0xFF : nil }

    /// The processes that say they work for it.
    var workers: [pid_t] {
        guard case .success(let entries) = Folder.entries(of: BytePath("/proc")) else { return [] }
        return entries.compactMap { entry in
            guard let pid = pid_t(entry.name.description), pid != self.pid else { return nil }
            let descriptor = open("/proc/\(pid)/environ", O_RDONLY)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &bytes, bytes.count)
            let isOurs = bytes.prefix(max(0, count)).split(separator: 0).contains {
                $0.elementsEqual("\(SupervisedWorker.variable)=\(self.pid)".utf8)
            }
            return isOurs ? pid : nil
        }
    }
}

@Suite("A run as a process of its own", .serialized) struct ProcessTests {
    let scratch = Scratch()

    private func pictures(_ count: Int, _ name: (Int) -> String = { "\($0).jpg" }) {
        for index in 0..<count {
            scratch.file("in/" + name(1000 + index), "PICTURE \(index)" + String(repeating: "x", count: 20_000))
        }
    }

    private func isWhole(_ name: String) -> Bool { scratch.read("out/\(name)") == scratch.read("in/\(name)") }

    @Test("SIGKILL of the supervisor leaves whole files and no worker; the next run finishes and leaves nothing over")
    func killed() {
        pictures(150)
        for round in 0..<12 {
            let child = Child(run: scratch.at("in"), scratch.at("out"), round == 0 ? "error" : "skip")
            usleep(useconds_t(Int.random(in: 2000...60_000)))
            kill(child.pid, SIGKILL)
            _ = child.wait()
            // At once; on a loaded machine one that was just being started needs a while to find out.
            let end = Clock.now + 60
            while !child.workers.isEmpty, Clock.now < end { usleep(1000) }
            #expect(child.workers.isEmpty)
            let files = scratch.list("out") ?? []
            for name in files where !name.hasPrefix(".") { #expect(isWhole(name), "\(name) is torn") }
            #expect(files.count { $0.hasPrefix(".") } <= 3)
        }
        #expect(Child(run: scratch.at("in"), scratch.at("out"), "skip").code == 0)
        #expect(scratch.list("out")?.count == 150)
        #expect(scratch.list("out")?.allSatisfy(isWhole) == true)
    }

    @Test("SIGKILL while outputs are replaced leaves the old or the new one")
    func killedReplacing() {
        pictures(100)
        for index in 0..<100 { scratch.file("out/\(1000 + index).jpg", "old") }
        for _ in 0..<8 {
            let child = Child(run: scratch.at("in"), scratch.at("out"), "overwrite")
            usleep(useconds_t(Int.random(in: 2000...60_000)))
            kill(child.pid, SIGKILL)
            _ = child.wait()
            for name in scratch.list("out") ?? [] where !name.hasPrefix(".") {
                #expect(isWhole(name) || scratch.read("out/\(name)") == "old", "\(name) is torn")
            }
        }
        #expect(Child(run: scratch.at("in"), scratch.at("out"), "overwrite").code == 0)
        #expect(scratch.list("out")?.count == 100)
        #expect(scratch.list("out")?.allSatisfy(isWhole) == true)
    }

    @Test("in place, SIGKILL at any call and --resume draw once", arguments: ["write", "fsync", "linkat", "renameat", "close"])
    func killedInPlace(call: String) {
        let original = "PICTURE of something\n"
        // Each of these calls of the supervisor and its threads in turn, until a run comes to its end undisturbed.
        for place in 1... {
            let folder = "in\(call)\(place)"
            scratch.file("\(folder)/deep/label.jpg", original)
            let launch = [Trial.launch.executable.description, "run", scratch.at(folder).description, "in-place"]
            let child = Child(
                ["/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)"]
                    + ["-e", "inject=\(call):signal=SIGKILL:when=\(place)"] + launch)
            let isKilled = child.code != 0
            let after = scratch.read("\(folder)/deep/label.jpg")
            #expect(after == original || after == original + "LABEL\n", "killed at \(call) \(place): \(after ?? "gone")")
            #expect(Child(launch + ["resume"]).code == 0)
            #expect(
                scratch.read("\(folder)/deep/label.jpg") == original + "LABEL\n", "killed at \(call) \(place) and resumed")
            #expect(scratch.list("\(folder)/deep") == ["label.jpg"])
            guard isKilled else { return }
        }
    }

    @Test("a worker killed from outside costs the picture it had", arguments: [SIGSEGV, SIGKILL, SIGABRT])
    func workerKilled(signal: Int32) {
        pictures(12) { "slow-save-\($0).jpg" }
        let child = Child(run: scratch.at("in"), scratch.at("out"), errors: scratch.at("errors").description)
        var victims: [pid_t] = []
        let end = Clock.now + 5
        // One that has a picture: outputs have begun to come.
        while victims.isEmpty || (scratch.list("out") ?? []).isEmpty, Clock.now < end {
            victims = child.workers
            usleep(5000)
        }
        // In the middle of one: each takes 200 ms.
        usleep(60_000)
        // Asked for anew: one that was only being started has another number of workers beside it by now.
        if let victim = child.workers.first { kill(victim, signal) }
        #expect(child.code == 1)
        let errors = scratch.read("errors") ?? ""
        #expect(errors.contains(signal == SIGSEGV ? "SIGSEGV" : signal == SIGKILL ? "SIGKILL" : "SIGABRT"), "\(errors)")
        #expect(errors.contains("11 done, 1 failed"), "\(errors)")
        #expect(scratch.list("out")?.count == 11)
    }

    @Test(
        "SIGINT, SIGTERM, SIGHUP: the prompt is back at once, what was done is whole, the report names every picture",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func interrupted(signal: Int32) {
        pictures(60) { $0 < 1030 ? "\($0).jpg" : "slow-render-\($0).jpg" }
        scratch.file("in/hang-save-1.jpg")
        let child = Child(run: scratch.at("in"), scratch.at("out"), "error", scratch.at("report").description)
        let patience = Clock.now + 10
        while (scratch.list("out") ?? []).count < 25, Clock.now < patience { usleep(2000) }
        let started = Clock.now
        kill(child.pid, signal)
        #expect(child.code == 128 + signal)
        // The promise is half a second on an idle machine.
        #expect(Clock.now - started < 2)
        #expect(child.workers.isEmpty)
        for name in scratch.list("out") ?? [] { #expect(isWhole(name) && !name.hasPrefix(".")) }
        let lines = (scratch.read("report") ?? "").split(separator: "\n")
        #expect(lines.count == 62)
        #expect(lines.last?.contains("\"status\":\"totals\"") == true)
        #expect(lines.contains { $0.contains("\"status\":\"dropped\"") })
    }

    @Test("a run that nohup began goes on when the terminal closes")
    func nohup() {
        pictures(12) { "slow-render-\($0).jpg" }
        let child = Child([
            "/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh", Trial.launch.executable.description, "run",
            scratch.at("in").description, scratch.at("out").description, "error",
        ])
        let patience = Clock.now + 10
        while (scratch.list("out") ?? []).isEmpty, Clock.now < patience { usleep(2000) }
        kill(child.pid, SIGHUP)
        #expect(child.code == 0)
        #expect(scratch.list("out")?.count == 12)
    }

    @Test("two runs on one folder make each output once")
    func two() {
        pictures(200)
        let one = Child(run: scratch.at("in"), scratch.at("out"), "skip", scratch.at("one").description)
        let other = Child(run: scratch.at("in"), scratch.at("out"), "skip", scratch.at("other").description)
        #expect(one.code == 0)
        #expect(other.code == 0)
        #expect(scratch.list("out")?.count == 200)
        #expect(scratch.list("out")?.allSatisfy(isWhole) == true)
        let done = ["one", "other"].map {
            (scratch.read($0) ?? "").split(separator: "\n").count { $0.contains("\"status\":\"done\"") }
        }
        #expect(done.reduce(0, +) == 200)
    }

    @Test("killed again and again and resumed, the tree is the one of an undisturbed run, and little is done twice")
    func resumed() {
        pictures(200)
        var done = 0
        for round in 0..<10 {
            let report = scratch.at("report\(round)").description
            let child = Child(run: scratch.at("in"), scratch.at("out"), "resume", report)
            usleep(useconds_t(Int.random(in: 20_000...150_000)))
            kill(child.pid, SIGKILL)
            _ = child.wait()
            done += (scratch.read("report\(round)") ?? "").split(separator: "\n").count { $0.contains("\"status\":\"done\"") }
        }
        #expect(Child(run: scratch.at("in"), scratch.at("out"), "resume", scratch.at("last").description).code == 0)
        let last = (scratch.read("last") ?? "").split(separator: "\n")
        done += last.count { $0.contains("\"status\":\"done\"") }
        #expect(scratch.list("out")?.count == 200)
        #expect(scratch.list("out")?.allSatisfy(isWhole) == true)
        // What was told as done is recorded: only pictures in the middle of being told are done again.
        #expect(done <= 200 + 11)
    }

    @Test("left-overs of dead runs go, those of living ones and other dot-files stay")
    func leftOvers() {
        scratch.file("in/a.jpg")
        scratch.file("out/.b.jpg.labelpipe-0123456789ab", "half")
        scratch.file("out/.c.jpg.labelpipe-ba9876543210", "half")
        scratch.file("out/.d.labelpipe-notours", "other")
        let held = open(scratch.at("out/.c.jpg.labelpipe-ba9876543210").description, O_RDWR | O_CLOEXEC)
        flock(held, LOCK_EX)
        #expect(Child(run: scratch.at("in"), scratch.at("out")).code == 0)
        #expect(scratch.list("out") == [".c.jpg.labelpipe-ba9876543210", ".d.labelpipe-notours", "a.jpg"])
        close(held)
        #expect(Child(run: scratch.at("in"), scratch.at("out"), "overwrite").code == 0)
        #expect(scratch.list("out") == [".d.labelpipe-notours", "a.jpg"])
    }

    @Test("the supervisor opens no picture", .enabled(if: access("/usr/bin/strace", X_OK) == 0))
    func opensNoPicture() throws {
        pictures(5)
        scratch.file("in/unnamed", "PICTURE without an extension")
        let log = scratch.at("log").description
        let child = Child(
            [
                "/usr/bin/strace", "-f", "-e", "trace=open,openat,openat2", "-o", log, Trial.launch.executable.description, "run",
                scratch.at("in").description, scratch.at("out").description,
            ])
        #expect(child.code == 0)
        #expect(scratch.list("out")?.count == 6)
        let lines = (scratch.read("log") ?? "").split(separator: "\n")
        let supervisor = try #require(lines.first?.split(separator: " ").first)
        let opened = lines.filter { $0.contains("/in/") }
        #expect(opened.count >= 6)
        #expect(!opened.contains { $0.hasPrefix("\(supervisor) ") }, "\(opened)")
    }

    @Test("an output folder that cannot be written, and a full one, end the run with code 5")
    func unwritable() {
        pictures(3)
        scratch.file("file")
        #expect(Child(run: scratch.at("in"), scratch.at("file/out")).code == 5)
        #expect(Child(run: scratch.at("in"), BytePath("/proc/labelpipe")).code == 5)
    }
}
