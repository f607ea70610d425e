import CLinux
import Glibc
import LabelpipeWorker

/// The name of one run: what its temporary names end with.
struct RunName: Sendable {
    /// Twelve hexadecimal digits by chance.
    let text: String
    private static let marker = Array(".labelpipe-".utf8)
    private static let digits = 12

    init() {
        let number = UInt64.random(in: 0..<(1 << 48))
        let hex = String(number, radix: 16)
        text = String(repeating: "0", count: Self.digits - hex.count) + hex
    }

    /// `.NAME.labelpipe-RUN`, a name too long for a folder shortened.
    func dotName(for name: BytePath) -> BytePath {
        let room = 255 - 1 - Self.marker.count - Self.digits
        var kept = name.bytes
        if kept.count > room {
            // Two long names that begin alike stay two: the rest of the name as a number (FNV-1a).
            let rest = kept.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            kept = Array(kept.prefix(room - 17)) + Array("~\(String(rest, radix: 16))".utf8)
        }
        return BytePath([BytePath.dotByte] + kept + Self.marker + Array(text.utf8))
    }

    /// Whether a name is one of this run's.
    func owns(_ name: BytePath) -> Bool {
        name.bytes.suffix(Self.digits).elementsEqual(text.utf8)
    }

    /// Whether a name is some run's own.
    static func isName(_ name: BytePath) -> Bool {
        name.bytes.count == digits && name.bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Whether a name is a temporary one of any run.
    static func isLeftOver(_ name: BytePath) -> Bool {
        let bytes = name.bytes
        guard bytes.first == BytePath.dotByte, bytes.count > 1 + marker.count + digits else { return false }
        let tail = bytes.suffix(marker.count + digits)
        return tail.starts(with: marker)
            && tail.suffix(digits).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// Files with temporary names. A run that lives holds a lock on each of its own (`flock`, which ends with the process, on
/// every kind of end and across containers that share a folder).
final class LeftOvers {
    private let run: RunName
    /// Folders that have been looked through.
    private var swept: Set<FileFacts.Identity> = []

    /// - Parameter run: whose own are left alone.
    init(not run: RunName) {
        self.run = run
    }

    /// Removes what runs that are no more have left in a folder, once a folder.
    func sweep(_ folder: Int32) {
        guard case .success(let facts) = FileFacts.of(descriptor: folder), swept.insert(facts.identity).inserted,
            case .success(let entries) = Folder.entries(of: folder)
        else { return }
        for entry in entries where RunName.isLeftOver(entry.name) && !run.owns(entry.name) { Self.remove(entry.name, in: folder) }
    }

    /// Removes one, if its run is no more.
    private static func remove(_ name: BytePath, in folder: Int32) {
        let descriptor = name.withCString { openat(folder, $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        guard case .success(let opened) = FileFacts.of(descriptor: descriptor), opened.kind == .file,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0,
            // The name may have been given up and be somebody else's by now.
            case .success(let named) = FileFacts.of(name, in: folder, followingLinks: false), named.identity == opened.identity
        else { return }
        _ = name.withCString { unlinkat(folder, $0, 0) }
    }
}
