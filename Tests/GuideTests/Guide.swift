import TestSupport

/// A page of documentation as a list of things to do: files to write, commands to run, and what they print.
///
/// In a page, a block fenced as `sh` is run; `sh exit=1` must end with that code. A `text` block right behind it is what
/// was printed, `…` standing for anything within a line. A block like `json mine.json` is a file of that name.
struct Guide {
    enum Step: Equatable {
        case file(name: String, text: String)
        case command(text: String, code: Int32, printed: String?)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let steps: [Step]

    /// **Errors.** A fence that is never closed; a word behind `sh` that is not `exit=N`.
    init(_ page: String) throws {
        var steps: [Step] = []
        var lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
        var followsCommand = false
        while let line = lines.popFirst() {
            guard line.hasPrefix("```") else {
                if !line.isEmpty { followsCommand = false }
                continue
            }
            let words = line.dropFirst(3).split(separator: " ").map(String.init)
            guard let end = lines.firstIndex(of: "```") else { throw Failure(description: "the block \(line) is never closed") }
            let text = lines[lines.startIndex..<end].map { $0 + "\n" }.joined()
            lines = lines[(end + 1)...]
            switch words.first {
            case "sh":
                var code: Int32 = 0
                if words.count > 1 {
                    guard words.count == 2, words[1].hasPrefix("exit="), let number = Int32(words[1].dropFirst(5)) else {
                        throw Failure(description: "the block \(line): expected exit=N")
                    }
                    code = number
                }
                steps.append(.command(text: text, code: code, printed: nil))
                followsCommand = true
                continue
            case "text":
                if followsCommand, case .command(let command, let code, _)? = steps.last {
                    steps[steps.count - 1] = .command(text: command, code: code, printed: text)
                }
            default:
                if words.count == 2 { steps.append(.file(name: words[1], text: text)) }
            }
            followsCommand = false
        }
        self.steps = steps
    }

    /// Whether a line is the expected one, in which `…` stands for anything.
    static func matches(_ line: some StringProtocol, _ expected: some StringProtocol) -> Bool {
        let parts = expected.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return String(line) == String(expected) }
        guard line.hasPrefix(first), line.count >= first.count + last.count, line.hasSuffix(last) else { return false }
        var rest = line.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }

    static func matches(printed: String, _ expected: String) -> Bool {
        let lines = printed.split(separator: "\n")
        let wanted = expected.split(separator: "\n")
        return lines.count == wanted.count && zip(lines, wanted).allSatisfy { matches($0, $1) }
    }
}
