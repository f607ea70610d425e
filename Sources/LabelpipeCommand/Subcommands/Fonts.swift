import Diagnostics
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeKit
import LabelpipeWorker
import TextPlugin

extension Flag {
    static let sampleText = Flag("text", nil, .value("TEXT"), "tell which of its characters no font has")
    static let fontFile = Flag("font-file", nil, .value("FILE"), "a font file, which wins over what is installed")
    static let weight = Flag("weight", nil, .integer("N", 1...1000), "400 is regular, 700 bold")
    static let fontRows = Flag("rows", nil, .value("FILE"), "with check: a table, every row of which is tried")
}

extension Subcommand {
    static let fonts: Subcommand = Subcommand(
        name: "fonts", summary: "which face a family resolves to, and what is missing",
        arguments: "[FAMILIES…] │ check PIPELINE [--rows FILE]",
        examples: [
            "\"Helvetica Bold, sans-serif\" --text \"Ωmega ☂\"", "check Pipelines/price-tag.json --rows Pipelines/prices.csv", "",
        ],
        flags: [.sampleText, .weight, .fontFile, .fontRows, .set, .scale, .plugin, .format], operands: .wordOrFiles("check"),
        notes: [
            "FAMILIES as in text.mask's \"font\". Without any, all that are installed are named.",
            "check lays out every text of a batch before it runs. Exit code 1 if something was found.",
        ]
    ) { parsed, session throws(Stop) in
        if parsed.positional.first == BytePath("check") {
            return try FontCheck(parsed, session).run()
        }
        if parsed.has(.fontRows) { throw Stop(UsageError("--rows goes with check"), of: .fonts) }
        let lookup = try FontLookup(parsed, session)
        guard !parsed.positional.isEmpty else { return try lookup.list() }
        return try lookup.resolve(parsed.positional)
    }
}

/// `labelpipe fonts FAMILIES`.
private struct FontLookup {
    let session: Session
    let usesJSON: Bool
    let text: String?
    let weight: Int?
    let file: String?

    init(_ parsed: Parsed, _ session: Session) throws(Stop) {
        self.session = session
        usesJSON = parsed.usesJSON
        do throws(UsageError) {
            text = try parsed.text(.sampleText)
            weight = try parsed.integer(.weight)
            file = try parsed.text(.fontFile)
        } catch {
            throw Stop(error, of: .fonts)
        }
    }

    func list() throws(Stop) -> ExitCode {
        do {
            for family in try Fonts.families() {
                session.output.write(usesJSON ? json { $0.member("family", family) } : family + "\n")
            }
            return .done
        } catch {
            throw Self.stop(error)
        }
    }

    func resolve(_ lists: [BytePath]) throws(Stop) -> ExitCode {
        var code = ExitCode.done
        for list in lists.map(\.description) {
            do {
                let resolution = try Fonts.resolve(list, fontFile: file, weight: weight)
                let missing = try text.map { try Fonts.missing(in: $0, font: list, fontFile: file) } ?? []
                session.output.write(
                    usesJSON ? json { write(list, resolution, missing, to: &$0) } : page(list, resolution, missing))
                let isClean = missing.isEmpty && resolution.entries.first?.reason != .unknown
                if !isClean { code = .failures }
            } catch let error as DrawingError {
                let finding = Diagnostic(error.code, message: error.message, help: error.help.map { [$0] } ?? [])
                session.tell([finding], json: usesJSON, to: session.output)
                code = .failures
            } catch {
                throw Self.stop(error)
            }
        }
        return code
    }

    private func page(_ list: String, _ resolution: Fonts.Resolution, _ missing: [Unicode.Scalar]) -> String {
        let face = resolution.face
        var page = "\(list): \(face.name)\(face.isSyntheticBold ? ", made bold: the family has no bold face" : "")\n"
        page += "  \(face.file)\n"
        let width = resolution.entries.map(\.text.count).max() ?? 0
        for (index, entry) in resolution.entries.enumerated() {
            let isUsed = resolution.entries.firstIndex { $0.reason != .unknown } == index
            page += "  " + HelpText.padded(entry.text, to: width + 2) + Self.reason(entry, isUsed) + "\n"
        }
        if text != nil {
            page += missing.isEmpty ? "  no character is missing\n" : "  no font has \(Self.told(missing))\n"
        }
        return page
    }

    private static func reason(_ entry: Fonts.Entry, _ isUsed: Bool) -> String {
        let why =
            switch entry.reason {
            case .installed: "is installed"
            case .generic: "is a generic family, which fontconfig chooses"
            case .alias: "is not installed; fontconfig binds it to \(entry.family ?? "another")"
            case .file: "is what the font file calls itself"
            case .unknown: "is not installed"
            }
        return why + (isUsed || entry.reason == .unknown ? "" : ", for characters that those before it have not")
    }

    private static func told(_ scalars: [Unicode.Scalar]) -> String {
        scalars.map { scalar in
            let hex = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex + " \(Character(scalar))"
        }.joined(separator: ", ")
    }

    private func write(
        _ list: String, _ resolution: Fonts.Resolution, _ missing: [Unicode.Scalar], to writer: inout JSONWriter
    ) {
        writer.member("font", list)
        writer.member("face", resolution.face.name)
        writer.member("file", resolution.face.file)
        writer.member("syntheticBold", resolution.face.isSyntheticBold)
        writer.key("entries")
        writer.array { entries in
            for entry in resolution.entries {
                entries.object {
                    $0.member("text", entry.text)
                    $0.member("reason", entry.reason.rawValue)
                    if let family = entry.family { $0.member("family", family) }
                }
            }
        }
        if text != nil { writer.member("missing", missing.map { String(Character($0)) }) }
    }

    private func json(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object(body)
        writer.endLine()
        return writer.text
    }

    private static func stop(_ error: any Error) -> Stop {
        guard let error = error as? DrawingError else { return Stop(.missing, "\(error)") }
        return Stop(.missing, error.message, help: error.help.map { [$0] } ?? [])
    }
}

/// `labelpipe fonts check`: every text of a batch, before it runs.
private struct FontCheck {
    let parsed: Parsed
    let session: Session
    let usesJSON: Bool
    let source: DocumentSource
    let settings: Settings
    let rows: Rows?

    init(_ parsed: Parsed, _ session: Session) throws(Stop) {
        self.parsed = parsed
        self.session = session
        usesJSON = parsed.usesJSON
        guard parsed.positional.count == 2 else {
            throw Stop(
                UsageError(
                    "expected one document behind check, got \(parsed.positional.count - 1)",
                    help: ["labelpipe fonts check PIPELINE [--rows FILE]"]), of: .fonts)
        }
        source = try DocumentSource(reading: parsed.positional[1])
        settings = try Settings(parsed, of: .fonts)
        rows = try parsed.path(.fontRows).map { path throws(Stop) in try session.rows(path, json: parsed.usesJSON) }
    }

    func run() throws(Stop) -> ExitCode {
        let registry = try session.registry(parsed)
        let pipeline: Pipeline
        do throws(Diagnostics) {
            pipeline = try source.pipeline(registry)
        } catch {
            throw session.refusal(error, json: usesJSON)
        }
        var findings = Gathered(file: rows?.file.description ?? source.name.description)
        let all = rows?.rows ?? [Rows.Row(line: 0, cells: [])]
        if let rows {
            do throws(Diagnostics) {
                let plan = try pipeline.plan(settings.written, scale: settings.scale, allowsOpen: true)
                findings.add(RowPlans(pipeline, settings).unusedColumns(rows, plan))
            } catch {
                throw session.refusal(error, json: usesJSON)
            }
        }
        for (index, row) in all.enumerated() {
            let plan: Plan
            do throws(Diagnostics) {
                plan = try pipeline.plan(RowSettings.merged(settings.written, row.cells, pipeline), scale: settings.scale)
            } catch {
                throw session.refusal(error, json: usesJSON)
            }
            let fields = PictureFields(
                path: BytePath(row.text(Rows.input) ?? ""), relative: BytePath(""), index: index + 1, count: all.count,
                date: try RunStart.now(), row: row.cells)
            for finding in FontRehearsal.findings(plan, fields: fields) { findings.add(finding, line: row.line) }
        }
        session.tell(findings.all, json: usesJSON, to: session.output)
        if !usesJSON { session.output.line(summary(all.count, findings)) }
        return findings.isClean ? .done : .failures
    }

    private func summary(_ count: Int, _ findings: Gathered) -> String {
        let what = rows == nil ? "\(source.name)" : "\(source.name) with \(count) \(count == 1 ? "row" : "rows")"
        return findings.isClean ? "\(what): every text has its fonts" : "\(what): \(findings.problems) found"
    }
}

/// Findings of many rows, the same of several told once.
private struct Gathered {
    let file: String
    private var found: [(finding: Diagnostic, lines: [Int])] = []
    private var places: [Diagnostic: Int] = [:]

    init(file: String) { self.file = file }

    mutating func add(_ finding: Diagnostic, line: Int) {
        if let place = places[finding] {
            found[place].lines.append(line)
        } else {
            places[finding] = found.count
            found.append((finding, [line]))
        }
    }

    /// Findings about the table, at places of their own.
    mutating func add(_ findings: Diagnostics) {
        for finding in findings.all { found.append((finding, [])) }
    }

    /// Nothing but notes.
    var isClean: Bool { found.allSatisfy { $0.finding.severity == .note } }

    var problems: String {
        let count = found.count { $0.finding.severity != .note }
        return "\(count) \(count == 1 ? "problem" : "problems")"
    }

    var all: Diagnostics {
        Diagnostics(
            found.map { finding, lines in
                var finding = finding
                if let document = finding.file, document != file, let pointer = finding.pointer {
                    let place = finding.position.map { ":\($0.line):\($0.column)" } ?? ""
                    finding.message = "\(document)\(place): \(pointer): \(finding.message)"
                    (finding.pointer, finding.position) = (nil, nil)
                }
                finding.file = file
                if let line = lines.first, line > 0 {
                    finding.position = SourcePosition(line: line, column: 1, offset: 0)
                }
                let others = lines.dropFirst()
                if !others.isEmpty {
                    let shown = others.prefix(8).map(String.init).joined(separator: ", ")
                    finding.help.append("also in \(others.count == 1 ? "line" : "lines") \(shown)\(others.count > 8 ? " …" : "")")
                }
                return finding
            })
    }
}
