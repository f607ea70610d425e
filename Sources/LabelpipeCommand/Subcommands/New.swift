import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker

extension Flag {
    static let language = Flag("language", nil, .choice(Skeleton.Language.allCases.map(\.rawValue)), "of a plugin (c)")
    static let newOutput = Flag("output", "o", .value("DIR"), "where it is written (here)")
}

extension Subcommand {
    static let new: Subcommand = Subcommand(
        name: "new", summary: "a working skeleton to begin with", arguments: "pipeline│plugin NAME",
        examples: ["pipeline mark", "plugin sparkle --language c++"], flags: [.language, .newOutput],
        operands: .words(["pipeline", "plugin"]),
        notes: ["NAME: letters, digits and dashes. Nothing that exists is overwritten."]
    ) { parsed, session throws(Stop) in
        let words = parsed.positional.map(\.description)
        guard words.count == 2, ["pipeline", "plugin"].contains(words[0]) else {
            let meant = words.first.flatMap { Suggestions.nearest(to: $0, in: ["pipeline", "plugin"]) }
            throw Stop(
                UsageError(
                    "expected pipeline NAME or plugin NAME",
                    help: meant.map { ["did you mean \"\($0)\(words.count > 1 ? " \(words[1])" : " NAME")\"?"] } ?? []), of: .new)
        }
        let name = words[1]
        guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            name.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }),
            name.utf8.count <= 64
        else {
            throw Stop(UsageError("expected a name of small letters, digits and dashes, got \(Quoted.text(name))"), of: .new)
        }
        let folder = parsed.path(.newOutput) ?? BytePath(".")
        if words[0] == "pipeline" {
            if parsed.has(.language) { throw Stop(UsageError("--language is for plugins"), of: .new) }
            try session.write(.pipeline(name), to: folder)
            session.output.line("next: labelpipe run \(folder.appending(BytePath("\(name).json"))) photos/ --output marked/")
            return .done
        }
        let language = parsed.path(.language).flatMap { Skeleton.Language(rawValue: $0.description) } ?? .c
        let kit = DataFolder.swiftKit
        if language == .swift, kit == nil {
            throw Stop(
                .missing, "labelpipe's modules for plugins in Swift are not installed beside this program",
                help: ["--language c and c++ need none"])
        }
        let home = folder.appending(BytePath(name))
        try session.write(.plugin(name, language, kit: kit?.description), to: home)
        session.output.line("next: cd \(home); ./build; labelpipe plugins check ./\(name).so")
        return .done
    }
}

extension Session {
    fileprivate func write(_ skeleton: Skeleton, to folder: BytePath) throws(Stop) {
        for file in skeleton.files {
            let path = folder.appending(BytePath(file.name))
            makeFolders(path.folder)
            let descriptor = path.withCString {
                open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.isProgram ? 0o777 : 0o666)
            }
            guard descriptor >= 0 else {
                let error = SystemError.last
                let exists = error == SystemError(EEXIST)
                throw Stop(
                    exists ? .usage : .unwritable, "\(path) cannot be written: \(error)",
                    help: exists ? ["choose another name or --output"] : [])
            }
            let bytes = Array(file.text.utf8)
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard close(descriptor) == 0, count == bytes.count else {
                throw Stop(.unwritable, "\(path) cannot be written: \(SystemError.last)")
            }
            output.line("\(path)")
        }
    }

    private func makeFolders(_ path: BytePath) {
        let bytes = path.bytes
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
            _ = BytePath(Array(bytes[..<index])).withCString { mkdir($0, 0o777) }
        }
        if !bytes.isEmpty { _ = path.withCString { mkdir($0, 0o777) } }
    }
}
