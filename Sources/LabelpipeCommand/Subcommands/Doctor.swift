import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker

extension Subcommand {
    static let doctor: Subcommand = Subcommand(
        name: "doctor", summary: "what is installed here, its known faults, what this folder and machine allow",
        arguments: "[FOLDER]", examples: ["", "marked/"], flags: [.format], operands: .files,
        notes: ["FOLDER: where outputs are to go; else the working folder. Exit code 4 if something needed is missing."]
    ) { parsed, session throws(Stop) in
        guard parsed.positional.count <= 1 else { throw Stop(UsageError("expected one folder at most"), of: .doctor) }
        let folder = parsed.positional.first ?? BytePath(".")
        var page = DoctorPage()
        page.add("labelpipe", [("version", Version.text)])
        do throws(Stop) {
            try page.addInstalled(session)
        } catch {
            page.problems.append(error.message)
        }
        page.addFolder(folder)
        page.addLimits()
        if parsed.usesJSON { session.output.write(page.json) } else { session.output.write(page.text) }
        return page.problems.isEmpty ? .done : .missing
    }
}

/// What `doctor` found.
private struct DoctorPage {
    private struct Section {
        let title: String
        let lines: [(name: String, value: String)]
    }

    private var sections: [Section] = []
    var problems: [String] = []

    mutating func add(_ title: String, _ lines: [(String, String)]) {
        sections.append(Section(title: title, lines: lines.map { (name: $0.0, value: $0.1) }))
    }

    /// What a worker process finds.
    mutating func addInstalled(_ session: Session) throws(Stop) {
        var request = ExamineRequest()
        request.document = BundledPipelines.watermark
        let reply: ExamineReply
        switch try Question.examine(request, launch: session.launch) {
        case .success(let found): reply = found
        case .failure(let findings):
            problems += findings.all.map(\.message)
            return
        }
        add("libraries", reply.libraries.map { ($0.name, $0.version) })
        add("known faults", reply.faults.map { ($0.library, $0.text) })
        add(
            "formats",
            reply.codecs.map { codec in
                let reads = codec.reads ? codec.isAsked ? "read with --allow" : "read" : ""
                let both = [reads, codec.writes ? "written" : ""].filter { !$0.isEmpty }
                return (
                    codec.format,
                    both.isEmpty ? "neither read nor written: its codec is not installed" : both.joined(separator: ", ")
                )
            })
        for format in ["jpeg", "png"] where !reply.codecs.contains(where: { $0.format == format && $0.reads && $0.writes }) {
            problems.append("libvips cannot read and write \(format)")
        }
        let fonts = FontFolders.count
        add(
            "fonts",
            [
                ("files", "\(fonts.files) in \(fonts.folders) folders"),
                ("default", reply.findings.isEmpty ? "the bundled document finds its fonts" : reply.findings[0].message),
            ])
        problems += reply.findings.filter { $0.severity == .error }.map(\.message)
    }

    mutating func addFolder(_ folder: BytePath) {
        do throws(SystemError) {
            let abilities = try FolderAbilities(of: folder)
            var lines = abilities.trials.map { trial in
                (trial.name, trial.failure.map { "no (\($0)): \(trial.without)" } ?? "yes")
            }
            lines.append(("upper and lower case", abilities.foldsCase ? "one name" : "two names"))
            lines.append(("free", Self.size(Int(abilities.free))))
            add("folder \(folder)", lines)
        } catch {
            add("folder \(folder)", [("cannot be opened", error.description)])
            problems.append("the folder \(folder) cannot be opened: \(error)")
        }
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var status = statvfs()
        let space =
            statvfs(temporary, &status) == 0 ? Self.size(Int(status.f_bavail) * Int(status.f_frsize)) + " free" : "missing"
        add("temporary files", [(temporary, space)])
    }

    mutating func addLimits() {
        func limit(_ resource: __rlimit_resource, isSize: Bool) -> String {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(Int.max) else {
                return "none"
            }
            return isSize ? Self.size(Int(limit.rlim_cur)) : "\(limit.rlim_cur)"
        }
        let memory = Memory.usable
        add(
            "limits in force",
            [
                ("--jobs", "\(Cores.count), the cores that may be used"),
                ("--memory", memory.map { "\(Self.size($0)), three quarters of what there is" } ?? "unknown"),
                ("one worker", memory.map { "at most \(Self.size($0)) for one picture" } ?? "no cap"),
                ("--limit-pixels", "2 gigapixels; TIFF: none"), ("--limit-frames", "10 000"),
                ("--timeout", "60 s for a header; 120 s and 3 s a megapixel to draw, and again to save"),
                ("open files", limit(RLIMIT_NOFILE, isSize: false)), ("address space", limit(RLIMIT_AS, isSize: true)),
                ("data", limit(RLIMIT_DATA, isSize: true)), ("file size", limit(RLIMIT_FSIZE, isSize: true)),
            ])
    }

    private static func size(_ bytes: Int) -> String {
        bytes >= 10 << 30 ? "\(bytes >> 30) GB" : "\(bytes >> 20) MB"
    }

    var text: String {
        var text = ""
        for section in sections where !section.lines.isEmpty {
            text += "\(section.title)\n"
            let width = min(44, section.lines.map(\.name.count).max() ?? 0)
            for line in section.lines { text += "  " + HelpText.padded(line.name, to: width + 2) + line.value + "\n" }
        }
        return text + (problems.isEmpty ? "nothing is missing\n" : problems.map { "missing: \($0)\n" }.joined())
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object {
            for section in sections {
                $0.key(section.title)
                // A name may come twice (a library's faults).
                $0.array { list in
                    for line in section.lines {
                        list.array {
                            $0.string(line.name)
                            $0.string(line.value)
                        }
                    }
                }
            }
            $0.member("missing", problems)
        }
        writer.endLine()
        return writer.bytes
    }
}
