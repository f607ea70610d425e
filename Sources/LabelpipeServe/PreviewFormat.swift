import Diagnostics
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker

/// The format that a run would write a document's first output in.
package enum PreviewFormat {
    /// Its extension: what the document says, else the picture's own, else `png`.
    ///
    /// **Errors.** The picture cannot be read.
    package static func ext(
        of plan: Plan, _ source: Source, standIn: BytePath?, _ worker: LoneWorker
    ) throws(Diagnostics) -> String {
        if let format = plan.path(of: 0).format { return PictureNames.ext(of: format) }
        switch source {
        case .none: return "png"
        case .path(let path):
            if let format = PictureNames.format(of: path) { return PictureNames.ext(of: format) }
            let found = try worker.probe(source).format.map(PictureNames.ext)
            // What is only read, such as SVG, is written as PNG.
            return found.flatMap { PictureNames.format(of: BytePath("x.\($0)")) == nil ? nil : $0 } ?? "png"
        case .descriptor: return standIn.flatMap(PictureNames.format).map(PictureNames.ext) ?? "jpg"
        }
    }
}
