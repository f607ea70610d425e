import LabelpipeBatch

/// One subcommand, declared once.
package struct Subcommand: Sendable {
    package let name: String
    /// One line.
    let summary: String
    /// Behind `labelpipe NAME`.
    let arguments: String
    /// Command lines that work, without `labelpipe NAME`.
    let examples: [String]
    let flags: [Flag]
    /// Flags that the page names only; the manual has them in full.
    var more: [Flag] = []
    var operands = Operands.none
    /// Of what is not a flag, and of what the flags alone do not say.
    var notes: [String] = []
    /// Whether what stands behind `--` is something else than what stands before it.
    var separates = false
    let body: @Sendable (Parsed, Session) throws(Stop) -> ExitCode

    /// Its own flags and `--help`.
    package var allFlags: [Flag] { flags + more + [.help] }

    /// Flags whose value is the next word, as they are written.
    var flagsBeforeValues: [String] {
        allFlags.filter(\.takesValue).flatMap { flag in ["--\(flag.name)"] + (flag.letter.map { ["-\($0)"] } ?? []) }
    }

    /// What stands on its command line besides flags, for shells that complete it.
    enum Operands: Sendable {
        case none
        case files
        /// An effect, and then its parameters.
        case effect
        case words([String])
        /// This word or a file, and then files.
        case wordOrFiles(String)
    }

    /// In the order of the page.
    package static let all: [Subcommand] = [
        .run, .preview, .check, .graph, .verify, .fonts, .effects, .describe, .schema, .plugins, .new, .worker, .doctor,
        .completions, .man,
    ]
}
