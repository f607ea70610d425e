import Diagnostics
import LabelpipeEngine

/// A row's cells as settings of the parameters of the same names.
package enum RowSettings {
    /// The run's settings with the row's over them. Cells are text: never expanded again.
    package static func merged(
        _ settings: [String: Pipeline.Setting], _ cells: [(name: String, text: String)], _ pipeline: Pipeline
    ) -> [String: Pipeline.Setting] {
        var merged = settings
        for parameter in pipeline.parameters {
            guard let cell = cells.first(where: { $0.name == parameter.name }) else { continue }
            // A table has no other way to say nothing: an empty cell leaves what holds without it.
            if cell.text.isEmpty { continue }
            merged[cell.name] = .cell(JSONValue(.string(cell.text)))
        }
        return merged
    }
}
