import LabelpipeBatch

/// One subcommand, declared once.
struct Subcommand: Sendable {
    let name: String
    /// One line.
    let summary: String
    /// Behind `labelpipe NAME`.
    let arguments: String
    /// Command lines that work, without `labelpipe NAME`.
    let examples: [String]
    let flags: [Flag]
    /// Of what is not a flag, and of what the flags alone do not say.
    var notes: [String] = []
    let body: @Sendable (Parsed, Session) throws(Stop) -> ExitCode

    /// As told on a page: its own flags and `--help`.
    var allFlags: [Flag] { flags + [.help] }

    /// In the order of the page.
    static let all: [Subcommand] = [
        .run, .check, .graph, .effects, .describe, .schema, .worker, .completions, .man,
    ]
}
