import Diagnostics
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

    /// **Errors.** Two plugins claim one effect.
    func registry() throws(Stop) -> Registry {
        do {
            return try Registry(plugins())
        } catch let finding as Diagnostic {
            throw Stop(.missing, finding.message, help: finding.help)
        } catch {
            throw Stop(.missing, "\(error)")
        }
    }
}
