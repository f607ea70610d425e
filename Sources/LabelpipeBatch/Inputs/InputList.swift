import Diagnostics
import Glibc
import LabelpipeWorker

/// Makes the list of pictures out of what the user named, without opening any of them.
struct InputList {
    /// `--recursive`.
    var isRecursive = false
    /// `--include`: of a folder's files only these; empty: all.
    var included: [Glob] = []
    /// `--exclude`: of a folder's files not these, of its folders not what lies in them.
    var excluded: [Glob] = []
    /// The output folder, which is never an input where it lies inside a folder of inputs.
    var outputFolder: FileFacts.Identity?

    /// The list so far, in order.
    private(set) var pictures: [Picture] = []
    /// Which of them have to be asked for their kind, since their name does not say it.
    private(set) var doubtful: Set<Int> = []
    /// Whether a folder was among the arguments.
    private(set) var hasFolder = false

    init() {}

    /// Takes an argument in: a file, which is always tried, or a folder.
    mutating func add(_ path: BytePath) {
        switch FileFacts.of(path) {
        case .success(let facts) where facts.kind == .folder:
            hasFolder = true
            addFolder(path)
        case .success: addListed(path)
        case .failure:
            var picture = Self.listed(path)
            if let meant = Self.neighbour(of: path) { picture.trouble?.suggestion = meant.description }
            pictures.append(picture)
        }
    }

    /// What lies beside it and is called nearly the same.
    private static func neighbour(of path: BytePath) -> BytePath? {
        guard case .success(let entries) = Folder.entries(of: path.folder.isEmpty ? BytePath(".") : path.folder) else {
            return nil
        }
        let names = entries.map(\.name).filter { $0.bytes.first != BytePath.dotByte }
        let meant = Suggestions.nearest(to: path.name.description, in: names.map(\.description))
        return meant.flatMap { meant in names.first { $0 != path.name && $0.description == meant } }
            .map { path.folder.isEmpty ? $0 : path.folder.appending($0) }
    }

    /// A line of a list: as an argument, but a folder is no file.
    mutating func addListed(_ path: BytePath) {
        pictures.append(Self.listed(path))
    }

    /// A file that is named in a list or a row.
    static func listed(_ path: BytePath) -> Picture {
        switch FileFacts.of(path) {
        case .success(let facts): return picture(path, facts)
        case .failure(let error):
            var picture = Picture(source: .path(path))
            picture.trouble = Diagnostic("unreadable", message: "cannot be read: \(error)")
            return picture
        }
    }

    mutating func add(_ picture: Picture) {
        pictures.append(picture)
    }

    private static func picture(_ path: BytePath, _ facts: FileFacts) -> Picture {
        var picture = Picture(source: .path(path))
        if facts.kind == .file {
            picture.size = facts.size
            picture.modified = facts.modified
            picture.identity = facts.identity
        } else {
            picture.trouble = Diagnostic("not-a-file", message: "this is no picture file but a \(facts.kind.rawValue)")
        }
        return picture
    }

    private struct Found {
        /// Below the folder argument.
        let relative: BytePath
        let picture: Picture
        let isDoubtful: Bool
    }

    /// Walks a folder without recursion on our stack; what it finds is sorted by the bytes of the path below the argument.
    private mutating func addFolder(_ root: BytePath) {
        var found: [Found] = []
        var open = [BytePath("")]
        while let below = open.popLast() {
            let folder = root.appending(below)
            switch Folder.entries(of: folder) {
            case .failure(let error):
                var picture = Picture(source: .path(folder))
                picture.trouble = Diagnostic("unreadable", message: "the folder cannot be read: \(error)")
                found.append(Found(relative: below, picture: picture, isDoubtful: false))
            case .success(let entries):
                for entry in entries where entry.name.bytes.first != BytePath.dotByte {
                    look(at: entry, in: root, below: below, &found, &open)
                }
            }
        }
        found.sort { $0.relative < $1.relative }
        for item in found {
            if item.isDoubtful { doubtful.insert(pictures.count) }
            pictures.append(item.picture)
        }
    }

    private func look(
        at entry: Folder.Entry, in root: BytePath, below: BytePath, _ found: inout [Found], _ open: inout [BytePath]
    ) {
        let relative = below.appending(entry.name)
        let path = root.appending(relative)
        let hasPictureName = PictureNames.format(of: entry.name) != nil
        if excluded.contains(where: { $0.matches(relative) }) { return }
        let isLink = entry.kind == .link || entry.kind == nil && Self.isLink(path)
        switch FileFacts.of(path) {
        case .success(let facts) where facts.kind == .folder:
            if isRecursive, isLink || facts.identity == outputFolder { return }
            if isRecursive {
                open.append(relative)
            } else if hasPictureName, isIncluded(relative), facts.identity != outputFolder {
                found.append(Found(relative: relative, picture: Self.picture(path, facts), isDoubtful: false))
            }
        case .success(let facts):
            guard isIncluded(relative) else { return }
            var picture = Self.picture(path, facts)
            picture.relative = below
            if hasPictureName {
                found.append(Found(relative: relative, picture: picture, isDoubtful: false))
            } else if facts.kind == .file {
                found.append(Found(relative: relative, picture: picture, isDoubtful: true))
            }
        case .failure(let error):
            guard hasPictureName, isIncluded(relative) else { return }
            var picture = Picture(source: .path(path))
            picture.relative = below
            picture.trouble = Diagnostic("unreadable", message: "cannot be read: \(error)")
            found.append(Found(relative: relative, picture: picture, isDoubtful: false))
        }
    }

    private static func isLink(_ path: BytePath) -> Bool {
        if case .success(let facts) = FileFacts.of(path, followingLinks: false) { facts.kind == .link } else { false }
    }

    private func isIncluded(_ relative: BytePath) -> Bool {
        included.isEmpty || included.contains { $0.matches(relative) }
    }

    /// Splits a list file's bytes: one path a line, or closed by NUL. A carriage return before the newline is part of the line's
    /// end; empty lines are skipped.
    static func paths(in bytes: [UInt8], closedByNUL: Bool) -> [BytePath] {
        bytes.split(separator: closedByNUL ? 0 : 0x0A).compactMap { line in
            var line = line
            if !closedByNUL, line.last == 0x0D { line = line.dropLast() }
            return line.isEmpty ? nil : BytePath(line)
        }
    }
}
