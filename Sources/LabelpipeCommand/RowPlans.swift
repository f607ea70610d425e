import Diagnostics
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker

/// The document's plans for the rows of a table: a column of a parameter's name sets it.
struct RowPlans {
    let pipeline: Pipeline
    let settings: Settings

    init(_ pipeline: Pipeline, _ settings: Settings) {
        self.pipeline = pipeline
        self.settings = settings
    }

    /// What a run needs to know; without rows, of the document alone. `warn` is told what is worth it.
    ///
    /// **Errors.** All findings, those of the first row among them.
    func document(_ rows: Rows?, warn: (Diagnostics) -> Void) throws(Diagnostics) -> BatchDocument {
        let columns = Set(pipeline.parameters.map(\.name)).intersection(rows?.columns ?? [])
        // Parameters that only rows set have no value yet.
        let plan = try pipeline.plan(settings.written, scale: settings.scale, allowsOpen: !columns.isEmpty)
        var findings = plan.findings
        findings.append(rows.map(unusedColumns) ?? [])
        if !findings.isEmpty { warn(findings) }
        var document = BatchDocument(plan)
        document.documents = pipeline.texts.all
        if rows != nil {
            document.perRow = { cells throws(Diagnostics) in
                BatchDocument(try pipeline.plan(RowSettings.merged(settings.written, cells, pipeline), scale: settings.scale))
            }
        }
        return document
    }

    /// Columns that set nothing and look as if they should. Others are for `{row.column}`, or for nobody.
    private func unusedColumns(_ rows: Rows) -> Diagnostics {
        let names = pipeline.parameters.map(\.name)
        var findings = Diagnostics()
        for column in rows.columns where !names.contains(column) {
            let meant = (names + [Rows.input]).first { $0.lowercased() == column.trimmed.lowercased() }
            guard let meant, !rows.columns.contains(meant) else { continue }
            findings.append(
                Diagnostic(
                    "unused-column", severity: .warning, file: rows.file.description,
                    position: SourcePosition(line: 1, column: 1, offset: 0),
                    message: meant == Rows.input
                        ? "column \(Quoted.text(column)) names no pictures" : "column \(Quoted.text(column)) sets no parameter",
                    suggestion: meant))
        }
        return findings
    }
}

extension Rows {
    /// The names that cells have, in order.
    fileprivate var columns: [String] { rows.first?.cells.map(\.name) ?? [] }
}

extension String {
    /// Spreadsheets leave blanks behind commas.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
