import Glibc

/// Reads whole small files: documents and rows. Pictures are never read here.
package enum SmallFile {
    package struct Failure: Error {
        package let message: String
    }

    /// What a file is, whatever it is called.
    package struct Identity: Hashable, Sendable {
        let device: UInt
        let inode: UInt
    }

    /// nil where there is no such file.
    static func identity(of path: String) -> Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }

    /// **Errors**: what the system says, in words; more than `limit` bytes; not a regular file.
    package static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        try readWithIdentity(path, limit: limit).bytes
    }

    /// **Errors**: as `read`.
    static func readWithIdentity(_ path: String, limit: Int) throws(Failure) -> (bytes: [UInt8], identity: Identity) {
        guard !path.utf8.contains(0) else { throw Failure(message: "no file's name holds a NUL (\\u0000)") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(message: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(message: String(cString: strerror(errno))) }
        let type = status.st_mode & S_IFMT
        guard type == S_IFREG else {
            throw Failure(message: type == S_IFDIR ? "Is a directory" : "Not a regular file")
        }
        guard Int(status.st_size) <= limit else { throw Failure(message: "Larger than \(limit >> 20) MB") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(status.st_size) + 1)
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(message: String(cString: strerror(errno)))
            }
            if count == 0 { return (bytes, Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))) }
            bytes.append(contentsOf: chunk[0..<count])
            guard bytes.count <= limit else { throw Failure(message: "Larger than \(limit >> 20) MB") }
        }
    }
}

/// Paths as text, without touching the file system.
package enum Paths {
    /// The folder a file lies in.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    package static func join(_ folder: String, _ path: String) -> String {
        if path.hasPrefix("/") || folder == "." || folder.isEmpty { return path }
        return folder.hasSuffix("/") ? folder + path : folder + "/" + path
    }

    package static var workingFolder: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }

    /// As an absolute path, relative ones beside `folder`.
    package static func absolute(_ path: String, in folder: String) -> String {
        if path.hasPrefix("/") { return path }
        let joined = join(folder, path)
        return joined.hasPrefix("/") ? joined : join(workingFolder, joined)
    }
}
