import Glibc

/// Why a file is no picture that can be worked on.
public enum PictureFileError: Error, Sendable, CustomStringConvertible {
    /// A system call failed; its number as in errno.
    case system(call: String, errno: Int32)
    /// A folder, a FIFO, a socket, a device.
    case notARegularFile(String)
    case empty
    /// No kind of picture that labelpipe knows.
    case notAPicture
    /// A camera's raw file.
    case cameraRaw
    /// A kind that is only opened on request.
    case notAllowed(FileKind)
    /// This libvips was built without it.
    case noLoader(FileKind)
    /// A limit set by the caller.
    case tooLarge(what: String, got: Int, limit: Int)
    /// Its decoder does not know such pictures: what it misses.
    case unsupported(FileKind, String)
    /// The bytes are wrong or end too early; libvips' words.
    case corrupt(VipsError)

    public var description: String {
        switch self {
        case .system(let call, let number): "\(call): \(String(cString: strerror(number)))"
        case .notARegularFile(let what): "is \(what), not a file"
        case .empty: "the file is empty"
        case .notAPicture: "is no picture of a known kind"
        case .cameraRaw: "is a camera's raw file: develop it first"
        case .notAllowed(let kind): "\(kind.rawValue) is only opened on request"
        case .noLoader(let kind): "this libvips cannot read \(kind.rawValue)"
        case .tooLarge(let what, let got, let limit): "has \(got) \(what), the limit is \(limit)"
        case .unsupported(let kind, let what): "a kind of \(kind.rawValue) that cannot be read: \(what)"
        case .corrupt(let error): error.description
        }
    }
}
