import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeKit
import LabelpipeWorker
import Synchronization

/// What a command line runs in: streams, effects, how workers are started.
package struct Session {
    /// The bundled plugins; asked for only by what needs them.
    let plugins: @Sendable () -> [Plugin]
    let output: Output
    let errors: Output
    let launch: Launch

    /// The program that looks at plugins: this one.
    var scanner: String { launch.executable.description }

    /// Of what the process has read, to its end: taking a graph of 20 000 nodes apart would cost a fifth of checking it.
    private static let kept = Mutex<[Plan]>([])

    /// Leaves a plan where it is when nobody needs it any more.
    static func keep(_ plan: Plan) { kept.withLock { $0.append(plan) } }

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
