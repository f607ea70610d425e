import Diagnostics

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

    mutating func open(_ file: String) -> Result<Opened, Failure> {
        if let known = known[file] { return known }
        let result = read(file)
        known[file] = result
        return result
    }

    private func read(_ file: String) -> Result<Opened, Failure> {
        do {
            let (bytes, identity) = try SmallFile.readWithIdentity(file, limit: JSONLimits.document.maximumBytes)
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
