import Glibc
import LabelpipeWorker

/// Where outputs go: below a folder, into one file, or to standard output.
struct Destination {
    enum Kind {
        case folder
        case file(BytePath)
        case standardOutput
        case inPlace
    }

    let kind: Kind
    /// The folder; of a file the one it lies in; in place that of the first picture.
    let folder: BytePath

    /// Of `check`: paths are made and compared with each other, and lie nowhere.
    static var checked: Destination { Destination(kind: .folder, folder: BytePath("")) }

    private init(kind: Kind, folder: BytePath) {
        self.kind = kind
        self.folder = folder
    }

    /// What stands before an output's path where it is told.
    var prefix: BytePath? {
        switch kind {
        case .folder, .file: folder
        case .standardOutput, .inPlace: nil
        }
    }

    /// Whether what has been done is recorded.
    var hasJournal: Bool {
        switch kind {
        case .folder, .inPlace: true
        case .file, .standardOutput: false
        }
    }

    /// In the pictures' own places.
    ///
    /// **Errors.** Something that has no place of its own.
    init(inPlaceOf pictures: [Picture], outputs: Int) throws(Stop) {
        guard outputs == 1 else { throw Stop(.usage, "--in-place: the document has \(outputs) outputs, and a picture one place") }
        guard pictures.allSatisfy({ $0.path != nil }) else { throw Stop(.usage, "--in-place needs pictures that are files") }
        kind = .inPlace
        folder = pictures.first?.home ?? BytePath(".")
    }

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
        guard output.endsWithSlash || Self.isFolder(output) || !PictureNames.isOtherPicture(output) else {
            throw Stop(
                .usage, "--output \(output): no file of this kind can be written",
                help: ["formats: jpeg png webp tiff avif heic gif jxl ppm", "\(output)/ is a folder of that name"])
        }
        kind = .folder
        folder = output
    }

    private static func isFolder(_ path: BytePath) -> Bool {
        if case .success(let facts) = FileFacts.of(path) { facts.kind == .folder } else { false }
    }
}
