import LabelpipeWorker

/// What `labelpipe run` was asked for, apart from the document.
package struct RunOptions: Sendable {
    package enum Existing: Sendable {
        /// An existing output is an error for its picture.
        case error
        case overwrite
        case skip
    }

    package enum ProgressStyle: String, Sendable, CaseIterable {
        case auto
        case plain
        case none
    }

    /// A list of paths: `--from`.
    package struct List: Sendable {
        package var bytes: [UInt8]
        package var closedByNUL: Bool

        package init(bytes: [UInt8], closedByNUL: Bool) {
            self.bytes = bytes
            self.closedByNUL = closedByNUL
        }
    }

    package var inputs: [BytePath] = []
    package var lists: [List] = []
    package var isRecursive = false
    package var included: [BytePath] = []
    package var excluded: [BytePath] = []
    /// nil: none was given.
    package var output: BytePath?
    package var jobs = 1
    package var existing = Existing.error
    /// What helps where an output exists.
    package var existingHelp = "--overwrite replaces outputs, --skip-existing leaves them, --resume does what is missing"
    package var isDry = false
    package var report: BytePath?
    /// `--gallery`.
    package var gallery: BytePath?
    package var timeout: Double?
    package var progress = ProgressStyle.auto
    package var stopsAtFirst = false
    package var mostFailures: Int?
    package var isQuiet = false
    package var isVerbose = false
    package var usesJSON = false
    /// `--rows`: instead of inputs.
    package var rows: Rows?
    /// `--resume`, and how inputs are compared; nil: without.
    package var resume: ProbeRequest.Hash?
    package var isInPlace = false
    package var breaksLinks = false
    package var keepsTimes = false
    /// `--memory`, **bytes**.
    package var memory: Int?
    package var shard = Shard.whole
    /// Whether outputs are written without a name where the file system can do that; not so in tests of the other way.
    package var usesUnnamedFiles = true
    package var emptyMissingFields = false
    package var isStrict = false
    /// `labelpipe check -- INPUT…`: like a dry run, without an output.
    package var isCheck = false
    /// Warnings that were told before the run: they count among its own.
    package var warned = 0
    /// What was told before the run: a picture of which it holds does not tell it once more.
    package var told: Set<String> = []
    /// Beside the next picture, how many threads sync and name files.
    package var publishers = 2

    package init() {}
}
