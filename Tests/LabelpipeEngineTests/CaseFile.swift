import Diagnostics
import Glibc
import LabelpipeEngine
import LabelpipeKit
import Outline
import Synchronization
import Vips

/// A table of documents and what is said about them, as a text file.
///
///     # what the case shows
///     set owner=Ann          (any number of such lines: set, cell, scale, base, row, missing, open)
///     { the document }
///     ## inner.json          (other documents beside it)
///     { … }
///     --
///     what is printed: the findings, or what the effects say
struct CaseFile {
    struct Case {
        var name = ""
        var line = 0
        var settings: [(key: String, value: String)] = []
        var document = ""
        var others: [(name: String, text: String)] = []
        var expected = ""
    }

    let cases: [Case]

    init(_ text: String) {
        var cases: [Case] = []
        enum Part { case document, other, expected }
        var part = Part.document
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("# ") {
                cases.append(Case(name: String(line.dropFirst(2)), line: number + 1))
                part = .document
            } else if cases.isEmpty {
                continue
            } else if line.hasPrefix("## ") {
                cases[cases.count - 1].others.append((String(line.dropFirst(3)), ""))
                part = .other
            } else if line == "--" {
                part = .expected
            } else {
                let last = cases.count - 1
                switch part {
                case .document:
                    let words = line.split(separator: " ", maxSplits: 1)
                    let keys = ["set", "cell", "scale", "base", "row", "missing", "open"]
                    if cases[last].document.isEmpty, let key = words.first, keys.contains(String(key)) {
                        cases[last].settings.append((String(key), words.count > 1 ? String(words[1]) : ""))
                    } else if !(line.isEmpty && cases[last].document.isEmpty) {
                        cases[last].document += line + "\n"
                    }
                case .other: cases[last].others[cases[last].others.count - 1].text += line + "\n"
                case .expected: if !line.isEmpty { cases[last].expected += line + "\n" }
                }
            }
        }
        self.cases = cases
    }

    static func read(_ name: String) throws -> CaseFile {
        CaseFile(try text(of: folder + "/" + name))
    }

    static var folder: String { String(#filePath.prefix(upTo: #filePath.lastIndex(of: "/")!)) + "/Cases" }

    static func text(of path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw Missing(path: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[0..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    struct Missing: Error { let path: String }
}

extension CaseFile.Case {
    /// What the engine prints for it.
    func run(_ registry: Registry) throws -> String {
        let folder = try Scratch()
        for other in others { try folder.write(other.text, to: other.name) }
        var written: [String: Pipeline.Setting] = [:]
        var scale = 1.0
        var base: Context.Base? = Context.Base(width: 1000, height: 500, resolution: 144)
        var rows: [String: String] = [:]
        var missing = Template.Missing.error
        var isOpen = false
        for (key, value) in settings {
            let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
            switch key {
            case "set": written[parts[0]] = .written(parts.count > 1 ? parts[1] : "")
            case "cell": written[parts[0]] = .cell(.init(.string(parts.count > 1 ? parts[1] : "")), folder: "/rows")
            case "row": rows[parts[0]] = parts.count > 1 ? parts[1] : ""
            case "scale": scale = Double(value) ?? 1
            case "missing": missing = value == "empty" ? .empty : .error
            case "open": isOpen = true
            default:
                let numbers = value.split(separator: " ").compactMap { Double($0) }
                base =
                    numbers.isEmpty
                    ? nil : Context.Base(width: numbers[0], height: numbers[1], resolution: numbers.count > 2 ? numbers[2] : 72)
            }
        }
        let plan: Plan
        do {
            let pipeline = try Pipeline(
                bytes: Array(document.utf8), name: "doc.json", folder: folder.path, registry: registry)
            plan = try pipeline.plan(written, scale: scale, allowsOpen: isOpen)
        } catch {
            return folder.hidden(error.render())
        }
        let told = plan.findings.render()
        return folder.hidden(told + (isOpen ? "open\n" : Drawing(plan).run(base: base, missing: missing, rows: rows)))
    }
}

/// A plan with an executor, and pictures to run it on.
final class Drawing {
    let executor: Executor

    init(_ plan: Plan, budget: Int = 32 << 20) { executor = Executor(plan, budget: budget) }

    convenience init(_ document: String, registry: Registry? = nil, set: [String: Pipeline.Setting] = [:]) throws {
        let pipeline = try Pipeline(
            bytes: Array(document.utf8), name: "doc.json", folder: "/nowhere", registry: try registry ?? .madeUp())
        self.init(try pipeline.plan(set))
    }

    /// What the effects and outputs say for one picture.
    func run(base: Context.Base?, missing: Template.Missing = .error, rows: [String: String] = [:]) -> String {
        let said = Mutex<[String]>([])
        do {
            for (number, result) in try results(base: base, missing: missing, rows: rows, said).enumerated() {
                let s = result.settings
                var text: [String] = []
                let path = try executor.plan.path(of: number).text(missing: missing) { field(of: $0, base: base, rows: rows) }
                if path != "photos/IMG_1.JPG" { text.append("path \(path)") }
                if let format = s.format { text.append("format \(format)") }
                if let quality = s.quality { text.append("quality \(quality)") }
                if let subsampling = s.subsampling { text.append("subsampling \(subsampling)") }
                if let lossless = s.lossless { text.append("lossless \(lossless)") }
                if s.metadata != .keep { text.append("metadata \(s.metadata.rawValue)") }
                if s.background != .white { text.append("background \(s.background.hex)") }
                for (name, value) in s.set.sorted(by: { $0.key < $1.key }) { text.append("set \(name) \"\(value)\"") }
                if !text.isEmpty { said.withLock { $0.append("output \(text.joined(separator: ", "))") } }
            }
        } catch let finding as Diagnostic {
            said.withLock { $0.append("run: \(finding.description)") }
        } catch let failure as Executor.Failure {
            said.withLock { $0.append("run: \(failure.pointer): \(failure.underlying)") }
        } catch {
            said.withLock { $0.append("run: \(error)") }
        }
        return said.withLock { $0.map { $0 + "\n" }.joined() }
    }

    func results(
        base: Context.Base?, missing: Template.Missing = .error, rows: [String: String] = [:],
        _ said: borrowing Mutex<[String]>
    ) throws -> [Executor.Result] {
        let box = SaidBox()
        defer { said.withLock { $0 += box.all } }
        let job = Executor.Job(
            base: base, missing: missing, field: { field(of: $0, base: base, rows: rows) }, report: { box.add($0.message) },
            source: { _ in
                try VipsRuntime.start()
                let image = try Image.filled(
                    [128], width: Int(base?.width ?? 1), height: Int(base?.height ?? 1), format: .uchar, interpretation: .bw)
                let perMillimetre = (base?.resolution ?? 72) / 25.4
                return Picture(
                    try Operation("copy").set("in", image).set("xres", perMillimetre).set("yres", perMillimetre).image())
            })
        return try executor.run(job)
    }
}

final class SaidBox: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
}

/// The fields of a picture called photos/IMG_1.JPG.
private func field(of name: String, base: Context.Base?, rows: [String: String]) -> FieldValue? {
    switch name {
    case "name": .text("IMG_1.JPG")
    case "stem": .text("IMG_1")
    case "ext": .text("JPG")
    case "folder": .text("photos")
    case "relative": .text("photos")
    case "index": .integer(7)
    case "count": .integer(12)
    case "width": base.map { .integer(Int($0.width)) }
    case "height": base.map { .integer(Int($0.height)) }
    case "date": .date(CalendarDate(year: 2024, month: 5, day: 6, hour: 7, minute: 8, second: 9))
    case "exif.Artist": .text("Ann")
    case "exif.DateTime": .text("2023:04:05 06:07:08")
    case "exif.DateTimeDigitized": .text("0000:00:00 00:00:00")
    case "exif.Empty": .text("")
    default: name.hasPrefix("row.") ? rows[String(name.dropFirst(4))].map { .text($0) } : nil
    }
}

/// A folder that is gone afterwards.
final class Scratch {
    let path: String

    init() throws {
        var template = Array("/tmp/labelpipe-engine-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw CaseFile.Missing(path: "/tmp") }
        path = String(cString: made)
    }

    func write(_ text: String, to name: String) throws {
        let parts = name.split(separator: "/")
        var folder = path
        for part in parts.dropLast() {
            folder += "/" + part
            mkdir(folder, 0o700)
        }
        guard let file = fopen(path + "/" + name, "w") else { throw CaseFile.Missing(path: name) }
        fputs(text, file)
        fclose(file)
    }

    /// Without the folder's own name.
    func hidden(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let range = rest.firstRange(of: path + "/") {
            result += rest[..<range.lowerBound]
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    deinit { remove(path) }

    private func remove(_ folder: String) {
        guard let directory = opendir(folder) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            if entry.pointee.d_type == UInt8(DT_DIR) { remove(folder + "/" + name) } else { unlink(folder + "/" + name) }
        }
        closedir(directory)
        rmdir(folder)
    }
}
