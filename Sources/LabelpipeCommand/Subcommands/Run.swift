import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker

extension Flag {
    static let output = Flag("output", "o", .value("PATH"), "a folder, or a file for one picture; - is standard output")
    static let text = Flag(
        "text", nil, .value("TEXT"), "write this text, a template, by the bundled watermark.json; no PIPELINE then")
    static let printPipeline = Flag("print-pipeline", "print the document that --text uses, and stop")
    static let recursive = Flag("recursive", "r", "folders within folders, keeping the tree")
    static let include = Flag("include", nil, .value("GLOB"), repeats: true, "of a folder's files only these")
    static let exclude = Flag("exclude", nil, .value("GLOB"), repeats: true, "of a folder's files not these")
    static let from = Flag("from", nil, .value("FILE"), repeats: true, "a list of pictures, one a line; - is standard input")
    static let nul = Flag("null", "0", "lists are closed by NUL, as find -print0 writes them")
    static let jobs = Flag("jobs", "j", .integer("N", 1...4096), "pictures at once (the number of cores)")
    static let overwrite = Flag("overwrite", "replace outputs that exist; else they are errors")
    static let skipExisting = Flag("skip-existing", "leave pictures alone whose output exists")
    static let rows = Flag(
        "rows", nil, .value("FILE"), "a table (CSV, JSON, JSON lines): a picture a row, columns are parameters")
    static let resume = Flag(
        "resume", nil, .optionalChoice(["hash"]), "do only what an earlier run has not done, or not like this")
    static let inPlace = Flag("in-place", "replace the inputs themselves; no --output")
    static let breakLinks = Flag("break-links", "in place also files with several names (hard links)")
    static let keepTimes = Flag("keep-times", "outputs get their input's time of modification")
    static let memory = Flag(
        "memory", nil, .value("SIZE"), "the most memory that pictures may be expected to need together: 500M, 4G")
    static let shard = Flag(
        "shard", nil, .value("I/N│auto"), "this process's part of the list; auto: as the cluster's scheduler says")
    static let dryRun = Flag("dry-run", "everything but pixels: output paths, texts, boxes")
    static let report = Flag(
        "report", nil, .value("FILE"), "a JSON line for each picture, and one with totals; - is standard output")
    static let gallery = Flag(
        "gallery", nil, .value("FILE.html"), "a page of the run: before and after, boxes, warnings, failures, figures")
    static let timeout = Flag(
        "timeout", nil, .number("SECONDS", 0.001...1e7), "the most one picture may take (by its megapixels)")
    static let progress = Flag(
        "progress", nil, .choice(RunOptions.ProgressStyle.allCases.map(\.rawValue)), "on standard error (auto)")
    static let failFast = Flag("fail-fast", "begin no more pictures after the first that fails")
    static let maxFailures = Flag("max-failures", nil, .integer("N", 0...Int.max), "stop when more than N pictures have failed")
    static let missingField = Flag(
        "missing-field", nil, .choice(["error", "empty"]), "a template's field that a picture has not (error)")
    static let tolerant = Flag("tolerant", "accept truncated files, with a warning")
    static let strict = Flag("strict", "warnings fail the picture")
    static let allow = Flag("allow", nil, .value("KINDS"), repeats: true, "input kinds that are off: jxl,ppm,openslide,svg,pdf")
    static let limitPixels = Flag(
        "limit-pixels", nil, .integer("N", 1...Int.max),
        "a picture of more pixels than N, width × height, fails, read or made (2000000000; TIFF: no limit)")
    static let limitFrames = Flag(
        "limit-frames", nil, .integer("N", 1...Int.max), "an input of more frames or pages than N fails (10000)")
    static let quiet = Flag("quiet", "q", "only errors and warnings")
    static let verbose = Flag("verbose", "v", "a line for each picture, and what workers say")
}

extension Subcommand {
    static let run: Subcommand = Subcommand(
        name: "run", summary: "draw a document onto pictures", arguments: "PIPELINE [INPUT…] --output PATH",
        examples: [
            "Pipelines/watermark.json photos/ --output marked/",
            "--text \"© Ann\" photos/ --output marked/",
        ],
        flags: [
            .output, .text, .set, .recursive, .rows, .jobs, .overwrite, .skipExisting, .resume, .inPlace, .dryRun, .report,
            .gallery,
            .strict, .plugin, .quiet, .format,
        ],
        more: [
            .printPipeline, .scale, .include, .exclude, .from, .nul, .memory, .breakLinks, .keepTimes, .shard, .timeout,
            .progress, .failFast, .maxFailures, .missingField, .tolerant, .allow, .limitPixels, .limitFrames, .verbose,
        ],
        operands: .files,
        notes: [
            "INPUT: files and folders; - is one picture on standard input. Inputs are never changed.",
            "Outputs keep folders and names; in a document: \"path\": \"{relative}/{stem}-web.jpg\".",
            "Exit codes: 0 done, 1 some failed, 2 wrong use, 3 bad document, 4 not installed, 5 not writable, 6 a limit.",
        ]
    ) { parsed, session throws(Stop) in
        if parsed.has(.printPipeline) {
            session.output.write(BundledPipelines.watermark)
            return .done
        }
        return try RunCommand(parsed, session).run()
    }
}

/// `labelpipe run`: from flags to a run over pictures.
struct RunCommand {
    let parsed: Parsed
    let session: Session

    init(_ parsed: Parsed, _ session: Session) {
        self.parsed = parsed
        self.session = session
    }

    func run() throws(Stop) -> ExitCode {
        var inputs = parsed.positional + parsed.separated
        var settings = try Settings(parsed, of: .run)
        var path: BytePath?
        do throws(UsageError) {
            if let text = try parsed.text(.text) {
                guard !settings.pairs.contains(where: { $0.name == BundledPipelines.textParameter }) else {
                    throw UsageError("--text and --set \(BundledPipelines.textParameter) say the same thing")
                }
                // No picture is called so: without --text it would be the document.
                if let first = inputs.first, first.bytes.count > 5, first.bytes.suffix(5).elementsEqual(Array(".json".utf8)) {
                    throw UsageError(
                        "--text draws the document that comes with the program, and \(first) is another one",
                        help: ["labelpipe run \(first) INPUT… --output DIR, with --set for its parameters"])
                }
                settings.pairs.append((BundledPipelines.textParameter, text))
            } else {
                guard !inputs.isEmpty else {
                    throw UsageError("no document was given", help: ["labelpipe run PIPELINE INPUT… --output DIR"])
                }
                path = inputs.removeFirst()
            }
        } catch {
            throw Stop(error, of: .run)
        }
        var options = try options(inputs)
        let source = try path.map(document) ?? .bundled
        let registry = try session.registry(parsed)
        let document: BatchDocument
        do throws(Diagnostics) {
            let pipeline = try source.pipeline(registry)
            document = try source.checked(
                RowPlans(
                    pipeline, settings, forgivesMissing: options.emptyMissingFields, isStrict: options.isStrict
                ).document(options.rows) {
                    session.warn($0, parsed, session.errors)
                    options.told = Set($0.all.map(\.message))
                })
            session.warn(source.doubts(document), parsed, session.errors)
        } catch {
            throw session.refusal(error, json: parsed.usesJSON)
        }
        var setup = try Setup(parsed, source, settings, of: .run)
        setup.documents = document.documents
        let batch = BatchRun(
            options, document: document, setup: setup, launch: session.launch(parsed),
            output: session.output, errors: session.errors)
        return batch.run()
    }

    /// Checks a document with the inputs behind `--`, without drawing: everything is told on standard output.
    func check(_ source: DocumentSource, _ settings: Settings, _ registry: Registry) throws(Stop) -> ExitCode {
        var options = try options(parsed.separated)
        (options.isCheck, options.isDry, options.progress) = (true, true, .none)
        let document: BatchDocument
        var code = ExitCode.done
        do throws(Diagnostics) {
            document = try source.checked(
                RowPlans(
                    try source.pipeline(registry), settings, forgivesMissing: options.emptyMissingFields,
                    isStrict: options.isStrict
                ).document(options.rows) {
                    options.warned = $0.all.count { $0.severity == .warning }
                    options.told = Set($0.all.map(\.message))
                    if session.warn($0, parsed, session.output) { code = .failures }
                })
            let doubts = source.doubts(document)
            options.warned += doubts.count
            if session.warn(doubts, parsed, session.output) { code = .failures }
        } catch {
            session.tell(error, json: parsed.usesJSON, to: session.output)
            return .failures
        }
        var setup = try Setup(parsed, source, settings, of: .run)
        setup.documents = document.documents
        let batch = BatchRun(
            options, document: document, setup: setup, launch: session.launch(parsed), output: session.output,
            errors: session.output)
        return code.combined(with: batch.run())
    }

    /// A picture or a folder in the document's place is a document forgotten.
    private func document(_ path: BytePath) throws(Stop) -> DocumentSource {
        if case .success(let facts) = FileFacts.of(path), facts.kind == .folder {
            throw Stop(
                .usage, "labelpipe run: the first argument is the document, and \(path) is a folder",
                help: ["labelpipe run PIPELINE \(path) --output DIR, or --text \"© Ann\" instead of PIPELINE"])
        }
        return try DocumentSource(reading: path)
    }

    func options(_ inputs: [BytePath]) throws(Stop) -> RunOptions {
        var options = RunOptions()
        options.inputs = inputs
        for path in parsed.paths(.from) {
            do throws(SmallInput.Failure) {
                let file = path == BytePath("-") ? BytePath("/dev/stdin") : path
                let bytes = try SmallInput.read(file, limit: 1 << 30)
                options.lists.append(RunOptions.List(bytes: bytes, closedByNUL: parsed.has(.nul)))
            } catch {
                throw Stop(.usage, "the list \(path) cannot be read: \(error.message)")
            }
        }
        if let path = parsed.path(.rows) { options.rows = try session.rows(path, json: parsed.usesJSON) }
        options.isRecursive = parsed.has(.recursive)
        options.included = parsed.paths(.include)
        options.excluded = parsed.paths(.exclude)
        options.output = parsed.path(.output)
        options.isDry = parsed.has(.dryRun)
        options.report = parsed.path(.report)
        options.gallery = parsed.path(.gallery)
        options.stopsAtFirst = parsed.has(.failFast)
        options.isQuiet = parsed.has(.quiet)
        options.isVerbose = parsed.has(.verbose)
        options.isStrict = parsed.has(.strict)
        options.usesJSON = parsed.usesJSON
        options.emptyMissingFields = parsed.path(.missingField)?.description == "empty"
        if let word = parsed.path(.progress)?.description { options.progress = RunOptions.ProgressStyle(rawValue: word) ?? .auto }
        do throws(UsageError) {
            options.jobs = try parsed.integer(.jobs) ?? Cores.count
            options.timeout = try parsed.number(.timeout)
            options.mostFailures = try parsed.integer(.maxFailures)
            options.memory = try parsed.text(.memory).map(Self.bytes) ?? Memory.usable
            if let text = try parsed.text(.shard) {
                do throws(Shard.Failure) {
                    options.shard = try Shard(text) { name in getenv(name).map { String(cString: $0) } }
                } catch {
                    throw UsageError("--shard: \(error.message)")
                }
            }
            options.isInPlace = parsed.has(.inPlace)
            options.breaksLinks = parsed.has(.breakLinks)
            options.keepsTimes = parsed.has(.keepTimes)
            let about: [Flag] = [.overwrite, .skipExisting, .resume].filter(parsed.has)
            if about.count > 1 {
                throw UsageError("--\(about[0].name) and --\(about[1].name) say different things about outputs that exist")
            }
            if options.gallery != nil {
                guard !options.isDry else { throw UsageError("--gallery shows pictures, and --dry-run makes none") }
                guard options.output != BytePath("-") else {
                    throw UsageError("--gallery shows files, and --output - makes none")
                }
            }
            if options.gallery == BytePath("-") { throw UsageError("--gallery is a page with files beside it, and - is none") }
            if options.output == BytePath("-"), Self.isStandardOutput(options.report) {
                throw UsageError("--output and --report cannot both be standard output")
            }
            if options.isInPlace, options.output != nil {
                throw UsageError("--in-place and --output say different things about where outputs go")
            }
        } catch {
            throw Stop(error, of: .run)
        }
        if parsed.has(.resume) { options.resume = .ends }
        if parsed.switches.contains("resume-hash") { options.resume = .whole }
        if parsed.has(.overwrite) { options.existing = .overwrite }
        if parsed.has(.skipExisting) { options.existing = .skip }
        return options
    }

    /// By whatever name; a device such as /dev/null mixes nothing up.
    private static func isStandardOutput(_ path: BytePath?) -> Bool {
        guard let path else { return false }
        if path == BytePath("-") { return true }
        guard case .success(let own) = FileFacts.of(descriptor: 1), own.kind != .device,
            case .success(let facts) = FileFacts.of(path)
        else { return false }
        return facts.identity == own.identity
    }

    /// `500M`, `1.5G`, `100000000`; by powers of 1024.
    private static func bytes(_ text: String) throws(UsageError) -> Int {
        let units: [(Character, Double)] = [("K", 1024), ("M", 1_048_576), ("G", 1_073_741_824), ("T", 1_099_511_627_776)]
        var number = text.uppercased()
        if number.hasSuffix("B") { number.removeLast() }
        var unit = 1.0
        if let last = number.last, let found = units.first(where: { $0.0 == last }) {
            number.removeLast()
            unit = found.1
        }
        guard let value = Double(number), value.isFinite, value * unit >= 1, value * unit < 1e18 else {
            throw UsageError("--memory: expected a size like 500M or 4G, got \"\(text)\"")
        }
        return Int(value * unit)
    }
}
