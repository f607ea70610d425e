import Diagnostics
import LabelpipeWorker

/// One request to a worker of its own: what `verify` and `doctor` ask. The supervisor's process never touches pixels, whatever for.
package enum Question {
    /// In what two pictures differ.
    ///
    /// **Errors.** `Stop` where no worker can be had; findings about the pictures as a result.
    package static func compare(
        _ request: CompareRequest, launch: Launch, timeout: Double?
    ) throws(Stop) -> Swift.Result<CompareReply, Diagnostics> {
        guard case .compared(let result) = try ask(.compare(request), launch, timeout) else { return .failure([]) }
        return result
    }

    /// What is installed.
    package static func examine(_ request: ExamineRequest, launch: Launch) throws(Stop) -> Swift.Result<ExamineReply, Diagnostics>
    {
        guard case .examined(let result) = try ask(.examine(request), launch, nil) else { return .failure([]) }
        return result
    }

    private static func ask(_ request: Request, _ launch: Launch, _ timeout: Double?) throws(Stop) -> Crew.Outcome {
        let signals = SignalWatch()
        let crew = Crew(launch, setup: Setup(), deadlines: Deadlines(timeout: timeout), size: 1)
        defer { crew.dismiss() }
        try crew.give(request, descriptors: [])
        while true {
            let (events, _) = try crew.wait([signals.descriptor], timeout: 1)
            if let code = signals.next() { throw Stop(code, "interrupted") }
            for event in events {
                switch event {
                case .finished(_, let outcome, _): return outcome
                case .lost: try crew.give(request, descriptors: [])
                case .refused(let findings): throw Stop(.missing, findings.all.first?.message ?? "the worker refused")
                default: break
                }
            }
        }
    }
}
