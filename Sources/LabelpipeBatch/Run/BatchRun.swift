import Diagnostics
import Glibc
import LabelpipeWorker

/// A run over a list of pictures: the supervisor. It opens no picture and starts no libvips; workers do.
///
/// `Planning` makes the list and says what each output is called, `Flow` is the loop, `Looks` decides what has to be known of a
/// picture before it is begun, `Endings` what becomes of it.
package final class BatchRun {
    let options: RunOptions
    let document: BatchDocument
    var setup: Setup
    let launch: Launch
    let output: Output
    let errors: Output
    let signals: SignalWatch
    let runName = RunName()
    /// Of work in place; a tree has its own.
    let leftOvers: LeftOvers

    var pictures: [Picture] = []
    /// What is wrong with rows, by their lines: told before the first pixel, all at once.
    var wrongRows: [(line: Int, message: String)] = []
    var destination: Destination?
    /// Nil for standard output and in-place work.
    var tree: OutputTree?
    var crew: Crew?
    var publisher: Publisher?
    var teller: Teller?
    /// Of the output folder.
    var journal: Journal?
    var inPlaceJournals: InPlaceJournals?
    /// What earlier runs have done; nil without `--resume`.
    var record: Journal.Record?
    var baseKey = ""
    /// What fonts are installed; empty where no text is drawn.
    var fontState = ""

    var next = 0
    /// Pictures to be begun again: their worker never was ready, or what had to be known is known.
    var again: [Int] = []
    /// Pictures that wait for memory, in their order.
    var waiting: [Int] = []
    /// What was asked about pictures that are not yet begun.
    var looked: [Int: ProbeReply] = [:]
    /// Pictures whose texts are laid out, only to see with which fonts.
    var rehearsing: Set<Int> = []
    /// What came of that; nil: it failed.
    var rehearsed: [Int: [String]?] = [:]
    /// Bytes that pictures in work are expected to need.
    var committed: [Int: Int] = [:]
    /// Files of pictures that a worker has, by the picture's place in the list.
    var inWork: [Int: [StagedFile]] = [:]
    /// Pictures that are done and not yet named.
    var publishing: [Int: (reply: RunReply, seconds: Double)] = [:]
    var exit = ExitCode.done
    /// Pictures that failed since they alone need more than `--memory`.
    var tooLarge = 0
    /// No more pictures are begun.
    var isEnding = false
    /// After a signal: when what is still in work is dropped.
    var graceEnd: Double?

    /// How long pictures in work may take to end after a signal, **seconds**: the prompt is back within half of one.
    static let grace = 0.3

    /// - Parameters:
    ///   - output: standard output, for what was asked for there.
    ///   - errors: standard error, for what is told.
    package init(
        _ options: RunOptions, document: BatchDocument, setup: Setup, launch: Launch = Launch(), output: Output, errors: Output
    ) {
        self.options = options
        self.document = document
        self.setup = setup
        self.setup.hasRows = options.rows != nil
        self.setup.keepsText = options.rows != nil
        self.launch = launch
        self.output = output
        self.errors = errors
        leftOvers = LeftOvers(not: runName)
        // Before any thread or worker exists, so that all of them leave signals to the loop.
        signals = SignalWatch()
    }

    /// Does it all, and returns the code to exit with.
    package func run() -> ExitCode {
        do throws(Stop) {
            try prepare()
            try work()
        } catch {
            abandon()
            tell(error)
            exit = exit.combined(with: error.code)
        }
        crew?.dismiss()
        publisher?.close()
        if tooLarge > 0, tooLarge == teller?.totals.failed, teller?.totals.done == 0 { exit = exit.combined(with: .limit) }
        if options.isCheck, teller?.totals.warnings ?? 0 > 0 { exit = exit.combined(with: .failures) }
        if let failure = teller?.reportFailure {
            errors.line("error: the report cannot be written: \(failure)")
            exit = exit.combined(with: .unwritable)
        }
        do throws(Stop) {
            try teller?.closeGallery(exit)
        } catch {
            tell(error)
            exit = exit.combined(with: error.code)
        }
        if teller?.totals.done == 0, teller?.totals.skipped == 0 { removeUnusedFolder() }
        if case .folder = destination?.kind, tree?.isNew == true, options.output?.endsWithSlash == false {
            teller?.madeFolder = options.output
        }
        teller?.close(exit, hasRun: next > 0)
        return exit
    }

    /// What this run has made of an output folder before it turned out that nothing comes of it.
    private func removeUnusedFolder() {
        guard let tree, tree.isNew, let root = (try? tree.folder(BytePath(""), making: false)) ?? nil else { return }
        journal?.removeUnused(in: root)
        journal = nil
        tree.removeUnused()
    }

    private func tell(_ stop: Stop) {
        teller?.progress.clear()
        for line in stop.message.split(separator: "\n") {
            let finding = Diagnostic("stop", message: String(line))
            if options.usesJSON { errors.write(Diagnostics([finding]).json()) } else { errors.line(finding.description) }
        }
        if !options.usesJSON { for help in stop.help { errors.line("  help: \(help)") } }
    }

    /// No worker can use the document: it is the document, or something that is not installed.
    func refusal(_ findings: Diagnostics) -> Stop {
        for finding in findings.all { teller?.say(finding) }
        let isMissing = findings.all.contains { $0.code == "not-installed" }
        return Stop(isMissing ? .missing : .invalid, "the document cannot be used")
    }
}
