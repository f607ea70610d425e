import Glibc
import LabelpipeWorker

/// Where outputs go: below a folder, into one file, or to standard output.
struct Destination {
    enum Kind {
        case folder
        case file(BytePath)
        case standardOutput
    }

    let kind: Kind
    /// The folder; of a file the one it lies in.
    let folder: BytePath

    /// **Errors.** No output, or one file for several pictures.
    init(_ output: BytePath?, pictures: Int, outputs: Int, hasFolder: Bool) throws(Stop) {
        guard let output, !output.isEmpty else {
            throw Stop(
                .usage, "no output: --output DIR", help: ["the folder is made if it is missing; inputs are never written to"])
        }
        let isOne = pictures <= 1 && outputs == 1 && !hasFolder
        if output == BytePath("-") {
            guard isOne else { throw Stop(.usage, "--output - takes one picture, not \(max(pictures, outputs))") }
            kind = .standardOutput
            folder = BytePath("")
            return
        }
        if !output.endsWithSlash, PictureNames.format(of: output) != nil, !Self.isFolder(output) {
            guard isOne else {
                throw Stop(
                    .usage, "--output \(output) is one file, and there is more than one to be written",
                    help: ["give a folder; \(output)/ if it is meant to be called so"])
            }
            kind = .file(output.name)
            folder = output.folder.isEmpty ? BytePath(".") : output.folder
            return
        }
        kind = .folder
        folder = output
    }

    private static func isFolder(_ path: BytePath) -> Bool {
        if case .success(let facts) = FileFacts.of(path) { facts.kind == .folder } else { false }
    }
}
