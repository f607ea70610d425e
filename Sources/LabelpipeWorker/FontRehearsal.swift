import Diagnostics
import LabelpipeDrawing
import LabelpipeEngine
import LabelpipeKit
import Vips

/// What pictures would be told of their fonts, found before any picture is opened.
package enum FontRehearsal {
    /// Everything noted and missed about fonts while a plan's texts are laid out: first what was noted, in the plan's order.
    ///
    /// A grey picture of 1800 × 1200 stands for the input; fields that only a picture has are empty.
    /// - Cost: the layout of the texts; no pixels.
    package static func findings(_ plan: Plan, fields: PictureFields) -> [Diagnostic] {
        let notes = Notes()
        let limit = Double(PipelineWork.mostPixels)
        let job = Executor.Job(
            base: plan.takesInput ? Context.Base(width: 1800, height: 1200) : nil, missing: .empty, pixelLimit: limit,
            field: { PictureFields.knows($0) ? fields.value($0) : nil }, report: { notes.add($0) },
            source: { _ in
                try VipsRuntime.start()
                return Picture(try standIn())
            })
        let failures = DrawnLayers.mostPixels.withValue(limit) { Executor(plan).failures(of: job) }.map(Findings.finding)
        let told = notes.all.filter { isAboutFonts($0.code) }.map {
            Diagnostic($0.code, severity: $0.weight == .warning ? .warning : .note, message: $0.message)
        }
        return told + failures.filter { $0.code == Findings.notInstalled || isAboutFonts($0.code) }
    }

    /// As `text.mask` names what it notes.
    private static func isAboutFonts(_ code: String) -> Bool {
        code.hasPrefix("font") || code.hasPrefix("axis-") || code.hasPrefix("synthetic-") || code.hasSuffix("-font")
            || code == "missing-glyph"
    }

    private static func standIn() throws -> Image {
        try Image.generated(width: 1800, height: 1200, bands: 3, format: .uchar, interpretation: .srgb) { pixels in
            for row in 0..<pixels.box.height {
                pixels.row(row).initializeMemory(as: UInt8.self, repeating: 128, count: pixels.box.width * 3)
            }
        }
    }
}
