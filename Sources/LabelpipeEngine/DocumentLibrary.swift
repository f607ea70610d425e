import Diagnostics
import Synchronization

/// A document's file, told apart from others by what it is, not by what it is called.
struct SourceFile: Sendable {
    let name: String
    /// nil: the text did not come from a file.
    let identity: SmallFile.Identity?

    func isSame(as other: SourceFile) -> Bool {
        if let identity, let other = other.identity { return identity == other }
        return name == other.name
    }
}

/// The texts of documents that are used as effects, as they were read: handed on, they are the same for all processes of a
/// run, whatever becomes of the files meanwhile.
package final class DocumentTexts: Sendable {
    private let texts: Mutex<[String: [UInt8]]>

    package init(_ texts: [(file: String, bytes: [UInt8])] = []) {
        self.texts = Mutex(Dictionary(texts.map { ($0.file, $0.bytes) }) { $1 })
    }

    /// Of all documents read so far, by file.
    package var all: [(file: String, bytes: [UInt8])] {
        texts.withLock { texts in texts.sorted { $0.key < $1.key }.map { (file: $0.key, bytes: $0.value) } }
    }

    subscript(file: String) -> [UInt8]? {
        get { texts.withLock { $0[file] } }
        set { texts.withLock { $0[file] = newValue } }
    }
}

/// The documents that are used as effects, each read once.
struct DocumentLibrary {
    struct Opened {
        let document: Document
        let source: SourceFile
    }

    enum Failure: Error {
        case unreadable(String)
        case invalid(Diagnostics)
    }

    private var known: [String: Result<Opened, Failure>] = [:]
    private let texts: DocumentTexts

    init(_ texts: DocumentTexts) { self.texts = texts }

    mutating func open(_ file: String) -> Result<Opened, Failure> {
        if let known = known[file] { return known }
        let result = read(file)
        known[file] = result
        return result
    }

    private func read(_ file: String) -> Result<Opened, Failure> {
        do {
            var identity = SmallFile.identity(of: file)
            let bytes: [UInt8]
            if let known = texts[file] {
                bytes = known
            } else {
                let read = try SmallFile.readWithIdentity(file, limit: JSONLimits.document.maximumBytes)
                (bytes, identity) = (read.bytes, read.identity)
                texts[file] = bytes
            }
            let document = try Document(bytes: bytes, file: file, folder: Paths.folder(of: file))
            return .success(Opened(document: document, source: SourceFile(name: file, identity: identity)))
        } catch let failure as SmallFile.Failure {
            return .failure(.unreadable(failure.message))
        } catch let wrong as Diagnostics {
            return .failure(.invalid(wrong))
        } catch {
            return .failure(.unreadable("\(error)"))
        }
    }
}
