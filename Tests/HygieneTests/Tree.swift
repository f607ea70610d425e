import Foundation

/// The files of this package.
enum Tree {
    /// The package's folder.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Paths relative to `root` of what git tracks or would; without git (a tarball), of all that was not built here.
    static func files() -> [String] {
        (tracked() ?? walked()).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: root.appending(path: path).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// A file's text; nil if it has none.
    static func text(_ path: String) throws -> String? {
        let bytes = try Data(contentsOf: root.appending(path: path))
        return bytes.contains(0) ? nil : String(bytes: bytes, encoding: .utf8)
    }

    private static func tracked() -> [String]? {
        let git = Process()
        git.executableURL = URL(filePath: "/usr/bin/env")
        git.arguments = ["git", "-C", root.path, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        let output = Pipe()
        git.standardOutput = output
        git.standardError = FileHandle.nullDevice
        guard (try? git.run()) != nil else { return nil }
        let list = output.fileHandleForReading.readDataToEndOfFile()
        git.waitUntilExit()
        guard git.terminationStatus == 0, !list.isEmpty else { return nil }
        return list.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    static func walked() -> [String] {
        let all = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return all.filter { !$0.hasPrefix(".build") && !$0.hasPrefix(".git/") && !$0.hasPrefix(".swiftpm") }
    }
}
