import CGLib
import Diagnostics
import LabelpipeWorker

/// GLib's option parser over our declarations. Every value is taken as a file name, which GLib leaves as the bytes it is.
enum OptionParser {
    /// **Errors.** Unknown flags (with the one probably meant), missing and wrong values.
    static func parse(_ arguments: [[UInt8]], _ flags: [Flag]) throws(UsageError) -> Parsed {
        let end = arguments.firstIndex { $0.elementsEqual("--".utf8) } ?? arguments.count
        let parted = unglued(arguments[..<end], flags)
        try checkSwitches(parted, flags)
        var parsed = try parseOptions(expandingChoices(parted, flags), flags)
        parsed.separated = arguments[min(end + 1, arguments.count)...].map { BytePath($0) }
        for flag in flags { try check(flag, parsed) }
        return parsed
    }

    /// `-j4` becomes `-j 4`, which is all that GLib reads.
    private static func unglued(_ arguments: ArraySlice<[UInt8]>, _ flags: [Flag]) -> [[UInt8]] {
        var parted: [[UInt8]] = []
        var isValue = false
        for argument in arguments {
            let glued = isValue ? nil : valuePlace(argument, flags)
            if let glued, glued < argument.count {
                parted += [Array(argument[..<glued]), Array(argument[glued...])]
            } else {
                parted.append(argument)
            }
            isValue = glued == argument.count
        }
        return parted
    }

    /// Where the value of an option begins: within its argument, or at its end where it is the next one; nil where it has none.
    private static func valuePlace(_ argument: [UInt8], _ flags: [Flag]) -> Int? {
        guard argument.first == UInt8(ascii: "-"), argument.count > 1 else { return nil }
        if argument[1] == UInt8(ascii: "-") {
            return flags.contains { $0.takesValue && argument.elementsEqual("--\($0.name)".utf8) } ? argument.count : nil
        }
        // `-output marked/` is a slip, no `-o utput`.
        if argument.count > 2, flags.contains(where: { argument.dropFirst().elementsEqual($0.name.utf8) }) { return nil }
        // The first letter with a value has all that follows; the ones before it are switches.
        let letter = argument.indices.dropFirst().first { place in
            flags.contains { $0.takesValue && $0.letter?.asciiValue == argument[place] }
        }
        return letter.map { $0 + 1 }
    }

    /// GLib takes `--overwrite=no` for `--overwrite`.
    ///
    /// **Errors.** A word at a switch that takes none, or not this one.
    private static func checkSwitches(_ arguments: [[UInt8]], _ flags: [Flag]) throws(UsageError) {
        var isValue = false
        for argument in arguments {
            defer { isValue = !isValue && valuePlace(argument, flags) == argument.count }
            guard !isValue, argument.starts(with: "--".utf8), let equals = argument.firstIndex(of: UInt8(ascii: "=")) else {
                continue
            }
            let name = argument[2..<equals]
            guard let flag = flags.first(where: { !$0.takesValue && name.elementsEqual($0.name.utf8) }) else { continue }
            let word = BytePath(argument[(equals + 1)...]).description
            guard case .optionalChoice(let words) = flag.argument else {
                throw UsageError("--\(flag.name) takes no value, got \"\(word)\"")
            }
            guard !words.contains(word) else { continue }
            throw UsageError(
                "--\(flag.name): unknown word \"\(word)\"",
                help: ["--\(flag.name) alone, or \(words.map { "--\(flag.name)=\($0)" }.joined(separator: ", "))"])
        }
    }

    /// `--resume=hash` becomes `--resume` with the word kept apart: GLib's optional values would take the next argument.
    private static func expandingChoices(_ arguments: [[UInt8]], _ flags: [Flag]) -> [[UInt8]] {
        arguments.map { argument in
            for flag in flags {
                guard case .optionalChoice(let words) = flag.argument else { continue }
                for word in words where argument.elementsEqual("--\(flag.name)=\(word)".utf8) {
                    return Array("--\(flag.name)-\(word)".utf8)
                }
            }
            return argument
        }
    }

    private static func check(_ flag: Flag, _ parsed: Parsed) throws(UsageError) {
        guard let values = parsed.values[flag.name] else { return }
        guard flag.repeats || values.count == 1 else { throw UsageError("--\(flag.name) is given \(values.count) times") }
        guard case .choice(let words) = flag.argument else { return }
        for value in values where !words.contains(where: { $0.utf8.elementsEqual(value) }) {
            let text = BytePath(value).description
            var help = ["one of: \(words.joined(separator: " "))"]
            if let meant = Suggestions.nearest(to: text, in: words) { help.insert("did you mean \"\(meant)\"?", at: 0) }
            throw UsageError("--\(flag.name): unknown word \"\(text)\"", help: help)
        }
    }

    private static func parseOptions(_ arguments: [[UInt8]], _ flags: [Flag]) throws(UsageError) -> Parsed {
        let entries = Entries()
        for flag in flags {
            entries.add(flag.name, letter: flag.letter, isSwitch: !flag.takesValue)
            if case .optionalChoice(let words) = flag.argument {
                for word in words { entries.add("\(flag.name)-\(word)", letter: nil, isSwitch: true) }
            }
        }
        // What is left: G_OPTION_REMAINING is the empty name.
        entries.add("", letter: nil, isSwitch: false)
        if let message = entries.parse(arguments) { throw explained(message, flags) }
        var parsed = Parsed()
        for (name, values) in entries.found() {
            if name.isEmpty {
                parsed.positional = values.map { BytePath($0) }
            } else if values.isEmpty {
                parsed.switches.insert(name)
            } else {
                parsed.values[name] = values
            }
        }
        return parsed
    }

    /// GLib's message as one of ours.
    private static func explained(_ message: String, _ flags: [Flag]) -> UsageError {
        let unknown = "Unknown option "
        guard message.hasPrefix(unknown) else { return UsageError(message.prefix(1).lowercased() + message.dropFirst()) }
        let flag = String(message.dropFirst(unknown.utf8.count))
        let name = String(flag.drop { $0 == "-" }.prefix { $0 != "=" })
        var help: [String] = []
        let longer = flags.map(\.name).filter { $0.hasPrefix(name) }
        let near = Suggestions.nearest(to: name, in: flags.map(\.name))
        if flag.hasPrefix("--") || name.count > 2, let meant = near ?? (longer.count == 1 ? longer.first : nil) {
            help.append("did you mean \"--\(meant)\"?")
        } else if flag.hasPrefix("--"), longer.count > 1 {
            help.append("flags that begin so: \(longer.map { "--\($0)" }.joined(separator: " "))")
        }
        if help.isEmpty, flag.hasPrefix("--"), flags.contains(where: { $0.name == Flag.set.name }) {
            let value = flag.firstIndex(of: "=").map { String(flag[$0...]) } ?? "=…"
            help.append("where the document has a parameter of that name: --set \(name)\(value)")
        }
        if !flag.hasPrefix("--") { help.append("a file whose name begins with a dash: ./\(flag), or behind --") }
        return UsageError("unknown option \(flag)", help: help)
    }

    /// GLib's table, and where it puts what it finds.
    private final class Entries {
        private var names: [UnsafeMutablePointer<CChar>] = []
        private var slots: [(name: String, isSwitch: Bool, place: UnsafeMutableRawPointer)] = []
        private var entries: [GOptionEntry] = []

        // G_OPTION_ARG_NONE and G_OPTION_ARG_FILENAME_ARRAY: the names are lost where two modules (libvips' is the other) have GLib.
        private static let none: UInt32 = 0
        private static let fileNames: UInt32 = 6

        func add(_ name: String, letter: Character?, isSwitch: Bool) {
            guard let copy = g_strdup(name) else { return }
            names.append(copy)
            let place = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
            place.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
            slots.append((name, isSwitch, place))
            var entry = GOptionEntry()
            entry.long_name = UnsafePointer(copy)
            entry.short_name = letter?.asciiValue.map { CChar(bitPattern: $0) } ?? 0
            entry.arg = GOptionArg(rawValue: isSwitch ? Self.none : Self.fileNames)
            entry.arg_data = place
            entries.append(entry)
        }

        /// Nil, or GLib's message.
        func parse(_ arguments: [[UInt8]]) -> String? {
            guard let context = g_option_context_new(nil) else { return "out of memory" }
            defer { g_option_context_free(context) }
            g_option_context_set_help_enabled(context, 0)
            g_option_context_add_main_entries(context, entries + [GOptionEntry()], nil)
            // GLib takes the list apart: its own copy, the program's name first.
            let all = [Array("labelpipe".utf8)] + arguments
            let list = g_malloc0_n(gsize(all.count + 1), gsize(MemoryLayout<UnsafeMutablePointer<CChar>?>.stride))
                .bindMemory(to: UnsafeMutablePointer<CChar>?.self, capacity: all.count + 1)
            for (index, argument) in all.enumerated() {
                list[index] = argument.withUnsafeBytes {
                    g_strndup($0.baseAddress?.assumingMemoryBound(to: CChar.self), gsize($0.count))
                }
                if list[index] == nil { list[index] = g_strdup("") }
            }
            var strings: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = list
            defer { g_strfreev(strings) }
            var error: UnsafeMutablePointer<GError>?
            guard g_option_context_parse_strv(context, &strings, &error) == 0 else { return nil }
            defer { g_error_free(error) }
            return error.map { String(cString: $0.pointee.message) } ?? "the options cannot be read"
        }

        /// Names with their values; of switches that are set without.
        func found() -> [(String, [[UInt8]])] {
            slots.compactMap { slot in
                if slot.isSwitch {
                    return slot.place.load(as: gint.self) != 0 ? (slot.name, []) : nil
                }
                guard var entry = slot.place.load(as: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self) else {
                    return nil
                }
                var values: [[UInt8]] = []
                while let text = entry.pointee {
                    values.append(Array(UnsafeBufferPointer(start: text, count: strlen(text))).map { UInt8(bitPattern: $0) })
                    entry += 1
                }
                return (slot.name, values)
            }
        }

        deinit {
            for slot in slots {
                if !slot.isSwitch {
                    g_strfreev(slot.place.load(as: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self))
                }
                slot.place.deallocate()
            }
            for name in names { g_free(name) }
        }
    }
}
