import Diagnostics
import Glibc

/// What a picture file was when it was read: by this a later run knows whether it is still the same.
package struct SourceFacts: Equatable, Sendable {
    /// Bytes.
    package var size: Int64
    /// Nanoseconds since 1970.
    package var modified: Int64
    package var inode: UInt64
    /// As `ProbeRequest.Hash` says, hexadecimal.
    package var hash: String?

    /// **Errors**: `unreadable`, `changed`: without its hash a later run would take a file for another.
    package init(_ source: OpenSource, hash kind: ProbeRequest.Hash?) throws(Diagnostics) {
        size = source.facts.size
        modified = source.facts.modified
        inode = source.facts.identity.inode
        errno = 0
        switch kind {
        case nil: return
        case .ends: hash = Digest.ends(of: source.descriptor, size: size)
        case .whole: hash = Digest.whole(of: source.descriptor, size: size)
        }
        if hash != nil { return }
        throw [
            errno == 0
                ? Diagnostic("changed", message: "the file became shorter while it was read")
                : Diagnostic("unreadable", message: "cannot be read: \(SystemError.last)")
        ]
    }

    /// What the file system says, without a hash.
    package init(_ facts: FileFacts) {
        size = facts.size
        modified = facts.modified
        inode = facts.identity.inode
    }

    /// Whether two are the same but for the hash.
    package func looksLike(_ other: SourceFacts) -> Bool {
        size == other.size && modified == other.modified && inode == other.inode
    }

    package func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("size", Int(size))
            // Text: JSON's readers keep 53 bits of a number.
            $0.member("modified", String(modified))
            $0.member("inode", String(inode))
            if let hash { $0.member("hash", hash) }
        }
    }

    package init?(_ message: JSONValue) {
        guard let size = message["size"]?.integer, let modified = message["modified"]?.string.flatMap({ Int64($0) }),
            let inode = message["inode"]?.string.flatMap({ UInt64($0) })
        else { return nil }
        self.size = Int64(size)
        self.modified = modified
        self.inode = inode
        hash = message["hash"]?.string
    }
}
