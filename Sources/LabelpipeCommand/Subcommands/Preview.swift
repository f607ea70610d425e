import CLinux
import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeServe
import LabelpipeWorker

extension Flag {
    static let previewOutput = Flag(
        "output", "o", .value("FILE"), "the file to write; - is standard output")
    static let node = Flag(
        "node", "n", .value("ID│POINTER"), "what flows out of a node; frame pink, baseline blue, origin green")
    static let serve = Flag("serve", "a page to edit the document in, for browsers of this machine")
    static let all = Flag("all", "a sheet of every node in graph order, with sizes and times")
}

extension Subcommand {
    static let preview: Subcommand = Subcommand(
        name: "preview", summary: "look at one picture, or at what flows along the graph's edges",
        arguments: "PIPELINE [INPUT…]",
        examples: [
            "Pipelines/watermark.json photo.jpg --output look.jpg", "Pipelines/watermark.json --node line",
            "Pipelines/watermark.json photo.jpg --all", "Pipelines/watermark.json photos/ --serve",
        ],
        flags: [.previewOutput, .node, .all, .serve, .set],
        more: [
            .overwrite, .scale, .plugin, .timeout, .missingField, .tolerant, .allow, .limitPixels, .limitFrames, .quiet, .format,
        ],
        operands: .files,
        notes: [
            "Without INPUT a sample photo is drawn on; without --output the file is DOCUMENT-preview.EXT, here.",
            "The picture is byte for byte what run writes; times are of a node with all before it. Exit codes as run's.",
        ]
    ) { parsed, session throws(Stop) in
        try PreviewCommand(parsed, session).run()
    }
}

/// `labelpipe preview`, without the live page.
private struct PreviewCommand {
    let parsed: Parsed
    let session: Session

    init(_ parsed: Parsed, _ session: Session) {
        self.parsed = parsed
        self.session = session
    }

    func run() throws(Stop) -> ExitCode {
        var inputs = parsed.positional + parsed.separated
        guard !inputs.isEmpty else { throw usage("no document was given", ["labelpipe preview PIPELINE [INPUT]"]) }
        let path = inputs.removeFirst()
        if parsed.has(.serve) { try serve(path, inputs) }
        let all = ["--serve shows a page with all of them"]
        guard inputs.count <= 1 else { throw usage("one picture is looked at, and \(inputs.count) were given", all) }
        if let folder = inputs.first, folder.isFolder {
            throw usage("one picture is looked at, and \(folder) is a folder", all)
        }
        if parsed.has(.node), parsed.has(.all) { throw usage("--node and --all say different things") }
        let settings = try Settings(parsed, of: .preview)
        let source = try DocumentSource(reading: path)
        let registry = try session.registry(parsed)
        let plan: Plan
        do throws(Diagnostics) {
            plan = try source.pipeline(registry).plan(settings.written, scale: settings.scale)
        } catch {
            throw session.refusal(error, json: parsed.usesJSON)
        }
        if let first = inputs.first, !plan.takesInput {
            throw usage("the document takes no picture: it has no image.source, and \(first) was given")
        }
        session.warn(plan.findings, parsed, session.errors)
        let subject = try subject(plan)
        if subject != nil, let path = parsed.path(.previewOutput), path != BytePath("-"),
            !["", "png"].contains(path.ext.description.lowercased())
        {
            throw usage("--node and --all draw a PNG, and --output is \(path)", ["--output \(path.name.stem).png"])
        }
        var setup = try Setup(parsed, source, settings, of: .preview)
        setup.count = 1
        let timeout: Double?
        do throws(UsageError) { timeout = try parsed.number(.timeout) } catch { throw Stop(error, of: .preview) }
        let worker = LoneWorker(session.launch(parsed), timeout: timeout)
        defer { worker.close() }
        let started = Clock.now
        var label = inputs.first?.description ?? "the sample photo"
        do throws(Diagnostics) {
            try worker.prepare(setup)
            let input = try input(inputs.first, plan, worker)
            label = input.label
            let output: BytePath
            if let path = parsed.path(.previewOutput) {
                output = path
            } else {
                output = try defaultOutput(path, plan, input, subject, worker)
            }
            try refuse(output, insteadOf: inputs + [path])
            let target = try PreviewTarget(output, replacing: replaces)
            // What decides the format where there is no name.
            let name = output == BytePath("-") ? BytePath("output.\(try input.ext(plan, worker))") : output
            let told = try draw(subject, input, worker, target.descriptor, name)
            try target.finish(session.output)
            let known = Set(plan.findings.all.map(\.message))
            for warning in told.warnings where !known.contains(warning.message) { tell(warning, label) }
            if !parsed.has(.quiet), output != BytePath("-") {
                session.errors.line("\(output): \(told.text), \(Int(((Clock.now - started) * 1000).rounded())) ms")
            }
        } catch {
            for finding in error.all { tell(finding, label) }
            let codes = Set(error.all.map(\.code))
            if codes.contains("is-input") { return .usage }
            return codes.contains("not-installed") ? .missing : codes.contains("unwritable") ? .unwritable : .failures
        }
        return .done
    }

    /// The live page, until the process is ended.
    private func serve(_ path: BytePath, _ inputs: [BytePath]) throws(Stop) -> Never {
        for flag in [Flag.previewOutput, .node, .all] where parsed.has(flag) {
            throw usage("--serve and --\(flag.name) say different things")
        }
        let settings = try Settings(parsed, of: .preview)
        let source = try DocumentSource(reading: path)
        let registry = try session.registry(parsed)
        var setup = try Setup(parsed, source, settings, of: .preview)
        setup.count = 1
        let pictures = PictureList.files(inputs)
        guard inputs.isEmpty || !pictures.isEmpty else { throw usage("no picture was found") }
        let timeout: Double?
        do throws(UsageError) { timeout = try parsed.number(.timeout) } catch { throw Stop(error, of: .preview) }
        let worker = LoneWorker(session.launch(parsed), timeout: timeout)
        var list = pictures.map { LivePage.Input(name: $0.description, source: .path($0), descriptor: nil, standIn: nil) }
        if list.isEmpty {
            do throws(Diagnostics) {
                let sample = try PreviewInput.sample(by: worker)
                list = [
                    LivePage.Input(
                        name: "sample photo", source: sample.source, descriptor: sample.descriptor, standIn: sample.name)
                ]
            } catch {
                throw session.refusal(error, json: parsed.usesJSON)
            }
        }
        // A document that is a link stays one: its target is what is saved.
        let file = path == BytePath("-") ? nil : path.resolved
        let page = LivePage(setup, settings: settings.written, registry: registry, file: file, inputs: list)
        try page.serve(worker) { address in
            session.output.line(address)
            if !parsed.has(.quiet) { session.errors.line("Open it in a browser on this machine; Ctrl-C ends.") }
        }
    }

    private func usage(_ message: String, _ help: [String] = []) -> Stop {
        Stop(UsageError(message, help: help), of: .preview)
    }

    private func tell(_ finding: Diagnostic, _ picture: String) {
        let finding = finding.about(picture: picture, forPrograms: parsed.usesJSON)
        if parsed.usesJSON {
            session.errors.write(Diagnostics([finding]).json())
        } else {
            session.errors.line(finding.description)
        }
    }

    /// nil: the document's first output.
    private func subject(_ plan: Plan) throws(Stop) -> ViewRequest.Subject? {
        if parsed.has(.all) { return .all }
        let name: String?
        do throws(UsageError) { name = try parsed.text(.node) } catch { throw Stop(error, of: .preview) }
        guard let name else { return nil }
        if let index = plan.node(name) { return .node(index) }
        let names = plan.nodeNames
        let meant = Suggestions.nearest(to: name, in: names).map { "did you mean \"\($0)\"?" }
        throw usage(
            "--node: no output needs a node \"\(name)\"",
            [meant ?? "labelpipe graph PIPELINE names them all"])
    }

    private func input(_ path: BytePath?, _ plan: Plan, _ worker: LoneWorker) throws(Diagnostics) -> PreviewInput {
        if let path { return .file(path) }
        return plan.takesInput ? try .sample(by: worker) : .nothing
    }

    /// Beside nothing of the user's: in the working folder, by the document's name.
    private func defaultOutput(
        _ document: BytePath, _ plan: Plan, _ input: PreviewInput, _ subject: ViewRequest.Subject?, _ worker: LoneWorker
    ) throws(Diagnostics) -> BytePath {
        let stem = document.name.stem.isEmpty || document == BytePath("-") ? BytePath("document") : document.name.stem
        let ending: String
        switch subject {
        case nil: ending = "-preview.\(try input.ext(plan, worker))"
        case .node(let index): ending = "-preview-\(index + 1).png"
        default: ending = "-preview-all.png"
        }
        return BytePath(stem.bytes + Array(ending.utf8))
    }

    private var replaces: Bool { parsed.has(.overwrite) }

    private func refuse(_ output: BytePath, insteadOf files: [BytePath]) throws(Diagnostics) {
        guard output != BytePath("-"), case .success(let own) = FileFacts.of(output, followingLinks: false) else { return }
        let target = try? FileFacts.of(output).get()
        for file in files {
            if case .success(let facts) = FileFacts.of(file), [own.identity, target?.identity].contains(facts.identity) {
                throw [Diagnostic("is-input", message: "the preview would be written over \(file)", help: ["--output FILE"])]
            }
        }
        guard replaces else {
            throw [Diagnostic("exists", message: "the output exists already: \(output)", help: ["--overwrite replaces it"])]
        }
    }

    private func draw(
        _ subject: ViewRequest.Subject?, _ input: PreviewInput, _ worker: LoneWorker, _ target: Int32, _ name: BytePath
    ) throws(Diagnostics) -> Told {
        guard let subject else {
            let reply = try worker.run(input.run(to: name), descriptors: input.descriptors + [target])
            let boxes = (reply.boxes.first ?? []).map { "\($0[2])x\($0[3])+\($0[0])+\($0[1])" }
            let drawn = boxes.isEmpty ? "" : ", drawn at \(boxes.prefix(4).joined(separator: " "))\(boxes.count > 4 ? " …" : "")"
            return Told(text: (reply.outputs.first?.mode ?? "written") + drawn, warnings: reply.warnings)
        }
        let reply = try worker.view(input.view(subject), descriptors: input.descriptors + [target])
        var text = "\(reply.width)x\(reply.height)"
        if case .node = subject, let frame = reply.nodes.first?.frame, frame.count == 4 {
            text += ", frame \(Self.short(frame[2])) × \(Self.short(frame[3])) px"
        } else {
            text += ", \(reply.nodes.count) nodes"
        }
        return Told(text: text, warnings: reply.warnings)
    }

    private static func short(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return tenths == tenths.rounded() && abs(tenths) < 1e15 ? "\(Int(tenths))" : "\(tenths)"
    }

    private struct Told {
        let text: String
        let warnings: [Diagnostic]
    }
}

/// Where a preview goes: a file that is published when it is complete, or standard output.
private struct PreviewTarget {
    let descriptor: Int32
    /// nil: standard output.
    private let file: SingleFile?
    private let replacing: Bool

    init(_ output: BytePath, replacing: Bool) throws(Diagnostics) {
        self.replacing = replacing
        guard output != BytePath("-") else {
            descriptor = lp_memory_file("preview")
            file = nil
            return
        }
        let file: SingleFile
        do throws(Stop) { file = try SingleFile(output) } catch { throw Self.refused(error) }
        descriptor = file.descriptor
        self.file = file
    }

    private static func refused(_ error: Stop) -> Diagnostics { [Diagnostic("unwritable", message: error.message)] }

    func finish(_ output: Output) throws(Diagnostics) {
        if let file {
            do throws(Stop) { try file.publish(replacing: replacing) } catch { throw Self.refused(error) }
            return
        }
        defer { close(descriptor) }
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        var offset: off_t = 0
        while true {
            let count = pread(descriptor, &chunk, chunk.count, offset)
            guard count > 0 else { return }
            output.write(chunk.prefix(count))
            offset += off_t(count)
        }
    }
}

extension BytePath {
    /// Without links, where it leads somewhere.
    fileprivate var resolved: BytePath {
        withCString { path in
            guard let text = realpath(path, nil) else { return self }
            defer { free(text) }
            return BytePath(UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) })
        }
    }
}
