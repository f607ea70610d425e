import Diagnostics
import Glibc
import LabelpipeEngine
import LabelpipeKit
import Vips

/// Errors of every kind as findings about a picture.
package enum Findings {
    /// What is not installed: the same for every picture, so the run ends.
    static let notInstalled = "not-installed"

    /// A warning that fails a picture: what it says of an output is said of none.
    package static func strict(_ warning: String) -> String { "nothing is made, because of a warning: \(warning)" }

    static func finding(_ error: any Error) -> Diagnostic {
        switch error {
        case let finding as Diagnostic: finding
        case let findings as Diagnostics: findings.all.first ?? Diagnostic("unknown")
        case let failure as Executor.Failure: inNode(finding(failure.underlying), failure)
        case let error as DrawingError:
            Diagnostic(
                error.cause == .missing ? notInstalled : error.code, message: error.message, help: error.help.map { [$0] } ?? [])
        case let error as PictureFileError: finding(error)
        case let error as VipsError: finding(error)
        case let error as Template.MissingField:
            Diagnostic(
                "missing-field", message: "the picture has no \(error.names.map { "{\($0)}" }.joined(separator: " or "))",
                help: ["{field|\"other text\"} gives another text, --missing-field empty none"])
        default: Diagnostic("unknown", message: "\(error)")
        }
    }

    private static func inNode(_ finding: Diagnostic, _ failure: Executor.Failure) -> Diagnostic {
        var finding = finding
        // What has a place of its own keeps it.
        guard finding.pointer == nil, finding.file == nil else {
            finding.pointer = finding.pointer ?? failure.pointer
            finding.file = finding.file ?? failure.file
            return finding
        }
        (finding.pointer, finding.file, finding.position) = (failure.pointer, failure.file, failure.position)
        return finding
    }

    private static func finding(_ error: PictureFileError) -> Diagnostic {
        switch error {
        case .system(_, let number): Diagnostic("unreadable", message: "cannot be read: \(SystemError(number))")
        case .notARegularFile: Diagnostic("not-a-file", message: "\(error)")
        case .empty: Diagnostic("empty", message: "\(error)")
        case .notAPicture: Diagnostic("not-a-picture", message: "this \(error)")
        case .cameraRaw: Diagnostic("camera-raw", message: "\(error)")
        case .notAllowed(let kind):
            Diagnostic("not-allowed", message: "\(error)", help: ["--allow \(kind.rawValue)"])
        case .noLoader: Diagnostic(notInstalled, message: "\(error)")
        case .tooLarge(let what, _, _):
            Diagnostic("too-large", message: "\(error)", help: [what == "pixels" ? "--limit-pixels N" : "--limit-frames N"])
        case .unsupported: Diagnostic("corrupt", message: "\(error)")
        case .corrupt(let error): Diagnostic("corrupt", message: sentence(error.message), cause: error.message)
        }
    }

    /// libvips and libtiff refuse whole files too.
    private static func sentence(_ words: String) -> String {
        if words.contains("unsupported") || words.contains("not supported") { return "a kind of picture that cannot be read" }
        // Of whole files, samples of a size that libvips does not know.
        return words.contains("samples out of range")
            ? "the picture is damaged, or of a kind that cannot be read" : "the picture is damaged"
    }

    private static func finding(_ error: VipsError) -> Diagnostic {
        if let cause = error.cause { return finding(cause) }
        if error.message.contains("No space left on device") || error.message.contains("Disk quota exceeded") {
            return Diagnostic("disk-full", message: "no space is left for the output", cause: error.message)
        }
        if MemoryCap.isShortage(error.message) {
            return Diagnostic(MemoryCap.exceeded, message: MemoryCap.sentence, help: MemoryCap.help, cause: error.message)
        }
        return Diagnostic("corrupt", message: "the picture cannot be read or written", cause: error.message)
    }
}
