import LabelpipeWorker

/// How long each phase of a picture may take before its worker counts as hanging. **Units.** Seconds.
///
/// Far above what work takes: a full re-encode runs at 10 megapixels a second and more on one slow core, and a deadline that is
/// hit by an honest picture on a loaded machine would be worse than a hang that lasts a minute longer.
package struct Deadlines: Sendable {
    /// `--timeout`: the most one picture may take in all; nil: by phase and megapixels.
    package var timeout: Double?
    package var header = 60.0
    package var base = 120.0
    package var perMegapixel = 3.0

    package init(timeout: Double? = nil) {
        self.timeout = timeout
    }

    /// The moment by which a phase has to be over, for a picture started and a phase entered at these moments.
    func end(of phase: Phase, size: PictureSize?, started: Double, entered: Double) -> Double {
        if let timeout { return started + timeout }
        return switch phase {
        case .header: entered + header
        case .render, .save: entered + base + perMegapixel * (size?.megapixels ?? 100)
        }
    }
}
