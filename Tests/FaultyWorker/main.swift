// A worker whose pictures are bytes: it copies, or does what a file's name asks for. What the supervisor is tested with.
// `FaultyWorker run IN OUT [skip│overwrite│resume] [REPORT]`, and `run IN in-place [resume]`, is a supervisor over such workers, to be killed.
import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker

final class FaultyWork: PictureWork {
    func prepare(_ setup: Setup) throws(Diagnostics) {
        let document = String(decoding: setup.document, as: UTF8.self)
        if document.contains("refuse") { throw [Diagnostic("bad-value", pointer: "/output", expected: "something else")] }
        if document.contains("die at start") { raise(SIGKILL) }
    }

    func probe(_ request: ProbeRequest, source: OpenSource) throws(Diagnostics) -> ProbeReply {
        let bytes = read(source.descriptor)
        try act(source.path, phase: "probe", bytes: bytes, output: nil)
        var reply = ProbeReply()
        if bytes.starts(with: "PICTURE".utf8) { reply.format = "jpeg" }
        reply.size = PictureSize(width: 10, height: 20)
        for field in request.fields {
            // Fields are written in the "picture" as NAME=VALUE lines.
            for line in bytes.split(separator: 0x0A) where line.starts(with: Array("\(field)=".utf8)) {
                reply.fields.append((field, String(decoding: line.dropFirst(field.utf8.count + 1), as: UTF8.self)))
            }
        }
        return reply
    }

    func run(
        _ request: RunRequest, source: OpenSource?, outputs: [Int32], progress: (Phase, PictureSize?) -> Void
    ) throws(Diagnostics) -> RunReply {
        let path = source?.path ?? BytePath("none")
        let bytes = source.map { read($0.descriptor) } ?? Array("PICTURE from nothing".utf8)
        if let share = request.share, share < 100 << 20 { throw [Diagnostic(MemoryCap.needsMore, got: "\(100 << 20)")] }
        try act(path, phase: "header", bytes: bytes, output: outputs.first)
        progress(.render, PictureSize(width: 1000, height: 1000))
        try act(path, phase: "render", bytes: bytes, output: outputs.first)
        progress(.save, nil)
        try act(path, phase: "save", bytes: bytes, output: outputs.first)
        var reply = RunReply()
        reply.size = PictureSize(width: 1000, height: 1000)
        reply.boxes = [[[1, 2, 3, 4]]]
        if path.name.reversibleText.contains("warn") {
            reply.warnings = [Diagnostic("fallback-font", severity: .warning, message: "a font is not the one asked for")]
        }
        if path.name.reversibleText.contains("remark") {
            reply.warnings = [Diagnostic("thumbnail", severity: .note, message: "a thumbnail is dropped")]
        }
        if request.thumbnails {
            for (text, output) in zip(["small before", "small after"], outputs.suffix(2)) {
                try write(Array(text.utf8), to: output)
            }
        }
        for output in outputs.prefix(request.outputs.count) {
            if !path.name.reversibleText.contains("nothing") { try write(bytes, to: output) }
            // What is drawn on twice shows it.
            if path.name.reversibleText.contains("label") { try write(Array("LABEL\n".utf8), to: output) }
            reply.outputs.append(RunReply.Output(bytes: bytes.count, mode: "copy"))
        }
        return reply
    }

    func compare(
        _ request: CompareRequest, _ input: OpenSource, _ output: OpenSource, progress: (Phase, PictureSize?) -> Void
    ) throws(Diagnostics) -> CompareReply {
        var reply = CompareReply()
        reply.isIdentical = read(input.descriptor) == read(output.descriptor)
        return reply
    }

    func examine(_ request: ExamineRequest) throws(Diagnostics) -> ExamineReply { ExamineReply() }

    /// `segv-save-1.jpg`: the word before the phase says what happens in it.
    private func act(_ path: BytePath, phase: String, bytes: [UInt8], output: Int32?) throws(Diagnostics) {
        let name = path.name.reversibleText
        if name.contains("segv-\(phase)") { raise(SIGSEGV) }
        if name.contains("kill-\(phase)") { raise(SIGKILL) }
        if name.contains("exit-\(phase)") { exit(7) }
        if name.contains("starve-\(phase)") {
            let words = "GLib-ERROR **: failed to allocate 8000000000 bytes\n"
            _ = Glibc.write(2, words, words.utf8.count)
            raise(SIGTRAP)
        }
        if name.contains("trap-\(phase)") { fatalError("a trap in \(name)") }
        if name.contains("hang-\(phase)") { while true { sleep(1000) } }
        if name.contains("slow-\(phase)") { usleep(200_000) }
        if name.contains("fail-\(phase)") {
            throw [Diagnostic("damaged", pointer: "/output/1", message: "the picture is damaged")]
        }
        if name.contains("full-\(phase)") { throw [Diagnostic("disk-full", message: "no space left on the device")] }
        if name.contains("part-\(phase)"), let output {
            try write(Array(bytes.prefix(bytes.count / 2)), to: output)
            raise(SIGSEGV)
        }
    }

    private func read(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
        }
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws(Diagnostics) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, bytes.count - written) }
            guard count > 0 else {
                throw [Diagnostic(errno == ENOSPC ? "disk-full" : "unwritable", message: SystemError.last.description)]
            }
            written += count
        }
    }
}

func supervise(_ arguments: [String]) -> Int32 {
    var options = RunOptions()
    options.inputs = [BytePath(arguments[0])]
    if arguments[1] == "in-place" { options.isInPlace = true } else { options.output = BytePath(arguments[1]) }
    options.isRecursive = true
    options.jobs = 3
    switch arguments.count > 2 ? arguments[2] : "" {
    case "skip": options.existing = .skip
    case "overwrite": options.existing = .overwrite
    case "resume": options.resume = .ends
    default: break
    }
    if arguments.count > 3, arguments[3] != "-" { options.report = BytePath(arguments[3]) }
    if arguments.count > 4 { options.gallery = BytePath(arguments[4]) }
    var setup = Setup()
    setup.document = Array("{}".utf8)
    setup.date = 1_700_000_000
    var launch = Launch()
    launch.arguments = ["FaultyWorker"]
    let run = BatchRun(
        options, document: BatchDocument(takesInput: true, outputs: [.init(pointer: "/output")]), setup: setup, launch: launch,
        output: Output(descriptor: 1), errors: Output(descriptor: 2))
    return run.run().number
}

if CommandLine.arguments.count > 3, CommandLine.arguments[1] == "run" {
    exit(supervise(Array(CommandLine.arguments.dropFirst(2))))
}
exit(SupervisedWorker.serve { FaultyWork() })
