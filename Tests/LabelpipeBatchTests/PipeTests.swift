import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

@Suite("Documents, tables and lists from pipes") struct PipeTests {
    let scratch = Scratch()
    private static let document =
        #"{"labelpipe":1,"output":[{"effect":"shape.ellipse","size":[9,9]},{"effect":"fill.solid","color":"red"}]}"#

    private func shell(_ line: String) -> (code: Int32?, errors: String) {
        scratch.file("line.sh", line)
        let errors = scratch.at("errors").description
        unlink(errors)
        let child = Child(
            ["/usr/bin/env", "-C", scratch.path, "bash", "line.sh", Program.path], output: scratch.at("said").description,
            errors: errors)
        return (child.code, scratch.read("errors") ?? "")
    }

    @Test(
        "a FIFO that nobody writes to is refused, not waited for",
        arguments: [
            ("check fifo", 3), ("run fifo -o out", 3), ("graph fifo", 3), ("run doc.json --rows fifo -o out", 3),
            ("run --text x --from fifo -o out", 2), ("plugins check fifo", 1), ("run doc.json --plugin fifo -o out.png", 4),
        ] as [(String, Int32)])
    func refused(arguments: String, code: Int32) {
        scratch.file("doc.json", Self.document)
        let started = Clock.now
        let end = shell("mkfifo fifo; timeout 30 \"$1\" \(arguments)")
        #expect(end.code == code, "\(end.errors)")
        #expect(Clock.now - started < 20)
    }

    @Test(
        "what a shell gives by a pipe is read, however slow, and an empty one is empty at once",
        arguments: [
            "\"$1\" run <(cat doc.json) -q -o a.png", "mkfifo f; { sleep 0.2; cat doc.json; } > f & \"$1\" run f -q -o a.png",
            "mkfifo f; { cat doc.json > f; } & sleep 0.2; \"$1\" run f -q -o a.png",
            "\"$1\" run doc.json --rows <(sleep 0.2; echo name; echo x) -q -o a.png",
        ])
    func read(line: String) {
        scratch.file("doc.json", Self.document)
        let end = shell(line)
        #expect(end.code == 0, "\(end.errors)")
        #expect(scratch.list("")?.contains("a.png") == true)
        let empty = shell("\"$1\" run doc.json --rows <(true) -o out")
        #expect(empty.code == 3 && empty.errors.contains("the table is empty"), "\(empty.errors)")
    }
}
