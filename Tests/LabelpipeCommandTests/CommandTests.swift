import Diagnostics
import Glibc
import Labelpipe
import LabelpipeBatch
import LabelpipeCommand
import LabelpipeWorker
import Testing

/// One command line, in this process.
struct Transcript {
    let code: Int32
    let output: String
    let errors: String

    init(_ arguments: String..., bytes: [[UInt8]] = [], worker: BytePath? = nil) {
        let output = Output()
        let errors = Output()
        var launch = Launch()
        launch.executable = worker ?? Built.binary
        let command = Command(plugins: { bundledPlugins }, output: output, errors: errors, launch: launch)
        code = command.run(arguments.map { Array($0.utf8) } + bytes).number
        self.output = String(decoding: output.collected, as: UTF8.self)
        self.errors = String(decoding: errors.collected, as: UTF8.self)
    }
}

@Suite("The command line") struct CommandTests {
    @Test("help is on standard output, an example first, and wrong use on standard error")
    func help() {
        let help = Transcript("--help")
        #expect(help.code == 0)
        #expect(help.output.contains("labelpipe run --text"))
        #expect(help.errors.isEmpty)
        let nothing = Transcript()
        #expect(nothing.code == 2)
        #expect(nothing.output.isEmpty)
        #expect(nothing.errors.contains("commands"))
        for subcommand in Subcommand.all {
            let page = Transcript(subcommand.name, "--help")
            #expect(page.code == 0)
            #expect(page.output.hasPrefix("labelpipe \(subcommand.name): "), "\(page.output)")
            #expect(help.output.contains("  \(subcommand.name)"))
            let lines = page.output.split(separator: "\n", omittingEmptySubsequences: false)
            // One screen, an example before all else; the rest is the manual's.
            #expect(lines.count <= (subcommand.name == "run" ? 40 : 24), "\(page.output)")
            #expect(lines.allSatisfy { $0.count <= 110 }, "\(page.output)")
            #expect(lines[2].hasPrefix("  labelpipe \(subcommand.name)"))
            for flag in subcommand.allFlags { #expect(page.output.contains("--\(flag.name)")) }
        }
        #expect(help.output.split(separator: "\n").count <= 24)
    }

    @Test("the version")
    func version() {
        #expect(Transcript("--version").output == "labelpipe \(Version.text)\n")
    }

    @Test(
        "what was probably meant is said",
        arguments: [
            (["rnu"], "did you mean \"run\"?"), (["run", "--ouput", "x"], "did you mean \"--output\"?"),
            (["run", "--out", "x"], "did you mean \"--output\"?"),
            (["run", "--limit", "3"], "flags that begin so: --limit-pixels --limit-frames"),
            (["run", "--owner=Cleo", "x"], "where the document has a parameter of that name: --set owner=Cleo"),
            (["doctor", "--zzz"], "doctor --help"),
            (["check", "--file", "x"], "--set file=…"), (["chekc"], "did you mean \"check\"?"),
            (["validate"], "did you mean \"check\"?"),
            (["efects"], "did you mean \"effects\"?"), (["run", "--force", "x"], "did you mean \"--overwrite\"?"),
            (["run", "--threads", "2", "x"], "did you mean \"--jobs\"?"),
            (["describe", "stroke"], "did you mean \"stroke.outline\"?"),
            (["describe", "text.mask", "fontSize"], "did you mean \"size\"?"), (["effects", "vpis"], "names them all"),
            (["new", "piepline", "a"], "did you mean \"pipeline a\"?"), (["plugins", "chek", "x"], "did you mean \"check x\"?"),
            (["man", "run"], "it takes no argument"), (["run", "-j0", "x"], "expected a whole number from 1 to 4096, got \"0\""),
            (["run", "-output", "x"], "did you mean \"--output\"?"), (["run", "--text", "-j0"], "--output"),
            (["run", "--progress", "palin", "x"], "did you mean \"plain\"?"),
            (["describe", "shadow.dorp"], "did you mean \"shadow.drop\"?"),
            (["describe", "shadow.drop", "blurr"], "did you mean \"blur\"?"), (["describe"], "no effect was given"),
            (["describe", "image.source", "--render", "x.png"], "--on FILE names one"),
            (["completions", "fsh"], "did you mean \"fish\"?"), (["fonts", "--txet", "x"], "did you mean \"--text\"?"),
            (["run", "-d.png"], "./-d.png"), (["run", "--jobs", "0", "x"], "expected a whole number from 1 to 4096, got \"0\""),
            (["run", "--jobs"], "missing argument for"), (["run", "--set", "novalue", "x"], "expected NAME=VALUE"),
            (["run", "a.json", "--output", "a", "--output", "b"], "given 2 times"),
        ])
    func meant(arguments: [String], message: String) {
        let output = Output()
        let errors = Output()
        let code = Command(plugins: { bundledPlugins }, output: output, errors: errors).run(arguments.map { Array($0.utf8) })
        #expect(code == .usage)
        #expect(
            String(decoding: errors.collected, as: UTF8.self).contains(message),
            "\(String(decoding: errors.collected, as: UTF8.self))")
        #expect(output.collected.isEmpty)
    }

    @Test("effects, describe and schema come from the declarations")
    func catalogue() {
        let list = Transcript("effects")
        for plugin in bundledPlugins {
            for effect in plugin.effects { #expect(list.output.contains(effect.declaration.id)) }
        }
        let page = Transcript("describe", "shadow.drop").output
        for fact in [
            "a length from 0px to 4096px, default 0.1em, else 4px", "percents of the picture", "labelpipe\": 1", "--render FILE",
        ] {
            #expect(page.contains(fact), "\(page)")
        }
        let part = Transcript("describe", "shadow.drop", "blur").output
        #expect(part.contains("blur radius") && !part.contains("caster") && !part.contains("Example"), "\(part)")
        #expect(Transcript("schema").output.contains("\"$schema\""))
        #expect(Transcript("effects", "--format", "json").output.hasPrefix("{\"effect\":"))
    }

    @Test("the embedded document is the one in Pipelines")
    func bundled() throws {
        let file = URLless.root.appending(BytePath("Pipelines/watermark.json"))
        #expect(Transcript("run", "--print-pipeline").output == URLless.read(file))
        #expect(Transcript("check", file.description).code == 0)
        #expect(Transcript("graph", file.description).output.contains("layout.place"))
        #expect(Transcript("graph", file.description, "--format", "dot").output.contains("digraph"))
    }

    @Test("check finds everything, exit 1; run refuses the same document, exit 3")
    func findings() throws {
        let scratch = URLless.scratch(
            """
            {
              "labelpipe": 1,
              "output": [
                { "effect": "image.source" },
                { "effect": "layout.place", "label": [ { "effect": "text.msak", "text": "a" } ] }
              ]
            }
            """)
        defer { unlink(scratch.description) }
        let check = Transcript("check", scratch.description)
        #expect(check.code == 1)
        #expect(check.output.contains("did you mean \"text.mask\"?"), "\(check.output)")
        let run = Transcript("run", scratch.description, "nothing.jpg", "--output", "/tmp/labelpipe-never")
        #expect(run.code == 3)
        #expect(run.errors == check.output)
        let json = Transcript("check", scratch.description, "--format", "json")
        #expect(json.output.contains("\"suggestion\":\"text.mask\""))
        #expect(Transcript("run", "/nowhere.json", "x.jpg", "--output", "/tmp/labelpipe-never").code == 3)
    }

    @Test("documents that a document uses go to the workers as they were read: changing the files changes nothing any more")
    func subDocuments() {
        var template = Array("/tmp/labelpipe-test-XXXXXX".utf8CString)
        let folder = BytePath(String(cString: mkdtemp(&template)!))
        let label = #"{"labelpipe":1,"output":[{"effect":"shape.ellipse","size":[20,20]},{"effect":"fill.solid","color":"red"}]}"#
        URLless.write(label, to: folder.appending(BytePath("label.json")))
        let document = folder.appending(BytePath("doc.json"))
        URLless.write(#"{"labelpipe":1,"output":[{"effect":"label.json"}]}"#, to: document)
        // Workers find the file gone.
        let script = folder.appending(BytePath("worker.sh"))
        let binary = Built.binary.description
        URLless.write("#!/bin/sh\nrm -f '\(folder)/label.json'\nexec '\(binary)' worker\n", to: script)
        chmod(script.description, 0o755)
        let output = folder.appending(BytePath("out.png"))
        let run = Transcript("run", document.description, "--output", output.description, worker: script)
        #expect(run.code == 0, "\(run.errors)")
        #expect(access("\(folder)/label.json", F_OK) != 0)
        #expect(Transcript("run", document.description, "--output", output.description, "--overwrite").code == 3)
        for name in ["doc.json", "worker.sh", "out.png"] { unlink("\(folder)/\(name)") }
        rmdir(folder.description)
    }

    @Test("doctor names versions, faults, abilities and limits; as JSON too")
    func doctor() throws {
        let page = Transcript("doctor")
        #expect(page.code == 0, "\(page.output)")
        for word in [
            "libvips", "pango", "known faults", "jpeg", "O_TMPFILE", "openat2", "--memory", "open files", "nothing is missing",
        ] {
            #expect(page.output.contains(word), "\(word)")
        }
        let json = try JSONValue.parse(Array(Transcript("doctor", "--format", "json").output.utf8), file: "doctor")
        #expect(json["missing"]?.elements?.isEmpty == true)
        let nowhere = Transcript("doctor", "/nowhere")
        #expect(nowhere.code == 4)
        #expect(nowhere.output.contains("missing: the folder /nowhere"), "\(nowhere.output)")
    }

    @Test("completions and the manual page know every flag")
    func shells() {
        for shell in ["bash", "zsh", "fish"] { #expect(Transcript("completions", shell).output.contains("skip-existing")) }
        #expect(Transcript("completions", "csh").code == 2)
        let page = Transcript("man").output
        #expect(page.hasPrefix(".TH LABELPIPE 1"))
        #expect(page.contains("skip\\-existing"))
    }
}

/// Where the program lies.
enum Built {
    /// Entries of a folder.
    static func count(_ folder: BytePath) -> Int {
        guard let directory = opendir(folder.description) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    static var binary: BytePath {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        return BytePath(path.prefix(count).map { UInt8(bitPattern: $0) }).folder.appending(BytePath("labelpipe"))
    }
}

/// Files, without Foundation.
enum URLless {
    static func write(_ content: String, to path: BytePath) {
        let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o644) }
        _ = Glibc.write(descriptor, content, content.utf8.count)
        close(descriptor)
    }

    /// The package's folder.
    static var root: BytePath { BytePath("\(#filePath)").folder.folder.folder }

    static func read(_ path: BytePath) -> String? {
        let descriptor = path.withCString { open($0, O_RDONLY) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// A file of its own with this content.
    static func scratch(_ content: String) -> BytePath {
        var template = Array("/tmp/labelpipe-test-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        _ = Glibc.write(descriptor, content, content.utf8.count)
        close(descriptor)
        return BytePath(template.dropLast().map { UInt8(bitPattern: $0) })
    }
}
