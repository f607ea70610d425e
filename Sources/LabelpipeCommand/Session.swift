import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeKit
import LabelpipeWorker

/// What a command line runs in: streams, effects, how workers are started.
package struct Session {
    /// The bundled plugins; asked for only by what needs them.
    let plugins: @Sendable () -> [Plugin]
    let output: Output
    let errors: Output
    let launch: Launch

    /// The program that looks at plugins: this one.
    var scanner: String { launch.executable.description }

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
