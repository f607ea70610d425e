import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

@Suite("Engines drive the program by the scripts of the documentation, and by job lines") struct EngineTests {
    let scratch = Scratch()

    private static var root: BytePath { BytePath("\(#filePath)").folder.folder.folder }

    /// Runs a script of the documentation over six pictures, `labelpipe` on the path.
    private func run(_ script: String, environment: [String] = [], _ output: String) -> Int32? {
        if scratch.list("in") == nil {
            scratch.folder(scratch.at("in"))
            for index in 0..<6 { Samples.picture(scratch.at("in/a \"\(index)\".jpg"), seed: index + 1) }
            scratch.folder(scratch.at("bin"))
            symlink(Program.path, scratch.at("bin/labelpipe").description)
        }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return Child(
            ["/usr/bin/env", "PATH=\(scratch.path)/bin:\(path)"] + environment + [
                Self.root.appending(BytePath("Documentation/engines/\(script)")).description,
                Self.root.appending(BytePath("Pipelines/watermark.json")).description, scratch.at("in").description,
                scratch.at(output).description,
            ], output: scratch.at("said").description
        ).code
    }

    @Test("xargs, GNU parallel and a Slurm array's tasks give the same bytes as one run")
    func same() {
        #expect(run("xargs.sh", "xargs") == 0)
        #expect(run("parallel.sh", "parallel") == 0, "is GNU parallel installed?")
        let verdicts = (scratch.read("said") ?? "").split(separator: "\n")
        #expect(verdicts.count { $0.contains("\"status\":\"done\"") } == 6, "\(verdicts)")
        for task in 0..<3 {
            // What Slurm sets for `--array=0-2`.
            let code = run(
                "slurm.sh", environment: ["SLURM_ARRAY_TASK_ID=\(task)", "SLURM_ARRAY_TASK_MIN=0", "SLURM_ARRAY_TASK_COUNT=3"],
                "slurm")
            #expect(code == 0)
        }
        let whole = Program.run(
            "run", Self.root.appending(BytePath("Pipelines/watermark.json")).description, scratch.at("in").description, "-o",
            scratch.at("whole").description)
        #expect(whole.code == 0, "\(whole.errors)")
        for name in scratch.list("whole") ?? [] {
            let bytes = Program.bytes(scratch.at("whole/\(name)").description)
            for engine in ["xargs", "parallel", "slurm"] {
                #expect(bytes == Program.bytes(scratch.at("\(engine)/\(name)").description), "\(engine) \(name)")
            }
        }
        #expect(scratch.list("whole")?.count == 6)
    }

    private func worker(_ jobs: String, _ more: String...) -> Program {
        Program(["worker"] + more, input: scratch.file("jobs", jobs).description)
    }

    @Test("one verdict a line, whatever the line is; one output may be made again and again")
    func lines() {
        let document = scratch.file(
            "doc.json",
            #"{"labelpipe":1,"parameters":{"n":{"type":"number","default":9}},"output":[{"effect":"shape.ellipse","size":["$n","$n"]},{"effect":"fill.solid","color":"red"}]}"#
        ).description
        let output = scratch.at("out.png").description
        func job(_ rest: String) -> String { #"{"pipeline":"\#(document)","output":"\#(output)",\#(rest)}"# + "\n" }
        #expect(worker(job(#""key":1"#)).report.first?["status"]?.string == "done")
        let verdicts = worker(
            job(#""key":2"#) + job(#""key":3,"overwrite":true,"set":{"n":20}"#)
                + job(#""key":4,"overwrite":true,"set":{"n":30}"#) + "\n\nno json\n" + "[1]\n" + job(#""key":5,"ouput":1"#)
                + job(#""key":6,"input":"x.jpg"#) + job(#""key":7,"set":{"n":"x"}"#)
                + #"{"key":8,"pipeline":"/nowhere.json","output":"x/"}"#, "--ordered", "--jobs", "2")
        #expect(verdicts.code == 0, "\(verdicts.errors)")
        let report = verdicts.report
        #expect(report.count == 9, "\(verdicts.output)")
        let states = report.map { $0["status"]?.string ?? "" }
        #expect(states == ["failed", "done", "done"] + [String](repeating: "failed", count: 6), "\(verdicts.output)")
        #expect(report.first { $0["key"]?.integer == 2 }?["message"]?.string?.contains("exists already") == true)
        #expect(report.allSatisfy { $0["status"]?.string == "done" || $0["code"]?.string != nil })
    }
}
