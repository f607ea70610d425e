import CVips
import Glibc
import Synchronization

/// libvips as a whole: started once, never stopped.
public enum VipsRuntime {
    private struct State {
        var started = false
        var startError: VipsError?
    }

    private struct Warnings {
        var lines: [String] = []
        var lost = 0
        /// What libjpeg said of the pixels of a JPEG in a TIFF: libtiff lets it pass.
        var damage: String?
    }

    private static let state = Mutex(State())
    /// A lock of its own: libvips may warn while it is being started.
    private static let warnings = Mutex(Warnings())
    private static let isStarted = Atomic<Bool>(false)

    /// Starts libvips: one thread, no caches, untrusted loaders off.
    ///
    /// Later calls only set `concurrency` and unblock. Everything else here starts libvips with these defaults.
    /// - Parameters:
    ///   - concurrency: threads of one evaluation. More than one hides truncated files in libvips before 8.15.4.
    ///   - allowed: classes to unblock, e.g. `VipsForeignLoadSvg`; a base class unblocks its subclasses.
    /// - Errors: libvips cannot be initialised.
    package static func start(concurrency: Int = 1, allowed: [String] = []) throws {
        try state.withLock { state in
            if let error = state.startError { throw error }
            if !state.started {
                // These are read from the environment in vips_init and later on. The answer must not depend on who calls.
                for name in ["VIPS_WARNING", "VIPS_INFO", "VIPS_PROGRESS", "VIPS_TRACE", "VIPS_LEAK", "VIPS_PROFILE"] {
                    unsetenv(name)
                }
                guard vips_init("labelpipe") == 0 else {
                    let error = ErrorBuffer.take(operation: "vips_init")
                    state.startError = error
                    throw error
                }
                setTileHeight(tileHeight)
                vips_cache_set_max(0)
                vips_cache_set_max_mem(0)
                vips_cache_set_max_files(0)
                vips_block_untrusted_set(1)
                collectWarnings()
                _ = ErrorBuffer.takeText()
                state.started = true
                isStarted.store(true, ordering: .releasing)
            }
            vips_concurrency_set(Int32(clamping: max(1, concurrency)))
            for name in allowed { vips_operation_block_set(name, 0) }
        }
    }

    /// Of what libvips asks its operations for where they take any shape. px
    ///
    /// The cache of lines behind every reader from top to bottom holds four times as many rows (`vips_get_tile_size`), whatever is
    /// asked of it: with libvips' own 128 px that is half of what a worker writes to for a photo. Lower ones cost time where an
    /// operation looks at neighbours.
    private static let tileHeight = 64

    private static func setTileHeight(_ height: Int) {
        let group = g_option_group_new("vips", "", "", nil, nil)
        vips_add_option_entries(group)
        let context = g_option_context_new(nil)
        g_option_context_set_main_group(context, group)
        defer { g_option_context_free(context) }
        var words = ["labelpipe", "--vips-tile-height=\(height)"].map { (word: String) in strdup(word) } + [nil]
        let copies = words
        defer { for copy in copies { free(copy) } }
        words.withUnsafeMutableBufferPointer { words in
            var (count, start) = (gint(words.count - 1), words.baseAddress)
            _ = g_option_context_parse(context, &count, &start, nil)
        }
    }

    /// Starts libvips with the defaults if nobody has.
    static func require() throws {
        if !isStarted.load(ordering: .acquiring) { try start() }
    }

    /// Unblocks a class and its subclasses, e.g. `VipsForeignLoadJxl`.
    package static func allow(_ className: String) throws {
        try require()
        vips_operation_block_set(className, 0)
    }

    /// libvips' version, e.g. `8.14.1`.
    public static var version: String {
        "\(vips_version(0)).\(vips_version(1)).\(vips_version(2))"
    }

    /// Threads of one evaluation.
    package static var concurrency: Int { Int(vips_concurrency_get()) }

    /// libvips objects that are alive: images, operations, regions, sources. A leak test compares two counts.
    package static var liveObjectCount: Int { count { _ in true } }

    /// Images among them.
    package static var liveImageCount: Int {
        count { lpv_type_is(lpv_type_of($0), lpv_type_image()) != 0 }
    }

    /// Bytes of pixel buffers that libvips has allocated now, and at most so far.
    package static var pixelMemory: (now: Int, highest: Int) {
        (Int(vips_tracked_get_mem()), Int(vips_tracked_get_mem_highwater()))
    }

    /// Names and classes of what is alive, for a leak's report.
    package static func liveObjects() -> [String] {
        let list = ObjectList { _ in true }
        list.collect()
        return list.names
    }

    /// What libvips said with g_warning() since the last call, oldest first; at most 100, then one line with their number.
    package static func takeWarnings() -> [String] {
        warnings.withLock { warnings in
            var lines = warnings.lines
            if warnings.lost > 0 { lines.append("\(warnings.lost) more warnings") }
            warnings = Warnings(damage: warnings.damage)
            return lines
        }
    }

    /// What libjpeg said, through libtiff, since the last call: the picture goes on with grey.
    static func takeDamage() -> String? {
        warnings.withLock { warnings in
            defer { warnings.damage = nil }
            return warnings.damage
        }
    }

    /// Puts back what was taken.
    static func restoreWarnings(_ lines: [String]) {
        warnings.withLock { $0.lines = lines + $0.lines }
    }

    private static func collectWarnings() {
        let levels = G_LOG_LEVEL_WARNING.rawValue | G_LOG_LEVEL_MESSAGE.rawValue | G_LOG_LEVEL_INFO.rawValue
        g_log_set_handler(
            "VIPS", GLogLevelFlags(rawValue: levels),
            { _, level, text, _ in
                guard level.rawValue & G_LOG_LEVEL_WARNING.rawValue != 0, let text else { return }
                let line = String(cString: text)
                if line.isEmpty { return }
                VipsRuntime.warnings.withLock { warnings in
                    if warnings.damage == nil, PageDecoder.isDamage(line) { warnings.damage = line }
                    if warnings.lines.count < 100 { warnings.lines.append(line) } else { warnings.lost += 1 }
                }
            }, nil)
    }

    private static func count(_ isCounted: @escaping (UnsafeMutableRawPointer) -> Bool) -> Int {
        let list = ObjectList(isCounted)
        list.collect()
        return list.names.count
    }

    private final class ObjectList {
        let isCounted: (UnsafeMutableRawPointer) -> Bool
        var names: [String] = []

        init(_ isCounted: @escaping (UnsafeMutableRawPointer) -> Bool) { self.isCounted = isCounted }

        func collect() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = vips_object_map(
                { object, context, _ in
                    guard let object, let context else { return nil }
                    let list = Unmanaged<ObjectList>.fromOpaque(context).takeUnretainedValue()
                    if list.isCounted(object) { list.names.append(String(cString: g_type_name(lpv_type_of(object)))) }
                    return nil
                }, context, nil)
        }
    }
}
