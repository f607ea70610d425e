import Glibc
import LabelpipeWorker

/// What is installed beside the program, or lies beside it where it was built.
enum DataFolder {
    /// The recipes, whose assets the effects' examples use; nil where there are none.
    static var pipelines: BytePath? { folder(installed: "share/labelpipe/pipelines", built: "Pipelines") }

    /// The modules that a plugin in Swift is built from, with a manifest; nil where there are none.
    static var swiftKit: BytePath? {
        folder(installed: "share/labelpipe/swift", built: ".", holding: "Sources/LabelpipePlugin")
    }

    private static func folder(installed: String, built: String, holding part: String = ".") -> BytePath? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let folder = BytePath(buffer[..<count].map { UInt8(bitPattern: $0) }).folder
        let places = [
            folder.folder.appending(BytePath(installed)),
            // Three folders below the package's own: .build/TRIPLE/release.
            folder.folder.folder.folder.appending(BytePath(built)),
        ]
        return places.first {
            if case .success(let facts) = FileFacts.of($0.appending(BytePath(part))) { facts.kind == .folder } else { false }
        }
    }
}
