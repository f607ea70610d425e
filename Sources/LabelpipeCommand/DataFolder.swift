import Glibc
import LabelpipeWorker

/// What is installed beside the program, or lies beside it where it was built.
enum DataFolder {
    /// The recipes, whose assets the effects' examples use; nil where there are none.
    static var pipelines: BytePath? { folder("../share/labelpipe/pipelines", "../../../Pipelines") }

    /// The modules that a plugin in Swift is built from, with a manifest; nil where there are none.
    static var swiftKit: BytePath? { folder("../share/labelpipe/swift", "../../..", holding: "Sources/LabelpipePlugin") }

    private static func folder(_ installed: String, _ built: String, holding part: String = ".") -> BytePath? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let folder = BytePath(buffer[..<count].map { UInt8(bitPattern: $0) }).folder
        // /usr/bin and /usr/share; .build/TRIPLE/release and the package's root.
        return [installed, built].map { folder.appending(BytePath($0)) }.first {
            if case .success(let facts) = FileFacts.of($0.appending(BytePath(part))) { facts.kind == .folder } else { false }
        }
    }
}
