import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

@Suite("What a run says of itself") struct TellingTests {
    let scratch = Scratch()

    @Test("a warning that many pictures have is told once, with the number of the others")
    func repeatedWarnings() {
        for index in 0..<4 { scratch.file("in/\(index)-warn.jpg") }
        func run(_ isVerbose: Bool) -> String {
            Trial {
                $0.inputs = [scratch.at("in")]
                $0.output = scratch.at(isVerbose ? "named" : "out")
                $0.isVerbose = isVerbose
            }.errors
        }
        let told = run(false)
        #expect(told.contains("3 more warnings say the same of other pictures: --verbose names them"), "\(told)")
        let named = run(true)
        #expect(!named.contains("more warnings"), "\(named)")
        for index in 0..<4 { #expect(named.contains("\(index)-warn.jpg: warning: "), "\(named)") }
    }

    @Test("a note is told and no failure, a warning is one with --strict")
    func strict() throws {
        scratch.file("in/remark.jpg")
        scratch.file("in/warn.jpg")
        func run(_ adjust: (inout RunOptions) -> Void) -> (Trial, [JSONValue]) {
            let trial = Trial {
                $0.inputs = [scratch.at("in")]
                $0.output = scratch.at("out")
                $0.report = scratch.at("report")
                adjust(&$0)
            }
            let lines = (scratch.read("report") ?? "").split(separator: "\n")
            return (trial, lines.compactMap { try? JSONValue.parse(Array($0.utf8), file: "report") })
        }
        let (strict, told) = run { $0.isStrict = true }
        #expect(strict.exit == .failures)
        #expect(strict.errors.contains("1 done, 1 failed") && strict.errors.contains("; 1 note"), "\(strict.errors)")
        #expect(scratch.list("out") == ["remark.jpg"])
        let note = try #require(told.first { $0["status"]?.string == "done" })
        #expect(note["notes"]?.elements?.first?.string == "a thumbnail is dropped" && note["warnings"] == nil)
        let (_, all) = run { $0.existing = .overwrite }
        #expect(all.last?["warnings"]?.integer == 1 && all.last?["notes"]?.integer == 1)
        #expect(all.contains { $0["warnings"]?.elements?.count == 1 && $0["notes"] == nil })
    }

    @Test("a dry run says what would be, a folder that no slash asked for is told")
    func words() {
        scratch.file("in/a.jpg")
        scratch.file("in/fail-header.jpg")
        func run(_ output: String, _ adjust: (inout RunOptions) -> Void = { _ in }) -> Trial {
            Trial {
                $0.inputs = [scratch.at("in")]
                $0.output = BytePath(scratch.at(output).bytes)
                adjust(&$0)
            }
        }
        let dry = run("new") { $0.isDry = true }
        #expect(dry.errors.contains("1 would be done, 1 would fail"), "\(dry.errors)")
        #expect(run("new").errors.contains("the folder \(scratch.at("new")) was made"))
        #expect(!run("new").errors.contains("was made"))
        #expect(!run("meant/").errors.contains("was made"))
    }

    @Test("a dry run tells its pictures in the order of the inputs, whichever is ready first", arguments: [false, true])
    func order(json: Bool) {
        for name in ["a-slow-render", "b", "c-fail-render", "d", "e-slow-header", "f"] { scratch.file("in/\(name).jpg") }
        let trial = Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            $0.isDry = true
            $0.usesJSON = json
            $0.jobs = 3
        }
        #expect(trial.exit == .failures)
        let told = trial.output.split(separator: "\n").compactMap { line in
            ["a-slow-render", "b", "d", "e-slow-header", "f"].firstIndex { line.contains("/in/\($0).jpg") }
        }
        #expect(told == [0, 1, 2, 3, 4], "\(trial.output)")
    }

    @Test("a file of a kind that is not written is no folder's name", arguments: ["x.bmp", "x.PSD", "deep/x.svg"])
    func otherKinds(output: String) {
        scratch.file("in/a.jpg")
        func run(_ output: String) -> Trial {
            Trial {
                $0.inputs = [scratch.at("in/a.jpg")]
                $0.output = scratch.at(output)
            }
        }
        let trial = run(output)
        #expect(trial.exit == .usage)
        #expect(trial.errors.contains("help: formats: jpeg png"), "\(trial.errors)")
        #expect(scratch.list(output) == nil)
        #expect(run(output + "/").exit == .done)
        #expect(scratch.list(output) == ["a.jpg"])
    }
}
