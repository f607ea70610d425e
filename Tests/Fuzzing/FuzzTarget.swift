import CLinux
import Diagnostics
import Glibc
import Labelpipe
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeKit
import LabelpipeWorker
import Splice

/// What reads bytes that anybody may have written, each with the laws that hold whatever they are. A broken law traps.
package enum FuzzTarget: String, CaseIterable, Sendable {
    case document
    case template
    case path
    case journal
    case worker
    case rows
    case jpeg
    case tiff

    package func run(_ bytes: [UInt8]) {
        switch self {
        case .document: document(bytes)
        case .template: template(bytes)
        case .path: path(bytes)
        case .journal: journal(bytes)
        case .worker: worker(bytes)
        case .rows: rows(bytes)
        case .jpeg: jpeg(bytes)
        case .tiff: tiff(bytes)
        }
    }

    private static let registry: Registry = {
        guard let registry = try? Registry.bundled() else { preconditionFailure("the bundled effects do not fit together") }
        return registry
    }()

    /// A document is refused with at least one finding, each inside the text, or has a plan that can be printed.
    private func document(_ bytes: [UInt8]) {
        do throws(Diagnostics) {
            let pipeline = try Pipeline(bytes: bytes, name: "fuzz.json", folder: ".", registry: Self.registry)
            let plan = try pipeline.plan(allowsOpen: true)
            precondition(plan.graph(.json) != nil)
            _ = (plan.fields, plan.files, plan.takesInput)
        } catch {
            precondition(!error.isEmpty)
            for finding in error.all {
                if let position = finding.position { precondition(position.offset <= bytes.count) }
            }
            precondition(!error.render().isEmpty && !error.json().isEmpty)
        }
    }

    /// What is inserted is never expanded again.
    private func template(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let template = try? Template(text) else { return }
        let value = "{name}{{%Y"
        guard let filled = try? template.filled(missing: .empty, { _ in .text(value) }) else { return }
        let known = template.fields
        if known.isEmpty { precondition(!filled.contains(value) || text.contains("{{")) }
        _ = try? template.filled(missing: .error) { _ in nil }
        _ = try? template.filled(missing: .empty) { _ in .date(CalendarDate(secondsSince1970: Int(Int32.max) * 4)) }
        _ = try? template.filled(missing: .empty) { _ in .integer(Int.min) }
    }

    /// A path never leaves its folder, and every part is a name that a file system takes.
    private func path(_ bytes: [UInt8]) {
        let text = ByteString.text(of: bytes)
        let safe = SafePath.safe(text)
        precondition(safe != "." && safe != ".." && !safe.contains("/") && !safe.unicodeScalars.contains("\0"))
        for text in [text, safe, SafePath.safe(text, isFolders: true, keepsControls: true)] {
            guard let path = try? SafePath.path(text) else { continue }
            precondition(!path.isEmpty && !path.isAbsolute && !path.bytes.contains(0) || text.contains("\0"))
            for part in path.components {
                precondition(part.count <= 255 && !part.elementsEqual("..".utf8) && !part.elementsEqual(".".utf8))
                precondition(!part.elementsEqual(".labelpipe".utf8))
            }
        }
        precondition(BytePath(reversible: BytePath(bytes).reversibleText) == BytePath(bytes))
        let glob = Glob(BytePath(bytes))
        _ = glob.matches(BytePath(bytes.reversed()))
    }

    /// A line without its checksum is not there; what was sealed is found again.
    private func journal(_ bytes: [UInt8]) {
        let record = Journal.Record(lines: bytes)
        for (path, entry) in record.entries { precondition(entry.outputs.first?.path == path) }
        var writer = JSONWriter()
        writer.object { $0.member("text", bytes: bytes) }
        let line = Journal.sealed(writer.bytes)
        precondition(Journal.opened(line.dropLast())?["text"]?.string.map { ByteString.bytes(of: $0) } == bytes)
        guard !bytes.isEmpty else { return }
        var broken = line
        broken[Int(bytes[0]) % (line.count - 24)] ^= 1
        precondition(Journal.opened(broken.dropLast()) == nil)
    }

    /// Messages that are understood are written the same again.
    private func worker(_ bytes: [UInt8]) {
        _ = try? JobLine(bytes, number: 1)
        guard let message = try? JSONValue.parse(bytes, file: "fuzz", limits: .message) else { return }
        _ = Setup(message)
        if let request = Request(message) {
            let written = Self.text(request.write)
            guard let again = (try? JSONValue.parse(written, file: "again", limits: .message)).flatMap(Request.init) else {
                preconditionFailure("a request cannot be read again")
            }
            precondition(Self.text(again.write) == written && again.descriptorCount == request.descriptorCount)
        }
        if let reply = Reply(message) {
            let written = Self.text(reply.write)
            precondition((try? JSONValue.parse(written, file: "again", limits: .message)).flatMap(Reply.init) != nil)
        }
    }

    private static func text(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        write(&writer)
        return writer.bytes
    }

    /// Every row of a CSV has the header's columns; nothing is read into what is none.
    private func rows(_ bytes: [UInt8]) {
        do throws(Diagnostics) {
            let rows = try Rows(bytes, file: BytePath("fuzz.csv"))
            for row in rows.rows { precondition(row.line >= 1) }
        } catch {
            precondition(!error.isEmpty)
        }
    }

    /// A picture that is taken is spliced into one that can be read again; without a label it stays the same bytes.
    private func jpeg(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { source in
            guard let splicer = try? JPEGSplicer(source), splicer.header.width * splicer.header.height <= 1 << 22,
                let stamp = Self.stamp(splicer.header.components.count)
            else { return }
            var options = JPEGSplicer.Options()
            options.coefficientMemory = 64 << 20
            var output: [UInt8] = []
            let sink: ByteSink = { output.append(contentsOf: $0) }
            if case .spliced = try? splicer.splice([], options: options, to: sink) { precondition(output == bytes) }
            output = []
            guard case .spliced = try? splicer.splice([Patch(x: 3, y: 5, stamp: stamp)], options: options, to: sink) else {
                return
            }
            let again = output.withUnsafeBytes { try? JPEGHeader($0) }
            precondition(again?.width == splicer.header.width && again?.height == splicer.header.height)
        }
    }

    /// A file that is taken is spliced into one whose directories can be read again.
    private func tiff(_ bytes: [UInt8]) {
        let (source, output) = (lp_memory_file("source"), lp_memory_file("output"))
        defer {
            close(source)
            close(output)
        }
        guard source >= 0, output >= 0, write(source, bytes, bytes.count) == bytes.count else { return }
        var options = TIFFSplicer.Options()
        options.tileMemory = 16 << 20
        guard let splicer = try? TIFFSplicer(source, options: options), let page = splicer.file.pages.first,
            page.width * page.height <= 1 << 24, let stamp = Self.stamp(page.channels),
            case .spliced = try? splicer.splice([0: [Patch(x: 3, y: 5, stamp: stamp)]], to: output)
        else { return }
        let again = try? TIFFFile(output)
        precondition(again?.pages.count == splicer.file.pages.count)
    }

    /// Half transparent, 20 px wide and high.
    private static func stamp(_ channels: Int) -> Stamp? {
        try? Stamp(
            width: 20, height: 20, channels: channels,
            samples: .u16([UInt16](repeating: 0x7FFF, count: 400 * (channels + 1))))
    }
}
