import Diagnostics
import LabelpipeBatch
import LabelpipeWorker

extension Flag {
    static let box = Flag(
        "box", nil, .value("X,Y,W,H"), repeats: true, "where something was drawn, in px; else what differs much is found")
    static let boxesOf = Flag(
        "report", nil, .value("FILE"), "take the boxes, and the outputs' names, from the report of the run that made OUTPUT")
    static let psnr = Flag(
        "psnr", nil, .number("DB", 0...200), "outside the boxes this much likeness is enough (none may differ)")
}

extension Subcommand {
    static let verify: Subcommand = Subcommand(
        name: "verify", summary: "what a run changed in pictures, and what it should not have", arguments: "INPUT OUTPUT",
        examples: [
            "photos/a.jpg marked/a.jpg", "a.png marked/a.png --report run.ndjson", "photos/ marked/ --recursive",
        ],
        flags: [.box, .boxesOf, .psnr, .recursive, .timeout, .format], operands: .files,
        notes: [
            "Two pictures, or two folders: then each picture with the one of its name.",
            "Found are: pixels that differ outside the boxes; another size, depth, profile, resolution, animation;",
            "lost or changed metadata; of folders also pictures that only one of them has.",
            "Boxes of a JPEG are widened to its blocks. Exit code 1 if something was found.",
        ]
    ) { parsed, session throws(Stop) in
        let pictures = parsed.positional + parsed.separated
        guard pictures.count == 2 else {
            throw Stop(UsageError("expected two pictures, or two folders, INPUT and OUTPUT"), of: .verify)
        }
        let verification = try Verification(parsed, session)
        guard let folder = pictures.first(where: { $0.isFolder }) else {
            return try verification.compare(pictures[0], pictures[1], boxes: verification.boxes(of: pictures[1]))
        }
        guard pictures.allSatisfy({ $0.isFolder }) else {
            throw Stop(
                UsageError(
                    "a picture is compared with a picture, and \(folder) is a folder",
                    help: ["labelpipe verify IN/NAME OUT/NAME, or two folders"]), of: .verify)
        }
        return try verification.compare(folders: pictures[0], pictures[1], isRecursive: parsed.has(.recursive))
    }
}

/// `labelpipe verify`: one pair of pictures, or those of two folders.
struct Verification {
    let session: Session
    let usesJSON: Bool
    private let boxes: [[Int]]?
    private let report: ReportedRun?
    private let leastPSNR: Double?
    private let timeout: Double?

    init(_ parsed: Parsed, _ session: Session) throws(Stop) {
        self.session = session
        usesJSON = parsed.usesJSON
        do throws(UsageError) {
            let boxes = try parsed.texts(.box).map { text throws(UsageError) in try Self.box(text) }
            self.boxes = boxes.isEmpty ? nil : boxes
            report = try parsed.path(.boxesOf).map { path throws(UsageError) in try ReportedRun(path) }
            leastPSNR = try parsed.number(.psnr)
            timeout = try parsed.number(.timeout)
        } catch {
            throw Stop(error, of: .verify)
        }
    }

    private static func box(_ text: String) throws(UsageError) -> [Int] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 4, numbers.allSatisfy({ $0 != nil }), let width = numbers[2], let height = numbers[3], width > 0,
            height > 0
        else { throw UsageError("--box: expected X,Y,WIDTH,HEIGHT in px, got \"\(text)\"") }
        return numbers.compactMap(\.self)
    }

    /// Where something was drawn on a picture; nil: that is to be found.
    ///
    /// **Errors.** The report that was named says nothing of it.
    func boxes(of output: BytePath) throws(Stop) -> [[Int]]? {
        guard let report else { return boxes }
        guard let boxes = report.boxes(of: output) else {
            throw Stop(UsageError("--report: \(report.file) has no line about \(output)"), of: .verify)
        }
        return boxes
    }

    /// One pair.
    func compare(_ input: BytePath, _ output: BytePath, boxes: [[Int]]?) throws(Stop) -> ExitCode {
        var request = CompareRequest(input: input, output: output)
        (request.boxes, request.leastPSNR) = (boxes, leastPSNR)
        switch try Question.compare(request, launch: session.launch, timeout: timeout) {
        case .failure(let findings):
            let told = Diagnostics(
                findings.all.map {
                    var finding = $0
                    finding.file = finding.file ?? input.description
                    return finding
                })
            session.tell(told, json: usesJSON, to: session.output)
            return .failures
        case .success(let reply):
            let verified = Verified(request: request, reply: reply)
            if usesJSON { session.output.write(verified.json) } else { session.output.write(verified.text) }
            return reply.findings.isEmpty ? .done : .failures
        }
    }

    /// Each picture of one folder with that of its name in the other: outputs are called like their inputs, unless the document or
    /// the report of the run says otherwise.
    func compare(folders input: BytePath, _ output: BytePath, isRecursive: Bool) throws(Stop) -> ExitCode {
        let names = PictureList.below(input, isRecursive: isRecursive, without: output)
        let others = PictureList.below(output, isRecursive: isRecursive, without: input)
        guard !names.isEmpty || !others.isEmpty else {
            throw Stop(
                .usage, "no picture was found in \(input)", help: isRecursive ? [] : ["--recursive looks into subfolders"])
        }
        var code = ExitCode.done
        var (pairs, found, missing, extra) = (0, 0, 0, 0)
        var seen: Set<FileFacts.Identity> = []
        for name in names {
            let picture = input.appending(name)
            for other in partners(of: picture, output.appending(name), in: output) {
                guard case .success(let facts) = FileFacts.of(other) else {
                    missing += 1
                    tell("missing", picture, "there is no \(other)", report == nil ? twin(of: other) : [])
                    continue
                }
                seen.insert(facts.identity)
                if pairs > 0, !usesJSON { session.output.line("") }
                pairs += 1
                let verdict = try compare(picture, other, boxes: report == nil ? boxes : report?.boxes(of: other))
                if verdict != .done { found += 1 }
                code = code.combined(with: verdict)
            }
        }
        for name in others {
            let picture = output.appending(name)
            if case .success(let facts) = FileFacts.of(picture), seen.contains(facts.identity) { continue }
            extra += 1
            tell("extra", picture, "there is no \(input.appending(name))", [])
        }
        if missing + extra > 0 { code = code.combined(with: .failures) }
        if usesJSON {
            var writer = JSONWriter()
            writer.object {
                $0.member("status", "verified")
                for (key, count) in [("pairs", pairs), ("found", found), ("missing", missing), ("extra", extra)] {
                    $0.member(key, count)
                }
            }
            writer.endLine()
            session.output.write(writer.bytes)
        } else {
            session.output.line(
                "\n\(pairs == 1 ? "1 pair" : "\(pairs) pairs"): "
                    + (code == .done
                        ? "nothing that should not be" : "something found in \(found), \(missing) missing, \(extra) extra"))
        }
        return code
    }

    /// What a run made of a picture: what its report names in the folder, else the file of the same name.
    private func partners(of input: BytePath, _ named: BytePath, in folder: BytePath) -> [BytePath] {
        let all = report?.outputs(of: input) ?? []
        guard let root = folder.real?.components else { return all.isEmpty ? [named] : all }
        let inside = all.filter { $0.real?.components.starts(with: root) ?? true }
        return inside.isEmpty ? [named] : inside
    }

    /// A picture of the same name in another format.
    private func twin(of output: BytePath) -> [String] {
        let folder = output.folder.isEmpty ? BytePath(".") : output.folder
        guard case .success(let entries) = Folder.entries(of: folder) else { return [] }
        let twins = entries.map(\.name).filter { $0.stem == output.name.stem && PictureNames.format(of: $0) != nil }.sorted()
        return twins.prefix(1).map {
            "it may be \(folder.appending($0)): --report FILE, of the run, tells what each output is called"
        }
    }

    private func tell(_ code: String, _ picture: BytePath, _ message: String, _ help: [String]) {
        let finding = Diagnostic(code, file: picture.description, message: message, help: help)
        session.tell([finding], json: usesJSON, to: session.output)
    }
}

/// What the report of a run says of its pictures.
private struct ReportedRun {
    let file: BytePath
    /// By file; of a picture with several lines the last.
    private var boxesOf: [FileFacts.Identity: [[Int]]] = [:]
    private var outputsOf: [FileFacts.Identity: [BytePath]] = [:]

    init(_ file: BytePath) throws(UsageError) {
        self.file = file
        let bytes: [UInt8]
        do throws(SmallInput.Failure) {
            bytes = try SmallInput.read(file, limit: 1 << 30)
        } catch {
            throw UsageError("--report: \(file) cannot be read: \(error.message)")
        }
        for line in bytes.split(separator: 0x0A) {
            guard let object = try? JSONValue.parse(Array(line), file: file.description),
                let output = object["output"], let boxes = object["boxes"]?.elements
            else { continue }
            // Of a document with several outputs a list.
            let outputs = (output.elements ?? [output]).compactMap(\.string).map { BytePath(reversible: $0) }
            let each = object["outputBoxes"]?.elements ?? []
            for (index, output) in outputs.enumerated() {
                guard case .success(let facts) = FileFacts.of(output) else { continue }
                let own = each.indices.contains(index) ? each[index].elements ?? [] : boxes
                boxesOf[facts.identity] = own.map { $0.elements?.compactMap(\.integer) ?? [] }.filter { $0.count == 4 }
            }
            if let input = object["input"]?.string, case .success(let facts) = FileFacts.of(BytePath(reversible: input)) {
                outputsOf[facts.identity] = outputs
            }
        }
    }

    func boxes(of output: BytePath) -> [[Int]]? {
        if case .success(let facts) = FileFacts.of(output) { boxesOf[facts.identity] } else { nil }
    }

    func outputs(of input: BytePath) -> [BytePath] {
        if case .success(let facts) = FileFacts.of(input) { outputsOf[facts.identity] ?? [] } else { [] }
    }
}

/// What `verify` found, for people and for programs.
private struct Verified {
    let request: CompareRequest
    let reply: CompareReply

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
