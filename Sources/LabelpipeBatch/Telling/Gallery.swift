import CLinux
import Diagnostics
import Glibc
import LabelpipeWorker

/// `--gallery FILE.html`: one page of a run, with small copies of pictures before and after in a folder beside it.
///
/// The page is written as pictures end and gets its name when the run has: a page always shows a whole run, and its pictures
/// are on the disk before it is. Each run's small copies lie in a folder of their own, so that an older page stays whole until
/// this one takes its place.
final class Gallery {
    private let page: SingleFile
    private let path: BytePath
    /// `FILE_files`, beside the page.
    private let files: BytePath
    private let run: RunName
    private let tree: OutputTree
    private let heading: Heading
    private var failure: Stop?

    /// What stands above the pictures.
    struct Heading {
        let title: String
        let document: String
        let output: BytePath?
        let date: Int64
        let version: String
    }

    private static let parts = ByteTemplate(PackageResources.gallery_html, marks: ["@PICTURES@", "@RUN@"])

    /// **Errors.** The page or its folder cannot be written; it is there and no page of a run.
    init(_ path: BytePath, _ heading: Heading, run: RunName) throws(Stop) {
        let old = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        defer { if old >= 0 { _ = Glibc.close(old) } }
        if old >= 0 { try ToldFile.refuse(old, path, flag: "--gallery", unless: Self.isPage) }
        self.path = path
        self.run = run
        self.heading = heading
        page = try SingleFile(path)
        files = BytePath(path.stem.bytes + Array("_files".utf8))
        tree = OutputTree(path.folder.appending(files), run: run)
        try page.write(Self.parts[0])
    }

    /// Whether a file that begins so is a page of an earlier run, of this version or another.
    private static func isPage(_ start: ArraySlice<UInt8>) -> Bool {
        let head = String(decoding: start.prefix(4096), as: UTF8.self)
        return head.hasPrefix("<!doctype html>") && head.contains("<title>labelpipe</title>")
    }

    /// Files for a picture's small copies; they are published with its outputs.
    ///
    /// **Errors.** The folder takes no file.
    func stage(_ picture: Picture) throws(OutputError) -> [StagedFile] {
        let folder = BytePath(run.text)
        guard let open = try tree.folder(folder, making: true) else {
            throw OutputError("unwritable", "the folder of \(path) vanished")
        }
        var staged: [StagedFile] = []
        for name in Self.names(picture) {
            staged.append(try StagedFile(in: open, relative: folder.appending(BytePath(name)), run: run))
        }
        return staged
    }

    private static func names(_ picture: Picture) -> [String] {
        let number = String(picture.index)
        let padded = String(repeating: "0", count: max(0, 6 - number.count)) + number
        return ["\(padded)-before.jpg", "\(padded)-after.jpg"]
    }

    func add(_ ended: Ended, folder: BytePath?) {
        var writer = JSONWriter()
        writer.object {
            $0.member("index", ended.picture.index)
            Report.write(ended, folder: folder, to: &$0)
            if let size = ended.reply?.size {
                let isTurned = ended.reply?.isTurned ?? false
                $0.member("width", isTurned ? size.height : size.width)
                $0.member("height", isTurned ? size.width : size.height)
                if size.pages > 1 { $0.member("pages", size.pages) }
            }
            // Boxes are the first output's.
            if let after = ended.reply?.outputs.first?.size {
                $0.member("afterWidth", after.width)
                $0.member("afterHeight", after.height)
            }
            if ended.picture.size > 0 { $0.member("size", Int(ended.picture.size)) }
            for (key, name) in zip(["before", "after"], Self.names(ended.picture)) where ended.smallCopies.contains(key) {
                $0.member(key, Self.url(files.appending(BytePath(run.text)).appending(BytePath(name))))
            }
            if ended.status == .done, let output = ended.picture.outputs.first {
                if let link = link(to: folder?.appending(output) ?? output) { $0.member("link", link) }
            }
        }
        writer.endLine()
        write(Self.safe(writer.bytes))
    }

    /// Gives the page its name, and takes the small copies of the page before away.
    ///
    /// **Errors.** It cannot be written.
    func close(_ totals: Totals, seconds: Double, exit: ExitCode) throws(Stop) {
        write(Self.parts[1])
        var writer = JSONWriter()
        writer.object {
            $0.member("title", heading.title)
            $0.member("document", heading.document)
            if let output = heading.output { $0.member("output", bytes: output.bytes) }
            $0.member("date", Int(heading.date))
            $0.member("version", heading.version)
            Report.write(totals, seconds: seconds, exit: exit, to: &$0)
        }
        write(Self.safe(writer.bytes) + Self.parts[2])
        if let failure { throw failure }
        // All small copies at once: one sync each would cost more than they do.
        _ = lp_sync_all(page.descriptor)
        try page.publish(replacing: true)
        removeOlder()
    }

    private func write(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        do throws(Stop) { try page.write(bytes) } catch { failure = error }
    }

    /// Folders of runs that are ours by their names, with nothing but small copies in them.
    private func removeOlder() {
        let folder = path.folder.appending(files)
        guard case .success(let entries) = Folder.entries(of: folder) else { return }
        for entry in entries where RunName.isName(entry.name) && entry.name != BytePath(run.text) {
            let old = folder.appending(entry.name)
            guard case .success(let copies) = Folder.entries(of: old) else { continue }
            for copy in copies {
                let name = copy.name.description
                guard name.hasSuffix("-before.jpg") || name.hasSuffix("-after.jpg") else { continue }
                _ = old.appending(copy.name).withCString { unlink($0) }
            }
            _ = old.withCString { rmdir($0) }
        }
    }

    /// From the page to a file, both below the folder that they share.
    private func link(to file: BytePath) -> String? {
        func whole(_ path: BytePath) -> [[UInt8]] {
            let absolute = path.isAbsolute ? path : BytePath.workingFolder.appending(path)
            var parts: [[UInt8]] = []
            for part in absolute.components where !part.elementsEqual([BytePath.dotByte]) { parts.append(Array(part)) }
            return parts
        }
        let here = Array(whole(path).dropLast())
        let there = whole(file)
        // What `..` leads to is known to the file system alone.
        if (here + there).contains(Array("..".utf8)) { return nil }
        let shared = zip(here, there).prefix { $0 == $1 }.count
        let up = Array(repeating: Array("..".utf8), count: here.count - shared)
        return Self.url(BytePath((up + there[shared...]).joined(separator: [BytePath.slashByte])))
    }

    private static func url(_ path: BytePath) -> String {
        var text = ""
        for byte in path.bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), BytePath.slashByte:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        // A name with a colon in its first part would be a scheme.
        return text
    }

    /// JSON inside a page: nothing in it can close the script it stands in.
    private static func safe(_ json: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count)
        for byte in json { if byte == UInt8(ascii: "<") { bytes += Array("\\u003c".utf8) } else { bytes.append(byte) } }
        return bytes
    }
}

extension BytePath {
    /// Where relative paths begin.
    static var workingFolder: BytePath {
        guard let text = getcwd(nil, 0) else { return BytePath("/") }
        defer { free(text) }
        return BytePath(UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) })
    }
}
