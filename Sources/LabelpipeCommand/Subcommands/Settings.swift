import LabelpipeBatch
import LabelpipeEngine

/// `--set` and `--scale`.
struct Settings {
    /// In their order, names not yet checked.
    var pairs: [(name: String, text: String)] = []
    var scale = 1.0

    /// **Errors.** A `--set` without `=`, a name given twice, a scale out of range.
    init(_ parsed: Parsed, of subcommand: Subcommand) throws(Stop) {
        do throws(UsageError) {
            scale = try parsed.number(.scale) ?? 1
            for text in try parsed.texts(.set) {
                guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                    throw UsageError("--set: expected NAME=VALUE, got \"\(text)\"")
                }
                let name = String(text[..<equals])
                guard !pairs.contains(where: { $0.name == name }) else { throw UsageError("--set \(name) is given twice") }
                pairs.append((name, String(text[text.index(after: equals)...])))
            }
        } catch {
            throw Stop(error, of: subcommand)
        }
    }

    var written: [String: Pipeline.Setting] {
        Dictionary(pairs.map { ($0.name, Pipeline.Setting.written($0.text)) }) { $1 }
    }
}
