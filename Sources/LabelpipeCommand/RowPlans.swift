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

    /// What a run needs to know; without rows, of the document alone.
    ///
    /// **Errors.** All findings, those of the first row among them.
    func document(_ rows: Rows?) throws(Diagnostics) -> BatchDocument {
        let columns = Set(pipeline.parameters.map(\.name)).intersection(rows?.rows.first?.cells.map(\.name) ?? [])
        // Parameters that only rows set have no value yet.
        var document = BatchDocument(try pipeline.plan(settings.written, scale: settings.scale, allowsOpen: !columns.isEmpty))
        document.documents = pipeline.texts.all
        if rows != nil {
            document.perRow = { cells throws(Diagnostics) in
                BatchDocument(try pipeline.plan(RowSettings.merged(settings.written, cells, pipeline), scale: settings.scale))
            }
        }
        return document
    }
}
