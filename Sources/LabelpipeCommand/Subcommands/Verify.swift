import Diagnostics
import LabelpipeBatch
import LabelpipeWorker

extension Flag {
    static let box = Flag(
        "box", nil, .value("X,Y,W,H"), repeats: true, "where something was drawn, in px; else what differs much is found")
    static let boxesOf = Flag("report", nil, .value("FILE"), "take the boxes from the report of the run that made OUTPUT")
    static let psnr = Flag(
        "psnr", nil, .number("DB", 0...200), "outside the boxes this much likeness is enough (none may differ)")
}

extension Subcommand {
    static let verify: Subcommand = Subcommand(
        name: "verify", summary: "what a run changed in a picture, and what it should not have", arguments: "INPUT OUTPUT",
        examples: ["photos/a.jpg marked/a.jpg", "a.png marked/a.png --report run.ndjson"],
        flags: [.box, .boxesOf, .psnr, .timeout, .format], operands: .files,
        notes: [
            "Found are: pixels that differ outside the boxes; another size, depth, profile, resolution, animation;",
            "lost or changed metadata.",
            "Boxes of a JPEG are widened to its blocks. Exit code 1 if something was found.",
        ]
    ) { parsed, session throws(Stop) in
        guard parsed.positional.count + parsed.separated.count == 2 else {
            throw Stop(UsageError("expected two pictures, INPUT and OUTPUT"), of: .verify)
        }
        let pictures = parsed.positional + parsed.separated
        if let folder = pictures.first(where: { $0.isFolder }) {
            throw Stop(
                UsageError(
                    "two pictures are compared, and \(folder) is a folder",
                    help: ["labelpipe verify IN/NAME OUT/NAME, once for each picture"]), of: .verify)
        }
        var request = CompareRequest(input: pictures[0], output: pictures[1])
        let timeout: Double?
        do throws(UsageError) {
            let boxes = try parsed.texts(.box).map { text throws(UsageError) in try Verified.box(text) }
            if !boxes.isEmpty { request.boxes = boxes }
            if let report = parsed.path(.boxesOf) { request.boxes = try Verified.boxes(in: report, of: pictures[1]) }
            request.leastPSNR = try parsed.number(.psnr)
            timeout = try parsed.number(.timeout)
        } catch {
            throw Stop(error, of: .verify)
        }
        switch try Question.compare(request, launch: session.launch, timeout: timeout) {
        case .failure(let findings):
            let told = Diagnostics(
                findings.all.map {
                    var finding = $0
                    finding.file = finding.file ?? pictures[0].description
                    return finding
                })
            session.tell(told, json: parsed.usesJSON, to: session.output)
            return .failures
        case .success(let reply):
            let verified = Verified(request: request, reply: reply)
            if parsed.usesJSON { session.output.write(verified.json) } else { session.output.write(verified.text) }
            return reply.findings.isEmpty ? .done : .failures
        }
    }
}

/// What `verify` found, for people and for programs.
private struct Verified {
    let request: CompareRequest
    let reply: CompareReply

    static func box(_ text: String) throws(UsageError) -> [Int] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 4, numbers.allSatisfy({ $0 != nil }), let width = numbers[2], let height = numbers[3], width > 0,
            height > 0
        else { throw UsageError("--box: expected X,Y,WIDTH,HEIGHT in px, got \"\(text)\"") }
        return numbers.compactMap(\.self)
    }

    /// Of the last line of a report that is about this output.
    static func boxes(in report: BytePath, of output: BytePath) throws(UsageError) -> [[Int]] {
        let bytes: [UInt8]
        do throws(SmallInput.Failure) {
            bytes = try SmallInput.read(report, limit: 1 << 30)
        } catch {
            throw UsageError("--report: \(report) cannot be read: \(error.message)")
        }
        let wanted = FileFacts.of(output)
        for line in bytes.split(separator: 0x0A).reversed() {
            guard let object = try? JSONValue.parse(Array(line), file: report.description),
                let path = object["output"]?.string.map({ BytePath(reversible: $0) }), let boxes = object["boxes"]?.elements
            else { continue }
            let isSame: Bool
            if case (.success(let one), .success(let other)) = (wanted, FileFacts.of(path)) {
                isSame = one.identity == other.identity
            } else {
                isSame = path == output
            }
            if isSame { return boxes.map { $0.elements?.compactMap(\.integer) ?? [] }.filter { $0.count == 4 } }
        }
        throw UsageError("--report: \(report) has no line about \(output)")
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.member("input", bytes: request.input.bytes)
            $0.member("output", bytes: request.output.bytes)
            reply.write(to: &$0)
        }
        writer.endLine()
        return writer.bytes
    }

    var text: String {
        var lines = [
            "\(request.input): \(side(reply.input))",
            "\(request.output): \(side(reply.output))",
        ]
        if reply.isIdentical {
            lines.append("pixels: all the same")
        } else if reply.pixels.all > 0 || reply.wholePSNR != nil {
            let boxes = reply.boxes.map { "[" + $0.map { "\($0)" }.joined(separator: ",") + "]" }.joined(separator: " ")
            lines.append("\(reply.areBoxesFound ? "drawn on" : "boxes"): \(boxes.isEmpty ? "nothing" : boxes)")
            lines.append(
                "outside: \(number(reply.pixels.percent)) % of the pixels and \(number(reply.blocks.percent)) % of the "
                    + "\(reply.blockSide)x\(reply.blockSide) blocks differ"
                    + (reply.psnr.map { ", PSNR \(number($0)) dB, at most by \(number(reply.greatest * 255)) of 255" } ?? ""))
            if let psnr = reply.wholePSNR { lines.append("whole picture: PSNR \(number(psnr)) dB") }
        }
        let metadata = reply.metadata.map { "\($0.name) \($0.state)" }.joined(separator: ", ")
        if !metadata.isEmpty { lines.append("metadata: \(metadata)") }
        lines += reply.findings.map { "found: \($0.message)" }
        if reply.findings.isEmpty { lines.append("nothing that should not be") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func side(_ side: CompareReply.Side) -> String {
        "\(side.format), \(side.size.width)x\(side.size.height) px, "
            + (side.size.pages > 1 ? "\(side.size.pages) pages, " : "")
            + "\(side.bands)x\(side.bits) bit, \(side.bytes) bytes"
    }

    private func number(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
