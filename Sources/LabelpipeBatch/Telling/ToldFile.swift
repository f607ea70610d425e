import Glibc
import LabelpipeWorker

/// A file that a run writes beside its pictures, and that people name by hand: the report, the page of a gallery.
enum ToldFile {
    /// **Errors.** What is there is somebody's: no earlier run wrote it.
    ///
    /// - Parameters:
    ///   - flag: what names the file.
    ///   - isOwn: whether a file that begins so is one of an earlier run.
    static func refuse(_ descriptor: Int32, _ path: BytePath, flag: String, unless isOwn: (ArraySlice<UInt8>) -> Bool)
        throws(Stop)
    {
        guard case .success(let facts) = FileFacts.of(descriptor: descriptor), facts.kind == .file, facts.size > 0 else { return }
        var start = [UInt8](repeating: 0, count: Int(min(facts.size, 1 << 20)))
        let count = pread(descriptor, &start, start.count, 0)
        guard count <= 0 || !isOwn(start[..<count]) else { return }
        throw Stop(
            .usage, "\(path) is there, and no run wrote it as its \(flag)", help: ["give another file as \(flag)"])
    }
}

/// Where a file lies that has this path, or will: one value for all spellings of a place, whether anything is there or not.
struct FilePlace: Hashable {
    /// Without links, `.` and `..`.
    private let components: [[UInt8]]

    /// - Parameter followingLast: whether a link in the place itself is followed, as `open` does and `rename` does not.
    init(_ path: BytePath, followingLast: Bool) {
        let whole = path.isAbsolute ? path : BytePath.workingFolder.appending(path)
        var done: [[UInt8]] = []
        var left = Array(whole.components.map(Array.init).reversed())
        var links = 0
        while let part = left.popLast() {
            if part == [BytePath.dotByte] { continue }
            if part == [BytePath.dotByte, BytePath.dotByte] {
                _ = done.popLast()
                continue
            }
            done.append(part)
            guard followingLast || !left.isEmpty, links < 40, let target = Self.link(Self.path(done)) else { continue }
            links += 1
            if target.isAbsolute { done = [] } else { done.removeLast() }
            left += target.components.map(Array.init).reversed()
        }
        components = done
    }

    var name: [UInt8]? { components.last }
    /// The folder that it lies in.
    var folder: [UInt8]? { components.dropLast().last }

    private static func path(_ components: [[UInt8]]) -> BytePath {
        BytePath([BytePath.slashByte] + components.joined(separator: [BytePath.slashByte]))
    }

    private static func link(_ path: BytePath) -> BytePath? {
        var text = [CChar](repeating: 0, count: 4096)
        let count = path.withCString { readlink($0, &text, text.count) }
        return count > 0 ? BytePath(text[..<count].map { UInt8(bitPattern: $0) }) : nil
    }
}

extension BatchRun {
    /// The report and the page of a gallery are nobody else's: no output, no input, no journal, not each other.
    ///
    /// **Errors.** They are.
    func checkToldFiles(_ destination: Destination) throws(Stop) {
        let report = options.report == BytePath("-") ? nil : options.report
        let told = [("--report", report), ("--gallery", options.gallery)].compactMap { flag, path in
            path.map { ToldPlace(flag: flag, path: $0) }
        }
        guard !told.isEmpty else { return }
        if told.count == 2, told[0].isSame(as: told[1]) {
            throw Stop(.usage, "--report and --gallery name one file: \(told[0].path)")
        }
        for place in told where place.isInJournal {
            throw Stop(.usage, "\(place.flag) \(place.path) lies in the journal's folder")
        }
        for picture in pictures {
            for place in told where place.identity != nil && place.identity == picture.identity {
                throw Stop(.usage, "\(place.flag) \(place.path) would be written over the input \(picture.name)")
            }
            if case .standardOutput = destination.kind { continue }
            for output in picture.outputs {
                let path = destination.prefix?.appending(output) ?? output
                for place in told where place.holds(path) {
                    throw Stop(
                        .usage, "\(place.flag) \(place.path) is where the output of \(picture.name) is written: \(path)",
                        help: ["give another file as \(place.flag)"])
                }
            }
        }
    }
}

private struct ToldPlace {
    let flag: String
    let path: BytePath
    let identity: FileFacts.Identity?
    private let places: Set<FilePlace>

    init(flag: String, path: BytePath) {
        self.flag = flag
        self.path = path
        // A device, a pipe or a terminal is no file that something could be written over.
        let facts = try? FileFacts.of(path).get()
        identity = facts?.kind == .file ? facts?.identity : nil
        places = [FilePlace(path, followingLast: true), FilePlace(path, followingLast: false)]
    }

    var isInJournal: Bool { places.contains { $0.folder.map { BytePath($0) } == Journal.folderName } }

    func isSame(as other: ToldPlace) -> Bool {
        !places.isDisjoint(with: other.places) || identity != nil && identity == other.identity
    }

    /// Whether an output with this path would be it.
    func holds(_ output: BytePath) -> Bool {
        if let identity, case .success(let facts) = FileFacts.of(output, followingLinks: false), facts.identity == identity {
            return true
        }
        // Another name is another file: looking at names alone keeps thousands of outputs cheap.
        let name = output.name.bytes
        return places.contains { $0.name == name } && places.contains(FilePlace(output, followingLast: false))
    }
}
