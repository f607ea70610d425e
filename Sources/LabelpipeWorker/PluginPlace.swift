import CLinux
import Diagnostics
import Glibc
import Synchronization

/// Where in other people's code a worker is.
package struct PluginPlace: Sendable, Hashable {
    package let plugin: String
    package let file: String
    package let effect: String
    /// The node's JSON pointer.
    package let node: String
    /// Its own within a worker, from 1: what a running mark says.
    package var number: UInt32 = 0

    package init(plugin: String, file: String, effect: String, node: String) {
        (self.plugin, self.file, self.effect, self.node) = (plugin, file, effect, node)
    }

    func write(to writer: inout JSONWriter) {
        writer.member("plugin", plugin)
        writer.member("file", file)
        writer.member("effect", effect)
        writer.member("node", node)
        writer.member("number", Int(number))
    }

    init?(_ message: JSONValue) {
        guard let plugin = message["plugin"]?.string, let file = message["file"]?.string, let effect = message["effect"]?.string,
            let node = message["node"]?.string
        else { return nil }
        self.init(plugin: plugin, file: file, effect: effect, node: node)
        number = message["number"]?.integer.flatMap { UInt32(exactly: $0) } ?? 0
    }

    /// As it stands in a sentence.
    package var text: String { "plugin \(plugin) (\(file)), \(effect) at \(node)" }
}

extension SupervisedWorker {
    private static let known = Mutex<[PluginPlace: UInt32]>([:])

    /// Tells the supervisor that a plugin's code is about to run, or that it is over. Nothing without a supervisor.
    ///
    /// - Returns: the number by which `RunningMark` names the place; 0 where nobody looks.
    @discardableResult package static func announce(_ place: PluginPlace?) -> UInt32 {
        guard supervisor != nil else { return 0 }
        var place = place
        if let unnumbered = place {
            place?.number = known.withLock { known in
                if let number = known[unnumbered] { return number }
                known[unnumbered] = UInt32(known.count + 1)
                return UInt32(known.count)
            }
        }
        var writer = JSONWriter()
        Reply.inside(place).write(to: &writer)
        // A supervisor that has gone is noticed where a verdict is sent.
        try? Channel(socket: socket).send(writer.bytes)
        return place?.number ?? 0
    }
}

/// Whose pixels a worker computes, in memory that it shares with its supervisor: it says so when the worker can no more.
package struct RunningMark: @unchecked Sendable {
    // @unchecked: one word, written by the worker's computing thread, read when that has ended or hangs.
    private let word: UnsafeMutablePointer<UInt32>
    private static let bytes = 4096

    /// Memory for a worker to be started; its descriptor is `descriptor`'s to close. nil: there is none to be had.
    package static func made() -> (mark: RunningMark, descriptor: Int32)? {
        let file = lp_memory_file("labelpipe-mark")
        guard file >= 0 else { return nil }
        guard ftruncate(file, off_t(bytes)) == 0, let mark = RunningMark(file) else {
            close(file)
            return nil
        }
        return (mark, file)
    }

    private init?(_ descriptor: Int32) {
        guard let memory = mmap(nil, Self.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED else {
            return nil
        }
        word = memory.bindMemory(to: UInt32.self, capacity: 1)
    }

    /// The number of a place; 0: none.
    package var number: UInt32 { word.pointee }

    package func forget() { munmap(word, Self.bytes) }

    /// The descriptor by which a worker is given its mark, by convention of ours.
    package static let descriptor: Int32 = 4
    /// This process's, if it is a worker.
    private static let own: RunningMark? = {
        guard SupervisedWorker.supervisor != nil else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, Int(facts.st_size) == bytes, facts.st_nlink == 0 else { return nil }
        defer { close(descriptor) }
        return RunningMark(descriptor)
    }()

    /// Takes this process's mark over, before anything else opens a descriptor.
    static func take() { _ = own }

    /// Says whose pixels are computed from here on; returns whose were.
    package static func set(_ number: UInt32) -> UInt32 {
        guard let own else { return 0 }
        defer { own.word.pointee = number }
        return own.word.pointee
    }
}
