import Diagnostics
import LabelpipeKit
import LabelpipeWorker

/// Says what each picture's outputs are called, and that no two are one.
struct OutputPlan {
    let destination: Destination
    let date: Int64
    let count: Int
    let emptyMissingFields: Bool

    /// The fields of paths that only a look into a picture can tell.
    func fieldsToProbe(_ picture: Picture, _ document: BatchDocument) -> [String] {
        guard case .folder = destination.kind else { return [] }
        var fields: [String] = []
        for output in document.outputs {
            guard let path = output.path, !path.isOwnName else { continue }
            for field in path.fields where !fields.contains(field) {
                let plain = field.hasPrefix("picture.") ? String(field.dropFirst("picture.".count)) : field
                if plain == "ext", picture.path?.ext.isEmpty == false { continue }
                if PictureFields.knows(plain), plain != "ext" { continue }
                fields.append(field)
            }
        }
        return fields
    }

    /// The outputs' paths below the output folder.
    ///
    /// **Errors.** A field that is missing, a path that names no file or leaves the folder.
    func paths(for picture: Picture, _ document: BatchDocument, probed: ProbeReply?) throws(Diagnostics) -> [BytePath] {
        switch destination.kind {
        case .file(let name): return [name]
        case .inPlace: return [picture.path ?? BytePath("")]
        // No file: the name only says the format, if it says one.
        case .standardOutput: return [picture.path?.name ?? BytePath("output")]
        case .folder: break
        }
        let path = picture.path ?? BytePath("")
        let fields = PictureFields(
            path: path, relative: picture.relative, index: picture.index, count: count, date: date, row: picture.row,
            contentExt: probed?.format.map(PictureNames.ext))
        var paths: [BytePath] = []
        for output in document.outputs {
            do throws(OutputError) {
                paths.append(try self.path(output, picture, fields, probed))
            } catch {
                throw [Diagnostic(error.code, pointer: output.pointer, message: error.message)]
            }
        }
        return paths
    }

    private func path(
        _ output: BatchDocument.Output, _ picture: Picture, _ fields: PictureFields, _ probed: ProbeReply?
    ) throws(OutputError) -> BytePath {
        guard let pattern = output.path, !pattern.isOwnName else {
            // The input's own tree and name; another format's extension where the document names one.
            var name = fields.path.name
            if let format = output.format, PictureNames.format(of: name) != format, !name.isEmpty {
                name = BytePath(name.stem.bytes + Array(".\(PictureNames.ext(of: format))".utf8))
            }
            guard !name.isEmpty else {
                throw OutputError("no-name", "the output has no name: a file as --output, or the key \"path\", gives it one")
            }
            return try SafePath.path(picture.relative.appending(name).reversibleText)
        }
        let text: String
        do {
            text = try pattern.text(missing: emptyMissingFields ? .empty : .error) { field in
                value(field, fields, probed).map { safe($0, field) }
            }
        } catch let error as Template.MissingField {
            throw OutputError("missing-field", "the output path needs \(error.names.map { "{\($0)}" }.joined(separator: " or "))")
        } catch {
            throw OutputError("missing-field", "the output path cannot be made: \(error)")
        }
        return try SafePath.path(text)
    }

    private func value(_ field: String, _ fields: PictureFields, _ probed: ProbeReply?) -> FieldValue? {
        let plain = field.hasPrefix("picture.") ? String(field.dropFirst("picture.".count)) : field
        if let value = fields.value(plain) { return value }
        switch plain {
        case "width": return probed?.size.map { .integer($0.width) }
        case "height": return probed?.size.map { .integer($0.height) }
        case "page": return .integer(1)
        default: return probed?.fields.first { $0.name == field }.map { .text($0.text) }
        }
    }

    private func safe(_ value: FieldValue, _ field: String) -> FieldValue {
        guard case .text(let text) = value else { return value }
        let plain = field.hasPrefix("picture.") ? String(field.dropFirst("picture.".count)) : field
        let isOwnName = ["name", "stem", "ext", "folder", "relative"].contains(plain)
        return .text(SafePath.safe(text, isFolders: isOwnName && plain == "relative", keepsControls: isOwnName))
    }

    /// **Errors.** Two pictures with one output; an output that is an input. Both are named.
    static func check(_ pictures: [Picture], folder: BytePath) throws(Stop) {
        var owners: [BytePath: Int] = [:]
        owners.reserveCapacity(pictures.count)
        var problems: [String] = []
        var count = 0
        func add(_ problem: String) {
            count += 1
            if count <= 10 { problems.append(problem) }
        }
        for (place, picture) in pictures.enumerated() {
            for path in picture.outputs {
                if let other = owners[path] {
                    let names = other == place ? picture.place : "\(pictures[other].place) and \(picture.place)"
                    add("\(names) would both be written to \(folder.appending(path))")
                } else {
                    owners[path] = place
                }
            }
        }
        // What is a file for one cannot be a folder for another.
        var folders: Set<BytePath> = []
        for picture in pictures {
            for path in picture.outputs {
                var above = path.folder
                while !above.isEmpty, folders.insert(above).inserted {
                    if let other = owners[above] {
                        add(
                            "\(pictures[other].place) would be written to \(folder.appending(above)), and "
                                + "\(picture.place) into a folder of that name: \(folder.appending(path))")
                    }
                    above = above.folder
                }
            }
        }
        if count > 0 {
            if count > 10 { problems.append("… and \(count - 10) more") }
            throw Stop(
                .usage, problems.joined(separator: "\n"),
                help: [
                    "the output's \"path\" may hold {relative}, {folder}, {stem}, {index}: labelpipe run --help has an example"
                ])
        }
        guard case .success = FileFacts.of(folder) else { return }
        var inputs: [FileFacts.Identity: Int] = [:]
        for (place, picture) in pictures.enumerated() { if let identity = picture.identity { inputs[identity] = place } }
        for picture in pictures {
            for path in picture.outputs {
                guard case .success(let facts) = FileFacts.of(folder.appending(path)), let owner = inputs[facts.identity] else {
                    continue
                }
                add("\(pictures[owner].name) is an input, and \(folder.appending(path)) would be written over it")
            }
        }
        if count > 10 { problems.append("… and \(count - 10) more") }
        if count > 0 {
            throw Stop(.usage, problems.joined(separator: "\n"), help: ["give another folder as --output"])
        }
    }

    /// **Errors.** One file named twice would be drawn on twice.
    static func checkInPlace(_ pictures: [Picture]) throws(Stop) {
        var owners: [FileFacts.Identity: Int] = [:]
        for (place, picture) in pictures.enumerated() {
            guard let identity = picture.identity else { continue }
            if let other = owners[identity] {
                throw Stop(.usage, "\(pictures[other].name) and \(picture.name) are one file, which would be drawn on twice")
            }
            owners[identity] = place
        }
    }
}
