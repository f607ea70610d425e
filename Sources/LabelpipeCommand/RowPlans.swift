import Diagnostics
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker

/// The document's plans for the rows of a table: a column of a parameter's name sets it.
struct RowPlans {
    let pipeline: Pipeline
    let settings: Settings
    /// `--missing-field empty`.
    let forgivesMissing: Bool
    /// `--strict`: a column that looks as if it should set something would leave every picture with something else.
    let isStrict: Bool

    init(_ pipeline: Pipeline, _ settings: Settings, forgivesMissing: Bool = false, isStrict: Bool = false) {
        (self.pipeline, self.settings) = (pipeline, settings)
        (self.forgivesMissing, self.isStrict) = (forgivesMissing, isStrict)
    }

    /// What a run needs to know; without rows, of the document alone. `warn` is told what is worth it.
    ///
    /// **Errors.** All findings, those of the first row among them.
    func document(_ rows: Rows?, warn: (Diagnostics) -> Void) throws(Diagnostics) -> BatchDocument {
        let columns = Set(pipeline.parameters.map(\.name)).intersection(rows?.columns ?? [])
        // Parameters that only rows set have no value yet.
        let plan = try pipeline.plan(
            settings.written, scale: settings.scale, allowsOpen: !columns.isEmpty, isLast: rows == nil)
        Session.keep(plan)
        var findings = plan.findings
        if let rows {
            let unused = unusedColumns(rows, plan)
            if unused.hasErrors { throw unused }
            findings.append(unused)
            findings.append(emptyCells(rows))
            let missing = missingColumns(rows, plan, setting: columns)
            if missing.hasErrors { throw missing }
            findings.append(missing)
        }
        if !findings.isEmpty { warn(findings) }
        var document = BatchDocument(plan)
        document.documents = pipeline.texts.all
        if rows != nil {
            // A row may let in a step that is left out without it.
            document.drawsText = true
            document.perRow = { cells throws(Diagnostics) in
                BatchDocument(try pipeline.plan(RowSettings.merged(settings.written, cells, pipeline), scale: settings.scale))
            }
        }
        return document
    }

    /// Fields of rows that the table has no column for: every row would fail of it where nothing else can be drawn.
    private func missingColumns(_ rows: Rows, _ plan: Plan, setting columns: Set<String>) -> Diagnostics {
        guard !rows.rows.isEmpty else { return [] }
        let needed = plan.neededFields(settingAside: columns)
        var findings = Diagnostics()
        for field in plan.fields where field.hasPrefix("row.") {
            let name = String(field.dropFirst("row.".count))
            if rows.columns.contains(name) { continue }
            let meant = Suggestions.nearest(to: name, in: rows.columns)
            let isError = needed.contains(field) && !forgivesMissing
            guard isError || meant != nil else { continue }
            findings.append(
                Diagnostic(
                    "missing-column", severity: isError ? .error : .warning, file: rows.file.description,
                    position: rows.position(of: meant ?? ""),
                    message: "no column is called \(Quoted.text(name)): {\(field)} has no text",
                    help: ["the table's columns: \(rows.columns.map { Quoted.text($0) }.joined(separator: ", "))"],
                    suggestion: meant.map { "{row.\($0)}" }))
        }
        return findings
    }

    /// Columns with empty cells, which say nothing: what a parameter is there.
    private func emptyCells(_ rows: Rows) -> Diagnostics {
        var findings = Diagnostics()
        for parameter in pipeline.parameters where rows.columns.contains(parameter.name) {
            let lines = rows.rows.filter { $0.text(parameter.name) == "" }.map(\.line)
            let isSet = settings.written[parameter.name] != nil
            // Without anything else it is an error at the row.
            guard let first = lines.first, isSet || !parameter.isRequired else { continue }
            let holds =
                if isSet {
                    "what --set \(parameter.name) gives holds"
                } else {
                    parameter.defaultText.map { "the default, \(Quoted.text($0)), holds" } ?? "the parameter is absent"
                }
            findings.append(
                Diagnostic(
                    "empty-cells", severity: .note, file: rows.file.description, position: rows.position(of: parameter.name),
                    message:
                        "column \(Quoted.text(parameter.name)) is empty in \(lines.count == 1 ? "1 row" : "\(lines.count) rows"), "
                        + "first in line \(first): \(holds) there"))
        }
        return findings
    }

    /// Columns that set nothing and that no template asks for: a warning where one looks as if it should, or where the whole
    /// table says nothing to the document; else a note, since tables often hold more.
    func unusedColumns(_ rows: Rows, _ plan: Plan) -> Diagnostics {
        let names = pipeline.parameters.map(\.name)
        let fields = Set(plan.fields)
        func isUsed(_ column: String) -> Bool {
            names.contains(column) || fields.contains("row.\(column)") || pipeline.mentions(field: "row.\(column)")
        }
        let unused = rows.columns.filter { !isUsed($0) && $0 != Rows.input }
        guard let first = unused.first else { return [] }
        func finding(_ severity: Diagnostic.Severity, _ column: String, _ message: String) -> Diagnostic {
            Diagnostic(
                "unused-column", severity: severity, file: rows.file.description, position: rows.position(of: column),
                message: message)
        }
        let open = names.filter { !rows.columns.contains($0) }
        var findings = Diagnostics()
        for column in unused {
            // Tables are made for other things too: that a column is called nearly as a parameter has to be nearly sure.
            guard let meant = Suggestions.slip(of: column.trimmed, in: open) else { continue }
            var found = finding(isStrict ? .error : .warning, column, "column \(Quoted.text(column)) sets no parameter")
            found.suggestion = meant
            findings.append(found)
        }
        guard findings.isEmpty else { return findings }
        let told = unused.prefix(8).map { Quoted.text($0) }.joined(separator: ", ") + (unused.count > 8 ? " …" : "")
        if !names.isEmpty, !rows.columns.contains(where: isUsed) {
            var found = finding(isStrict ? .error : .warning, first, "no column sets a parameter: the table has \(told)")
            found.help = [
                "parameters of \(plan.title.map { Quoted.text($0) } ?? "the document"): \(names.joined(separator: " "))"
            ]
            return [found]
        }
        let verb = unused.count == 1 ? "column \(told) sets" : "columns \(told) set"
        return [finding(.note, first, "\(verb) no parameter, and no template asks for \(unused.count == 1 ? "it" : "them")")]
    }
}

extension String {
    /// Spreadsheets leave blanks behind commas.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
