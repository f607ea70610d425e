import LabelpipeWorker

/// Wrong use of the command line: exit code 2.
struct UsageError: Error {
    let message: String
    var help: [String] = []

    init(_ message: String, help: [String] = []) {
        self.message = message
        self.help = help
    }
}

/// A command line, taken apart. Values are bytes.
struct Parsed {
    var values: [String: [[UInt8]]] = [:]
    var switches: Set<String> = []
    var positional: [BytePath] = []
    /// Behind `--`.
    var separated: [BytePath] = []

    func has(_ flag: Flag) -> Bool {
        switches.contains(flag.name) || values[flag.name] != nil
    }

    /// The last one given.
    func path(_ flag: Flag) -> BytePath? {
        values[flag.name]?.last.map { BytePath($0) }
    }

    func paths(_ flag: Flag) -> [BytePath] {
        (values[flag.name] ?? []).map { BytePath($0) }
    }

    /// **Errors.** A value that is not UTF-8.
    func text(_ flag: Flag) throws(UsageError) -> String? {
        guard let bytes = values[flag.name]?.last else { return nil }
        return try Self.text(bytes, flag)
    }

    func texts(_ flag: Flag) throws(UsageError) -> [String] {
        var texts: [String] = []
        for bytes in values[flag.name] ?? [] { texts.append(try Self.text(bytes, flag)) }
        return texts
    }

    /// **Errors.** No number, or one out of the range that the flag declares.
    func integer(_ flag: Flag) throws(UsageError) -> Int? {
        guard case .integer(_, let range) = flag.argument, let text = try text(flag) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            let bounds = range.upperBound == .max ? "from \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            throw UsageError("--\(flag.name): expected a whole number \(bounds), got \"\(text)\"")
        }
        return value
    }

    /// As above.
    func number(_ flag: Flag) throws(UsageError) -> Double? {
        guard case .number(_, let range) = flag.argument, let text = try text(flag) else { return nil }
        guard let value = Double(text), value.isFinite, range.contains(value) else {
            throw UsageError(
                "--\(flag.name): expected a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound)), got \"\(text)\""
            )
        }
        return value
    }

    private static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }

    private static func text(_ bytes: [UInt8], _ flag: Flag) throws(UsageError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw UsageError("--\(flag.name): the text \"\(BytePath(bytes))\" is not UTF-8")
        }
        return text
    }
}
