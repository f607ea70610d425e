import Diagnostics

/// The few shapes that messages between supervisor and worker are made of.
extension JSONValue {
    func path(_ key: String) -> BytePath? {
        self[key]?.string.map { BytePath(reversible: $0) }
    }

    func texts(_ key: String) -> [String] {
        self[key]?.elements?.compactMap(\.string) ?? []
    }

    func numbers(_ key: String) -> [Int] {
        self[key]?.elements?.compactMap(\.integer) ?? []
    }

    /// `[["name", "value"], …]`: an object would lose the order and refuse a name twice.
    func pairs(_ key: String) -> [(name: String, text: String)] {
        self[key]?.elements?.compactMap {
            guard let pair = $0.elements, pair.count == 2, let name = pair[0].string, let text = pair[1].string else {
                return nil
            }
            return (name, text)
        } ?? []
    }

    /// Findings as `Diagnostic.write` writes them.
    func findings(_ key: String) -> [Diagnostic] {
        self[key]?.elements?.map { Diagnostic($0) } ?? []
    }
}

extension JSONWriter {
    mutating func member(pair name: String, _ text: String) {
        array {
            $0.string(name)
            $0.string(text)
        }
    }

    mutating func member(_ name: String, numbers: [Int]) {
        key(name)
        array { for number in numbers { $0.number(number) } }
    }

    mutating func member(_ name: String, findings: [Diagnostic]) {
        key(name)
        array { for finding in findings { finding.write(to: &$0) } }
    }
}

extension Diagnostic {
    /// Reads what `write(to:)` wrote.
    init(_ message: JSONValue) {
        self.init(
            message["code"]?.string ?? "unknown", severity: Severity(rawValue: message["severity"]?.string ?? "") ?? .error,
            file: message["file"]?.string, message: message["message"]?.string, expected: message["expected"]?.string,
            got: message["got"]?.string, help: message.texts("help"), suggestion: message["suggestion"]?.string,
            cause: message["cause"]?.string)
        if let line = message["line"]?.integer, let column = message["column"]?.integer {
            position = SourcePosition(line: line, column: column, offset: 0)
        }
        if let text = message["pointer"]?.string { pointer = try? JSONPointer(parsing: text) }
    }
}
