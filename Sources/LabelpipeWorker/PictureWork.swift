import Diagnostics

/// What a worker does with pictures: the engine in `labelpipe`, something simpler in tests of everything round it.
///
/// One picture at a time, always on the same thread.
package protocol PictureWork: AnyObject {
    /// Takes the document in, once, before any picture.
    ///
    /// **Errors.** All findings: the document can't be used.
    func prepare(_ setup: Setup) throws(Diagnostics)

    /// Looks at a picture without computing pixels. The source is open, a regular file, and closed by the caller.
    func probe(_ request: ProbeRequest, source: OpenSource) throws(Diagnostics) -> ProbeReply

    /// Makes a picture's outputs. `outputs` are open for reading and writing, empty, in the order of the request's, and closed
    /// by the caller; `progress` is told of each phase as it begins.
    ///
    /// **Errors.** All findings; what was written until then is thrown away.
    func run(
        _ request: RunRequest, source: OpenSource?, outputs: [Int32], progress: (Phase, PictureSize?) -> Void
    ) throws(Diagnostics) -> RunReply

    /// Draws what flows along edges. `output` is as in `run`.
    ///
    /// **Errors.** All findings.
    func view(
        _ request: ViewRequest, source: OpenSource?, output: Int32, progress: (Phase, PictureSize?) -> Void
    ) throws(Diagnostics) -> ViewReply

    /// Says in what two pictures differ. Both are open, regular files, and closed by the caller.
    func compare(
        _ request: CompareRequest, _ input: OpenSource, _ output: OpenSource, progress: (Phase, PictureSize?) -> Void
    ) throws(Diagnostics) -> CompareReply

    /// Says what is installed, and how the request's document would fare with it.
    func examine(_ request: ExamineRequest) throws(Diagnostics) -> ExamineReply
}

extension PictureWork {
    /// What has no edges cannot show any.
    package func view(
        _ request: ViewRequest, source: OpenSource?, output: Int32, progress: (Phase, PictureSize?) -> Void
    ) throws(Diagnostics) -> ViewReply {
        throw [Diagnostic("no-view", message: "this worker draws no previews")]
    }
}
