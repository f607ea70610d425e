import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker

extension Flag {
    static let ordered = Flag("ordered", "verdicts in the order of the jobs, else as they come")
}

extension Subcommand {
    static let worker: Subcommand = Subcommand(
        name: "worker", summary: "jobs as JSON lines on standard input, a verdict for each on standard output", arguments: "",
        examples: ["< jobs.ndjson > verdicts.ndjson"], flags: [.jobs, .ordered, .timeout, .missingField, .tolerant, .plugin],
        notes: [
            "A job: {\"key\": 1, \"pipeline\": \"watermark.json\", \"input\": \"a.jpg\", \"output\": \"marked/\",",
            "        \"set\": {\"text\": \"© Ann\"}}",
            "A verdict: {\"key\": 1, \"input\": …, \"output\": …, \"status\": \"done\", …}; the fields of run --report.",
        ]
    ) { parsed, session throws(Stop) in
        // Started by a supervisor, it is one of its hands.
        if SupervisedWorker.supervisor != nil {
            let registry = try session.registry(parsed, watcher: WorkerWatcher())
            let code = SupervisedWorker.serve { PipelineWork(registry: registry) }
            // Nothing is left to be written, and a hundred libraries' farewells take memory and time.
            _exit(code)
        }
        let registry = try session.registry(parsed)
        let server: JobServer
        do throws(UsageError) {
            server = JobServer(
                jobs: try parsed.integer(.jobs) ?? Cores.count, isOrdered: parsed.has(.ordered),
                timeout: try parsed.number(.timeout),
                launch: session.launch(parsed), input: 0, output: session.output, errors: session.errors
            ) { path throws(Diagnostics) in
                try WorkerDocuments(registry: registry, parsed: parsed).load(path)
            }
        } catch {
            throw Stop(error, of: .worker)
        }
        return server.serve()
    }
}

/// Documents that jobs name.
private struct WorkerDocuments {
    let registry: Registry
    let parsed: Parsed

    func load(_ path: BytePath) throws(Diagnostics) -> (document: BatchDocument, setup: Setup) {
        let source: DocumentSource
        do throws(Stop) {
            source = try DocumentSource(reading: path)
        } catch {
            throw [Diagnostic("cannot-read", message: error.message)]
        }
        let pipeline = try source.pipeline(registry)
        var document = BatchDocument(try pipeline.plan([:], allowsOpen: true))
        document.perRow = { cells throws(Diagnostics) in
            BatchDocument(try pipeline.plan(RowSettings.merged([:], cells, pipeline)))
        }
        var setup = Setup()
        setup.document = source.bytes
        setup.file = source.name
        setup.folder = source.folder
        setup.documents = pipeline.texts.all
        setup.hasRows = true
        setup.count = 1
        do throws(Stop) { setup.date = try RunStart.now() } catch { throw [Diagnostic("bad-date", message: error.message)] }
        setup.emptyMissingFields = parsed.path(.missingField)?.description == "empty"
        setup.isTolerant = parsed.has(.tolerant)
        return (document, setup)
    }
}
