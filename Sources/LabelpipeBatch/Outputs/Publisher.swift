import Glibc
import LabelpipeWorker

/// Syncs finished files and gives them their names, on threads of its own: a disk that takes its time delays no picture.
///
/// `@unchecked Sendable`: everything that changes is behind the mutex.
final class Publisher: @unchecked Sendable {
    /// What a picture's files are to become.
    struct Order: Sendable {
        let key: Int
        let files: [StagedFile]
        let replaces: Bool
        /// Small copies for a gallery. One that is empty or cannot be named is left out, and no reason to lose the picture.
        var beside: [StagedFile] = []
        /// Whether what this run has written itself may be replaced: jobs come one by one, and each means what it says.
        var replacesOwn = false
        var inPlace: InPlaceOrder?
        /// Nanoseconds since 1970 to be given as the time of modification.
        var modified: Int64?

        init(key: Int, files: [StagedFile], replaces: Bool) {
            self.key = key
            self.files = files
            self.replaces = replaces
        }
    }

    /// A file that takes the place of an input, attributes included.
    struct InPlaceOrder: Sendable {
        /// Of the input, which nothing else may have replaced meanwhile.
        let identity: FileFacts.Identity?
        /// Called with the new file, whole and on the disk, before it takes the name.
        let record: @Sendable (SourceFacts) throws(Stop) -> Void
    }

    struct Done: Sendable {
        let key: Int
        /// One for each file: its identity, or why it has no name.
        let results: [Swift.Result<FileFacts, OutputError>]
        /// Whether each of the files beside has its name.
        var beside: [Bool] = []
    }

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrived = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var orders: [Order] = []
    private var done: [Done] = []
    /// What this run has written over something: two names may be one to the file system (`A.jpg` and `a.jpg`).
    /// With its size and time: the number of a file that is gone is given to another.
    private var replacements: [FileFacts.Identity: FileFacts] = [:]
    private var isClosing = false
    private var threads: [pthread_t] = []
    /// Readable when something is done.
    let bell: Int32
    private let bellEnd: Int32

    init(threads count: Int) throws(Stop) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Stop(.limit, "no descriptors are left: \(SystemError.last)")
        }
        (bell, bellEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(arrived, nil)
        for _ in 0..<max(1, count) {
            var thread = pthread_t()
            let itself = Unmanaged.passRetained(self)
            let error = pthread_create(
                &thread, nil,
                { argument in
                    Unmanaged<Publisher>.fromOpaque(argument!).takeRetainedValue().work()
                    return nil
                }, itself.toOpaque())
            if error == 0 { threads.append(thread) } else { itself.release() }
        }
        guard !threads.isEmpty else { throw Stop(.limit, "no thread can be started") }
    }

    func publish(_ order: Order) {
        locked { orders.append(order) }
        pthread_cond_signal(arrived)
    }

    /// What has been done since the last call.
    func takeDone() -> [Done] {
        var byte = [UInt8](repeating: 0, count: 64)
        while read(bell, &byte, byte.count) > 0 {}
        return locked {
            defer { done = [] }
            return done
        }
    }

    /// Waits for what was ordered and ends the threads.
    func close() {
        locked { isClosing = true }
        pthread_cond_broadcast(arrived)
        for thread in threads { pthread_join(thread, nil) }
        threads = []
    }

    deinit {
        _ = Glibc.close(bell)
        _ = Glibc.close(bellEnd)
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(arrived)
        mutex.deallocate()
        arrived.deallocate()
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    private func work() {
        while let order = next() {
            let results = order.files.map { file in Result { () throws(OutputError) in try publish(file, order) } }
            let beside = order.beside.map { file in
                guard case .success(let bytes) = file.writtenBytes(), bytes > 0 else { return false }
                do throws(SystemError) { try file.publish(replacing: true) } catch { return false }
                return true
            }
            for file in order.files + order.beside { file.close() }
            // A name is on the disk when its folder is; folders that cannot be synced are no reason to doubt the file.
            var synced: Set<Int32> = []
            for file in order.files where synced.insert(file.folder.descriptor).inserted { _ = fsync(file.folder.descriptor) }
            locked { done.append(Done(key: order.key, results: results, beside: beside)) }
            var byte: UInt8 = 1
            // A bell that did not ring would leave the loop waiting. A full one has rung.
            while write(bellEnd, &byte, 1) < 0, errno == EINTR {}
        }
    }

    private func next() -> Order? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while orders.isEmpty {
            if isClosing { return nil }
            pthread_cond_wait(arrived, mutex)
        }
        return orders.removeFirst()
    }

    private func publish(_ file: StagedFile, _ order: Order) throws(OutputError) -> FileFacts {
        switch file.writtenBytes() {
        case .success(0): throw OutputError("empty-output", "nothing was written to \(file.relative)")
        case .success: break
        case .failure(let error): throw OutputError(error, file.relative)
        }
        if let identity = order.inPlace?.identity {
            guard case .success(let now) = FileFacts.of(file.name, in: file.folder.descriptor, followingLinks: false),
                now.identity == identity
            else { throw OutputError("changed", "the file was replaced during the run") }
            Attributes.copy(from: file.name, in: file.folder.descriptor, to: file.descriptor)
        }
        if let modified = order.modified { Attributes.setTimes(modified, of: file.descriptor) }
        guard fsync(file.descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw OutputError(.last, file.relative) }
        if order.replaces, !order.replacesOwn,
            case .success(let old) = FileFacts.of(file.name, in: file.folder.descriptor, followingLinks: false)
        {
            if let own = locked({ replacements[old.identity] }), own.modified == old.modified, own.size == old.size {
                throw OutputError(
                    "collision",
                    "\(file.relative) was written by this run already, under a name that is the same to the file system")
            }
        }
        if let inPlace = order.inPlace {
            guard case .success(let facts) = FileFacts.of(descriptor: file.descriptor) else {
                throw OutputError(.last, file.relative)
            }
            var made = SourceFacts(facts)
            // All of it: a label in the middle of an uncompressed picture changes neither end.
            made.hash = Digest.whole(of: file.descriptor, size: facts.size)
            do throws(Stop) { try inPlace.record(made) } catch {
                throw OutputError("unwritable", error.message, stopsRun: true)
            }
        }
        do throws(SystemError) {
            try file.publish(replacing: order.replaces)
        } catch {
            throw OutputError(error, file.relative)
        }
        guard case .success(let facts) = FileFacts.of(descriptor: file.descriptor) else {
            throw OutputError(.last, file.relative)
        }
        if order.replaces, !order.replacesOwn { locked { replacements[facts.identity] = facts } }
        return facts
    }
}
