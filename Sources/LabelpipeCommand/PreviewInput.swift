import CLinux
import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeServe
import LabelpipeWorker

/// What a document is looked at with: a picture, the sample photo, or nothing where the document draws on nothing.
struct PreviewInput {
    let source: Source
    /// The picture's, where it comes without a path.
    let descriptor: Int32?
    /// What stands in for a name then.
    let name: BytePath?

    var descriptors: [Int32] { descriptor.map { [$0] } ?? [] }

    /// As messages call it.
    var label: String {
        switch source {
        case .path(let path): path.description
        case .descriptor: name?.description ?? "standard input"
        case .none: "the document"
        }
    }

    static let nothing = PreviewInput(source: .none, descriptor: nil, name: nil)

    static func file(_ path: BytePath) -> PreviewInput {
        path == BytePath("-")
            ? PreviewInput(source: .descriptor, descriptor: 0, name: nil)
            : PreviewInput(source: .path(path), descriptor: nil, name: nil)
    }

    /// The sample photo, in memory.
    ///
    /// **Errors.** It cannot be made.
    static func sample(by worker: LoneWorker) throws(Diagnostics) -> PreviewInput {
        let descriptor = lp_memory_file("sample")
        guard descriptor >= 0 else {
            throw [Diagnostic("no-sample", message: "no sample photo can be made: \(SystemError.last)")]
        }
        _ = try worker.view(ViewRequest(key: 0, source: .none, .sample), descriptors: [descriptor])
        return PreviewInput(source: .descriptor, descriptor: descriptor, name: BytePath("sample.jpg"))
    }

    /// The request that draws the document's first output, as `run` does for one picture.
    func run(to output: BytePath) -> RunRequest {
        var request = RunRequest(key: 0, source: source)
        request.name = name
        request.outputs = [RunRequest.Output(index: 0, path: output)]
        return request
    }

    func view(_ subject: ViewRequest.Subject) -> ViewRequest {
        var request = ViewRequest(key: 0, source: source, subject)
        request.name = name
        return request
    }

    /// The extension of the file that a run would write.
    ///
    /// **Errors.** The picture cannot be read.
    func ext(_ plan: Plan, _ worker: LoneWorker) throws(Diagnostics) -> String {
        try PreviewFormat.ext(of: plan, source, standIn: name, worker)
    }
}
