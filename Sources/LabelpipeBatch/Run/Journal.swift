import Diagnostics
import Glibc
import LabelpipeWorker
import Synchronization

/// The record of what runs have done, in the output folder: one JSON object a line, appended, each with a checksum.
///
/// A line is written when its outputs are whole and have their names on the disk. A line that was cut off by the end of a
/// process or of the power has no checksum and counts as not there.
///
/// Work in place is the exception: what it replaces cannot be looked at afterwards, and a picture that is done again is marked
/// twice. So its line is on the disk *before* the new file takes the name, and says what file that is (`result`). A later run
/// believes it of that file, by number and times or by all of its content, and of nothing else: a picture whose new file never got
/// the name is none that any line speaks of.
package final class Journal: Sendable {
    /// Never an output's place and never an input.
    static let folderName = BytePath(".labelpipe")

    /// What was done of one picture.
    package struct Entry: Equatable {
        /// Below the output folder, with the size of each, **bytes**.
        package var outputs: [(path: BytePath, bytes: Int64)] = []
        var source: SourceFacts?
        /// Of document, parameters, row, version: `BatchRun.key`.
        var key = ""
        /// Of what draws texts.
        var fonts: Fonts?
        /// Of work in place: what file takes the picture's name.
        var result: SourceFacts?

        package static func == (left: Entry, right: Entry) -> Bool {
            left.source == right.source && left.key == right.key && left.fonts == right.fonts
                && left.outputs.elementsEqual(right.outputs, by: ==)
        }
    }

    /// The fonts that a picture's texts were drawn with. While nothing that is installed changes they are the same; when something
    /// has, the texts are laid out again to see whether these are still the ones.
    package struct Fonts: Equatable {
        /// `FontFolders.state`.
        var state: String
        /// As `RunReply.fonts` has them.
        var used: [String]
    }

    private let descriptor: Int32
    private let name: String
    /// Of the line that says when the run began.
    private let beginning: Int
    private let firstFailure = Mutex<SystemError?>(nil)

    /// Why lines are being lost, if they are.
    var failure: SystemError? { firstFailure.withLock { $0 } }

    /// Opens the shard's journal to be added to.
    ///
    /// - Parameters:
    ///   - folder: the output folder.
    ///   - date: the run's start, which a resumed run keeps.
    init(in folder: OpenFolder, shard: String, date: Int64) throws(Stop) {
        name = "journal-\(shard).ndjson"
        var writer = JSONWriter()
        writer.object {
            $0.member("labelpipe", 1)
            $0.member("date", Int(date))
        }
        beginning = Self.sealed(writer.bytes).count
        let made = Self.folderName.withCString { mkdirat(folder.descriptor, $0, 0o777) }
        let refusal = made == 0 || errno == EEXIST ? nil : SystemError.last
        // Whatever the umask: what its owner cannot read or write is no record.
        if made == 0, case .success(let facts) = FileFacts.of(Self.folderName, in: folder.descriptor), facts.mode & 0o700 != 0o700
        {
            _ = Self.folderName.withCString { fchmodat(folder.descriptor, $0, mode_t(facts.mode | 0o700), 0) }
        }
        let directory = Self.folderName.withCString {
            openat(folder.descriptor, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
        let error = refusal ?? SystemError.last
        defer { if directory >= 0 { _ = Glibc.close(directory) } }
        descriptor =
            directory < 0
            ? -1 : openat(directory, name, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw Stop(
                .unwritable,
                "the journal in \(folder.path.appending(Self.folderName)) cannot be written: \(directory < 0 ? error : SystemError.last)"
            )
        }
        if case .success(let facts) = FileFacts.of(descriptor: descriptor), facts.mode & 0o600 != 0o600, facts.owner == geteuid()
        {
            _ = fchmod(descriptor, mode_t(facts.mode | 0o600))
        }
        // A line that was cut off stays alone.
        var last: UInt8 = 0
        let size = lseek(descriptor, 0, SEEK_END)
        if size > 0, pread(descriptor, &last, 1, size - 1) == 1, last != 0x0A { append([]) }
        append(writer.bytes)
        // Its own name is on the disk before any line that somebody relies on.
        _ = fsync(descriptor)
        _ = fsync(directory)
        _ = fsync(folder.descriptor)
    }

    /// Takes it away again where nothing but the run's beginning stands in it.
    func removeUnused(in folder: OpenFolder) {
        guard case .success(let facts) = FileFacts.of(descriptor: descriptor), facts.size == Int64(beginning) else { return }
        let path = Self.folderName.appending(BytePath(name))
        guard path.withCString({ unlinkat(folder.descriptor, $0, 0) }) == 0 else { return }
        _ = Self.folderName.withCString { unlinkat(folder.descriptor, $0, AT_REMOVEDIR) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        _ = Glibc.close(descriptor)
    }

    /// Writes a line and waits until the disk has it.
    ///
    /// **Errors.** The disk does not take it.
    func addSynced(_ entry: Entry, input: BytePath?) throws(SystemError) {
        add(entry, input: input)
        if let failure { throw failure }
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw .last }
    }

    func add(_ entry: Entry, input: BytePath?) {
        var writer = JSONWriter()
        writer.object {
            if let input { $0.member("input", bytes: input.bytes) }
            $0.key("output")
            $0.array { list in for output in entry.outputs { list.string(bytes: output.path.bytes) } }
            $0.key("bytes")
            $0.array { list in for output in entry.outputs { list.number(output.bytes) } }
            if let source = entry.source {
                $0.key("source")
                source.write(to: &$0)
            }
            if let result = entry.result {
                $0.key("result")
                result.write(to: &$0)
            }
            $0.member("key", entry.key)
            if let fonts = entry.fonts {
                $0.key("fonts")
                $0.object {
                    $0.member("state", fonts.state)
                    $0.member("used", fonts.used)
                }
            }
        }
        append(writer.bytes)
    }

    /// One write, so that two runs on one folder never mix their lines.
    private func append(_ object: [UInt8]) {
        let line = object.isEmpty ? [0x0A] : Self.sealed(object)
        firstFailure.withLock { failure in
            guard failure == nil else { return }
            while true {
                let count = write(descriptor, line, line.count)
                if count == line.count { return }
                if count < 0, errno == EINTR { continue }
                // A part of a line means that there is no room for the rest.
                failure = count < 0 ? .last : SystemError(ENOSPC)
                return
            }
        }
    }

    // MARK: Lines

    private static let seal = Array(",\"sum\":\"".utf8)

    /// An object with its checksum as the last member.
    package static func sealed(_ object: [UInt8]) -> [UInt8] {
        let body = object.dropLast()
        return Array(body) + seal + Array(sum(body).utf8) + Array("\"}\n".utf8)
    }

    /// The object of a line whose checksum is right.
    package static func opened(_ line: ArraySlice<UInt8>) -> JSONValue? {
        let tail = seal.count + 16 + 2
        guard line.count > tail else { return nil }
        let body = line.dropLast(tail)
        guard line.suffix(tail).elementsEqual(seal + Array(sum(body).utf8) + Array("\"}".utf8)) else { return nil }
        return try? JSONValue.parse(Array(line), file: "journal")
    }

    /// FNV-1a of 64 bits: against lines that are cut off or rotten, not against people.
    private static func sum(_ bytes: ArraySlice<UInt8>) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let hex = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - hex.count) + hex
    }

    // MARK: Reading

    /// What earlier runs have recorded.
    package struct Record {
        /// By the first output.
        package private(set) var entries: [BytePath: Entry] = [:]
        /// Of work in place, by the file that took a picture's name: whatever it is called today.
        private var inPlace: [UInt64: [Entry]] = [:]
        /// The same by the file's hash: copies and what comes out of an archive have other numbers and times.
        private var inPlaceByHash: [String: [Entry]] = [:]
        private var inPlaceSizes: Set<Int64> = []
        /// The start of the latest run.
        var date: Int64?

        /// Reads the lines of one journal.
        package init(lines: [UInt8]) {
            for line in lines.split(separator: 0x0A) { take(line) }
        }

        /// Reads all journals of an output folder, whatever the shards.
        ///
        /// **Errors.** One cannot be read: what it says is done would be done again, in place drawn on twice.
        init(of folder: BytePath) throws(Stop) { try read(folder) }

        /// Reads what work in place has left in the pictures' folders and in all above them, links followed: the next run may be given
        /// other folders than the last.
        ///
        /// - Parameter homes: where the pictures of this run have their journals. Only these say when the run began.
        /// **Errors.** As above.
        init(inPlaceOf pictures: [BytePath], homes: Set<BytePath>) throws(Stop) {
            let own = Set(homes.compactMap(\.real))
            var known: Set<BytePath> = []
            var folders = Set(pictures.map { $0.folder.isEmpty ? BytePath(".") : $0.folder })
            for picture in pictures { if let real = picture.real { folders.insert(real.folder) } }
            for folder in folders {
                var above = folder.real
                while let place = above, known.insert(place).inserted {
                    if !own.contains(place) { try read(place) }
                    let next = place.folder
                    above = next.isEmpty || next == place ? nil : next
                }
            }
            date = nil
            for home in own.sorted() { try read(home) }
            entries = [:]
        }

        private mutating func read(_ folder: BytePath) throws(Stop) {
            let place = folder.appending(Journal.folderName)
            switch Folder.entries(of: place) {
            case .success(let files):
                for file in files.map(\.name).sorted()
                where file.bytes.starts(with: "journal-".utf8) && file.ext == BytePath("ndjson") {
                    let path = place.appending(file)
                    do throws(SystemError) { try read(journal: path) } catch {
                        throw Stop(.unwritable, "the journal \(path) cannot be read: \(error)")
                    }
                }
            case .failure(let error) where error.number == ENOENT: break
            case .failure(let error): throw Stop(.unwritable, "the journal in \(place) cannot be read: \(error)")
            }
        }

        private mutating func read(journal path: BytePath) throws(SystemError) {
            let descriptor = path.withCString { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
            guard descriptor >= 0 else { throw .last }
            defer { _ = Glibc.close(descriptor) }
            var pending: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = Glibc.read(descriptor, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw .last }
                guard count > 0 else { break }
                pending.append(contentsOf: chunk.prefix(count))
                guard let end = pending.lastIndex(of: 0x0A) else { continue }
                for line in pending[...end].split(separator: 0x0A) { take(line) }
                pending.removeSubrange(...end)
            }
            take(pending[...])
        }

        private mutating func take(_ line: ArraySlice<UInt8>) {
            guard let object = Journal.opened(line) else { return }
            if let start = object["date"]?.integer { date = Int64(start) }
            let paths = object["output"]?.elements?.compactMap(\.string).map { BytePath(reversible: $0) } ?? []
            let sizes = object["bytes"]?.elements?.compactMap(\.integer) ?? []
            guard let first = paths.first, paths.count == sizes.count, let key = object["key"]?.string else { return }
            let entry = Entry(
                outputs: zip(paths, sizes).map { ($0, Int64($1)) }, source: object["source"].flatMap(SourceFacts.init), key: key,
                fonts: object["fonts"].map {
                    Fonts(state: $0["state"]?.string ?? "", used: $0["used"]?.elements?.compactMap(\.string) ?? [])
                },
                result: object["result"].flatMap(SourceFacts.init))
            if let result = entry.result {
                // Numbers of files are given away again.
                inPlace[result.inode, default: []].removeAll { $0.result == result }
                inPlace[result.inode, default: []].append(entry)
                if let hash = result.hash { inPlaceByHash[hash, default: []].append(entry) }
                inPlaceSizes.insert(result.size)
            } else {
                entries[first] = entry
            }
        }

        /// Whether a file is what work in place by this key has made, or what other work has made of that since.
        func hasMade(_ file: SourceFacts, key: String) -> Bool {
            var file = file
            for _ in 0..<Self.mostGenerations {
                let made = makers(of: file)
                if made.contains(where: { $0.key == key }) { return true }
                guard let source = made.last?.source else { return false }
                file = source
            }
            return false
        }

        /// Whether a file of that size could be one, so that its hash is worth asking for.
        func mayHaveMade(bytes: Int64) -> Bool { inPlaceSizes.contains(bytes) }

        private static let mostGenerations = 100

        private func makers(of file: SourceFacts) -> [Entry] {
            let same = inPlace[file.inode]?.filter { $0.result?.looksLike(file) == true } ?? []
            if !same.isEmpty { return same }
            return file.hash.flatMap { inPlaceByHash[$0] }?.filter { $0.result?.size == file.size } ?? []
        }
    }
}
