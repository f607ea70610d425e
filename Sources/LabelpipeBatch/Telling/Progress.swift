/// Tells on standard error how far a run is: a bar on a terminal, a line now and then elsewhere.
final class Progress {
    enum Style: Sendable {
        case bar
        case lines
        case none
    }

    private let output: Output
    private let style: Style
    private let started: Double
    private var lastShown = 0.0
    private var isBarShown = false
    /// Bytes of input of all pictures, for the time left.
    private let allBytes: Int64
    /// What is going on before the first picture: `looking at pictures`.
    private let doing: String?

    init(_ output: Output, style: Style, allBytes: Int64, doing: String? = nil) {
        self.output = output
        self.style = style
        self.allBytes = allBytes
        self.doing = doing
        started = Clock.now
        lastShown = started
    }

    /// Seconds until the next update is due.
    var patience: Double {
        switch style {
        case .bar: max(0.01, lastShown + 0.1 - Clock.now)
        case .lines: max(0.01, lastShown + 5 - Clock.now)
        case .none: 60
        }
    }

    /// Shows where things stand, if it is time.
    func update(_ totals: Totals) {
        let now = Clock.now
        switch style {
        case .none: break
        case .bar:
            guard now - lastShown >= 0.1 else { return }
            lastShown = now
            showBar(totals, now)
        case .lines:
            guard now - lastShown >= 5 else { return }
            lastShown = now
            output.line(sentence(totals, now))
        }
    }

    /// Writes a line of its own, the bar out of the way.
    func say(_ text: String) {
        clear()
        output.write(text.hasSuffix("\n") ? text : text + "\n")
    }

    /// Takes the bar away.
    func clear() {
        guard isBarShown else { return }
        output.write("\r\u{1B}[K")
        isBarShown = false
    }

    private func showBar(_ totals: Totals, _ now: Double) {
        let columns = output.columns ?? 80
        let text = sentence(totals, now)
        let room = min(30, columns - text.count - 4)
        var line = "\r"
        if room >= 8, totals.count > 0 {
            let filled = room * totals.ended / totals.count
            line += "[" + String(repeating: "█", count: filled) + String(repeating: "·", count: room - filled) + "] "
        }
        line += text.count < columns ? text : String(text.prefix(max(0, columns - 1)))
        output.write(line + "\u{1B}[K")
        isBarShown = true
    }

    /// `120/2000 pictures, 12.3/s, 150 MP/s, 2 min 30 s left, 1 failed`
    func sentence(_ totals: Totals, _ now: Double) -> String {
        var text = "\(totals.ended)/\(Figures.count(totals.count, "picture"))"
        if let doing { return "\(doing): \(text)" }
        let seconds = now - started
        if totals.done > 0, seconds > 0.2 {
            text += ", \(Figures.number(Double(totals.done) / seconds))/s"
            if totals.megapixels > 0 { text += ", \(Figures.number(totals.megapixels / seconds)) MP/s" }
            // By pixels: those of pictures not yet seen are taken from their bytes, at the ratio of those done.
            let left = allBytes - totals.inputBytes
            if totals.doneBytes > 0, left > 0 {
                text += ", \(Figures.duration(Double(left) * seconds / Double(totals.doneBytes))) left"
            }
        }
        if totals.failed > 0 { text += ", \(totals.failed) failed" }
        if totals.skipped > 0 { text += ", \(totals.skipped) skipped" }
        return text
    }

    /// `1998 done, 2 failed in 3 min 20 s (10.0/s, 120 MP/s)`; of a run that writes nothing `1998 would be done, 2 would fail in …`
    func summary(_ totals: Totals, isDry: Bool) -> String {
        let seconds = Clock.now - started
        var parts: [String] = []
        if totals.done > 0 || totals.failed + totals.skipped + totals.dropped == 0 {
            parts.append("\(totals.done) \(isDry ? "would be done" : "done")")
        }
        if totals.failed > 0 { parts.append("\(totals.failed) \(isDry ? "would fail" : "failed")") }
        if totals.skipped > 0 { parts.append("\(totals.skipped) skipped") }
        if totals.dropped > 0 { parts.append("\(totals.dropped) not done") }
        var text = parts.joined(separator: ", ") + " in \(Figures.duration(seconds))"
        if totals.done > 1, seconds > 0 {
            text += " (\(Figures.number(Double(totals.done) / seconds))/s"
            if totals.megapixels > 0 { text += ", \(Figures.number(totals.megapixels / seconds)) MP/s" }
            text += ")"
        }
        if totals.ignored > 0 { text += "; \(Figures.count(totals.ignored, "other file")) ignored" }
        if totals.warnings > 0 { text += "; \(Figures.count(totals.warnings, "warning"))" }
        if totals.notes > 0 { text += "; \(Figures.count(totals.notes, "note"))" }
        return text
    }
}
