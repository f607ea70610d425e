import LabelpipeBatch
import LabelpipeWorker

extension Subcommand {
    static let worker: Subcommand = Subcommand(
        name: "worker", summary: "what run starts for the work on pictures", arguments: "", examples: [], flags: []
    ) { _, session throws(Stop) in
        guard SupervisedWorker.supervisor != nil else {
            throw Stop(.usage, "labelpipe worker is started by labelpipe run")
        }
        let registry = try session.registry()
        return ExitCode(number: SupervisedWorker.serve { PipelineWork(registry: registry) })
    }
}
