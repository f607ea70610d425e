import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeKit
import LabelpipeWorker
import Testing

@Suite("Many outputs, and outputs in each other's way") struct OutputsTests {
    let scratch = Scratch()

    private func document(_ paths: [String]) throws -> BatchDocument {
        let outputs = try paths.enumerated().map { index, path in
            BatchDocument.Output(
                pointer: JSONPointer.root.appending("outputs").appending(index), path: try Template(path))
        }
        return BatchDocument(takesInput: true, outputs: outputs)
    }

    // One message takes 253 descriptors.
    @Test("every output of a document is written, however many there are", arguments: [40, 253, 254, 600])
    func many(count: Int) throws {
        for index in 0..<3 { scratch.file("in/\(index).jpg", "PICTURE \(index)") }
        let trial = Trial(try document((0..<count).map { "\($0)/{name}" })) {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            $0.jobs = 3
        }
        #expect(trial.exit == .done, "\(trial.errors)")
        #expect(scratch.list("out")?.count == 3 * count)
        #expect(scratch.read("out/\(count - 1)/2.jpg") == "PICTURE 2")
    }

    @Test("more outputs than files may be open are refused before the first picture")
    func tooMany() throws {
        let picture = scratch.file("in/a.jpg")
        let outputs = (0..<400).map { #"{"node":"m","path":"\#($0)/{name}"}"# }.joined(separator: ",")
        let document = scratch.file(
            "doc.json", #"{"labelpipe":1,"nodes":{"m":{"effect":"image.source"}},"outputs":[\#(outputs)]}"#)
        let program = Program(
            ["run", document.description, picture.description, "-o", scratch.at("out").description],
            before: ["prlimit", "--nofile=256:256"])
        #expect(program.code == 6)
        #expect(program.errors.contains("400 outputs") && program.errors.contains("ulimit -n"), "\(program.errors)")
        #expect(scratch.list("out") ?? [] == [])
    }

    @Test(
        "a file for one output is no folder for another",
        arguments: [["x", "x/{name}"], ["x/{name}", "x"], ["a/b/c/{name}", "a/b"], ["{stem}", "{stem}/{name}"]])
    func folders(paths: [String]) throws {
        scratch.file("in/a.jpg")
        let trial = Trial(try document(paths)) {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            $0.existing = .overwrite
        }
        #expect(trial.exit == .usage)
        #expect(trial.errors.contains("into a folder of that name"), "\(trial.errors)")
        #expect(scratch.list("out") ?? [] == [])
    }

    @Test("names that only begin alike are no folders of each other")
    func alike() throws {
        scratch.file("in/a.jpg")
        let trial = Trial(try document(["x", "xy/{name}", "z/x", "y/x/{name}"])) {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .done, "\(trial.errors)")
        #expect(scratch.list("out") == ["x", "xy/a.jpg", "y/x/a.jpg", "z/x"])
    }

    @Test(
        "a path that no picture makes good is the document's fault, with its place",
        arguments: ["", ".", "..", "../x", "../{name}", "a/../../{name}", "{name}/", "{relative}/..", ".labelpipe/{name}", "/"])
    func badPaths(path: String) {
        let picture = scratch.file("in/a.jpg")
        let document = scratch.file(
            "doc.json", #"{"labelpipe":1,"outputs":[{"node":{"effect":"image.source"},"path":"\#(path)"}]}"#)
        let run = Program(["run", document.description, picture.description, "-o", scratch.at("out").description])
        #expect(run.code == 3)
        #expect(run.errors.contains("doc.json:1:68: error: /outputs/0/path: "), "\(run.errors)")
        let check = Program(["check", document.description])
        #expect(check.code == 1)
        #expect(check.output.contains("/path: "), "\(check.output)")
        #expect(scratch.list("out") == nil)
    }

    @Test(
        "paths whose fields may do what text may not are no fault",
        arguments: ["{relative}/{name}", "{exif.Artist|\"\"}x", ".x", "..."])
    func goodPaths(path: String) throws {
        #expect(throws: Never.self) { try document([path]).checkPaths([], file: "doc.json") }
    }
}
