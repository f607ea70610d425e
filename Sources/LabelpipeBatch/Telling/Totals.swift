import LabelpipeWorker

/// What a run has come to so far.
package struct Totals: Sendable, Equatable {
    package var count = 0
    package var done = 0
    package var failed = 0
    package var skipped = 0
    /// In work or not begun when the run was ended.
    package var dropped = 0
    /// Files of a folder that are no pictures.
    package var ignored = 0
    /// Bytes of input of all pictures that have ended.
    package var inputBytes: Int64 = 0
    /// Of pictures that were really done.
    package var doneBytes: Int64 = 0
    package var outputBytes: Int64 = 0
    package var megapixels = 0.0
    /// What `--strict` takes for failures.
    package var warnings = 0
    /// What is worth a word and no reason to doubt the output.
    package var notes = 0
    /// What the picture that needs most is expected to need, **bytes**.
    package var mostMemory = 0
    /// Labels used again and drawn; bytes of the worker that kept most.
    package var labels = LabelCounts()

    package var ended: Int { done + failed + skipped + dropped }
}
