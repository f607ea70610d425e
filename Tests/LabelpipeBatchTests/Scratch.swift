import Glibc
import LabelpipeBatch
import LabelpipeWorker

/// A folder of a test's own, removed with all that is in it.
final class Scratch {
    let path: String

    init() {
        var template = Array("/tmp/labelpipe-test-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&template)!)
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        chmod(path, 0o700)
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                        Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
                    }
                }
                if name == [0x2E, 0] || name == [0x2E, 0x2E, 0] { continue }
                let child = Array(path.utf8CString.dropLast()) + [0x2F] + name
                var status = stat()
                if lstat(child, &status) == 0, status.st_mode & 0o170000 == 0o040000 {
                    remove(child.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
                } else {
                    unlink(child)
                }
            }
            closedir(folder)
        }
        rmdir(path)
    }

    func at(_ relative: String) -> BytePath { BytePath("\(path)/\(relative)") }

    @discardableResult func file(_ relative: String, _ content: String = "PICTURE of something\n") -> BytePath {
        let path = at(relative)
        folder(path.folder)
        write(path, Array(content.utf8))
        return path
    }

    func write(_ path: BytePath, _ bytes: [UInt8]) {
        let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o644) }
        _ = Glibc.write(descriptor, bytes, bytes.count)
        close(descriptor)
    }

    func folder(_ path: BytePath) {
        var made = BytePath("/")
        for component in path.components {
            made = made.appending(BytePath(component))
            _ = made.withCString { mkdir($0, 0o755) }
        }
    }

    func read(_ relative: String) -> String? {
        let descriptor = at(relative).withCString { open($0, O_RDONLY) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// All files below a folder, dot-files too but no journal, sorted; nil if there is none.
    func list(_ relative: String) -> [String]? {
        guard case .success(let entries) = Folder.entries(of: at(relative)) else { return nil }
        return entries.flatMap { entry -> [String] in
            let name = entry.name.description
            if name == ".labelpipe" { return [] }
            guard entry.kind == .folder else { return [name] }
            return (list("\(relative)/\(name)") ?? []).map { "\(name)/\($0)" }
        }.sorted()
    }
}

/// A run by the faulty worker.
struct Trial {
    let exit: ExitCode
    let errors: String
    let output: String

    static var launch: Launch {
        var launch = Launch()
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let itself = BytePath(path.prefix(count).map { UInt8(bitPattern: $0) })
        launch.executable = itself.folder.appending(BytePath("FaultyWorker"))
        launch.arguments = ["FaultyWorker"]
        return launch
    }

    init(
        _ document: BatchDocument = BatchDocument(takesInput: true, outputs: [.init(pointer: "/output")]), text: String = "{}",
        version: String? = nil, _ adjust: (inout RunOptions) -> Void
    ) {
        var options = RunOptions()
        options.jobs = 2
        adjust(&options)
        var setup = Setup()
        setup.document = Array(text.utf8)
        if let version { setup.version = version }
        setup.date = 1_700_000_000
        let output = Output()
        let errors = Output()
        let run = BatchRun(options, document: document, setup: setup, launch: Self.launch, output: output, errors: errors)
        exit = run.run()
        self.output = String(decoding: output.collected, as: UTF8.self)
        self.errors = String(decoding: errors.collected, as: UTF8.self)
    }
}
