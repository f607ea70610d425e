import Glibc
import LabelpipeWorker

/// A folder of a test's own with files in it.
final class Desk {
    let folder: BytePath

    init() {
        var template = Array("/tmp/labelpipe-desk-XXXXXX".utf8CString)
        folder = BytePath(String(cString: mkdtemp(&template)!))
    }

    deinit {
        let words: [UnsafeMutablePointer<CChar>?] =
            ["rm", "-rf", folder.description].map { (word: String) in strdup(word) } + [nil]
        var process = pid_t()
        if posix_spawn(&process, "/bin/rm", nil, nil, words, [nil]) == 0 { waitpid(process, nil, 0) }
        for word in words { free(word) }
    }

    func at(_ name: String) -> String { folder.appending(BytePath(name)).description }

    /// Writes a file, and gives its path.
    @discardableResult
    func write(_ name: String, _ text: String) -> String {
        URLless.write(text, to: BytePath(at(name)))
        return at(name)
    }
}
