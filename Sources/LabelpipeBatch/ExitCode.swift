/// What the process ends with. Part of the contract with scripts (batch.md).
package struct ExitCode: Hashable, Sendable {
    package let number: Int32

    package init(number: Int32) {
        self.number = number
    }

    /// All done or skipped.
    package static let done = ExitCode(number: 0)
    /// Some pictures failed, or a check found something.
    package static let failures = ExitCode(number: 1)
    /// Wrong use: flags, no picture found, no output, colliding outputs, input == output.
    package static let usage = ExitCode(number: 2)
    /// The document, rows or parameters are invalid.
    package static let invalid = ExitCode(number: 3)
    /// Something installed is missing: font, plugin, codec.
    package static let missing = ExitCode(number: 4)
    /// The output folder, report or journal cannot be written, or the disk is full.
    package static let unwritable = ExitCode(number: 5)
    /// A limit of the run was reached.
    package static let limit = ExitCode(number: 6)
    /// After SIGHUP.
    package static let hungUp = ExitCode(number: 129)
    /// After SIGINT.
    package static let interrupted = ExitCode(number: 130)
    /// After SIGTERM.
    package static let terminated = ExitCode(number: 143)

    /// Of several reasons at once the one to end with: 130, 143 and 129, 5, 6, 1, then the ones that come before the first pixel.
    /// A codec may turn out to be missing with the first picture, which has failed then: 4 before 1.
    package func combined(with other: ExitCode) -> ExitCode {
        let order: [ExitCode] = [
            .interrupted, .terminated, .hungUp, .unwritable, .limit, .missing, .failures, .usage, .invalid, .done,
        ]
        return order.first { $0 == self || $0 == other } ?? self
    }
}

/// Why a run cannot go on, or cannot even start.
package struct Stop: Error, Sendable {
    package let code: ExitCode
    package let message: String
    package let help: [String]

    package init(_ code: ExitCode, _ message: String, help: [String] = []) {
        self.code = code
        self.message = message
        self.help = help
    }
}
