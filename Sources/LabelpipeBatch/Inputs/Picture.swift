import Diagnostics
import LabelpipeWorker

/// One thing to be done: a picture of the list, a row, or the one run of a document that takes no picture.
struct Picture {
    /// From 1, by the order of the list, whatever the order in which pictures end: `{index}`.
    var index: Int
    var source: Source
    /// The folders between the folder argument and the file: `{relative}`.
    var relative = BytePath("")
    /// Columns of a row, in their order.
    var row: [(name: String, text: String)] = []
    /// Where the row stands in its file.
    var line = 0
    /// Bytes, by the file system; 0 where it could not say.
    var size: Int64 = 0
    /// Nanoseconds since 1970.
    var modified: Int64 = 0
    var identity: FileFacts.Identity?
    /// What is known to be wrong before a worker has looked: a folder named `x.jpg`, a missing file.
    var trouble: Diagnostic?
    /// Its outputs below the output folder, once their paths are known.
    var outputs: [BytePath] = []

    init(index: Int = 0, source: Source) {
        self.index = index
        self.source = source
    }

    /// As the user knows it.
    var name: String {
        switch source {
        case .path(let path): path.description
        case .descriptor: "-"
        case .none: "picture \(index)"
        }
    }

    /// Its name, with the line of the row that it comes from.
    var place: String { line > 0 ? "\(name) (line \(line))" : name }

    var path: BytePath? {
        if case .path(let path) = source { path } else { nil }
    }
}
