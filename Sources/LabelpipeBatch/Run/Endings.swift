import Diagnostics
import Glibc
import LabelpipeWorker

/// What becomes of pictures that are not done.
extension BatchRun {
    func skip(_ place: Int, _ why: Diagnostic, seconds: Double = 0) {
        looked[place] = nil
        var ended = Ended(picture: pictures[place], status: .skipped, seconds: seconds)
        ended.findings = [why]
        teller?.end(ended)
    }

    func fail(_ place: Int, _ findings: [Diagnostic], seconds: Double = 0) {
        looked[place] = nil
        let told = findings.map { $0.code == "not-a-picture" ? withReason($0, pictures[place]) : $0 }
        teller?.end(Ended(picture: pictures[place], status: .failed, findings: told, seconds: seconds))
        exit = exit.combined(with: .failures)
        if options.stopsAtFirst { isEnding = true }
        if let most = options.mostFailures, teller?.totals.failed ?? 0 > most {
            isEnding = true
            exit = exit.combined(with: .limit)
        }
    }

    func fail(_ place: Int, _ error: OutputError) throws(Stop) {
        committed[place] = nil
        let help =
            error.code == "exists"
            ? [options.existingHelp] : []
        fail(place, [Diagnostic(error.code, message: error.message, help: help)])
        if error.stopsRun { throw Stop(.unwritable, error.message) }
    }

    /// What is called like a document was hardly meant to be drawn on.
    private func withReason(_ finding: Diagnostic, _ picture: Picture) -> Diagnostic {
        guard picture.path?.ext == BytePath("json") else { return finding }
        var finding = finding
        finding.message = "this is a document, no picture"
        finding.help.append("one document comes first, and pictures behind it: labelpipe run PIPELINE INPUT… --output DIR")
        return finding
    }

    /// Ends pictures in work without an output.
    func drop() {
        for place in (crew?.drop() ?? []).sorted() { drop(place) }
        graceEnd = .infinity
    }

    private func drop(_ place: Int) {
        for file in inWork.removeValue(forKey: place) ?? [] { file.close() }
        var ended = Ended(picture: pictures[place], status: .dropped)
        ended.findings = [Diagnostic("dropped", severity: .note, message: "the run was ended before it was done")]
        teller?.end(ended)
    }

    /// The report names every picture.
    func dropRest() {
        for place in again + waiting { drop(place) }
        again = []
        waiting = []
        while next < pictures.count {
            drop(next)
            next += 1
        }
    }

    /// The run cannot go on: what is in work is dropped, what is being named is waited for.
    func abandon() {
        guard let crew, let publisher else { return }
        for place in crew.drop().sorted() { drop(place) }
        for place in inWork.keys.sorted() { drop(place) }
        publisher.close()
        for done in publisher.takeDone() {
            do throws(Stop) { try take(done) } catch { exit = exit.combined(with: error.code) }
        }
        dropRest()
    }

    /// A second signal: nothing is waited for. What has no name yet will have none.
    func endAtOnce() {
        _ = crew?.drop()
        teller?.progress.clear()
        _exit(exit.number)
    }
}
