import Diagnostics
import LabelpipeWorker

/// What has to be known of a picture before it is begun: whether an earlier run has done it, and how much memory it needs.
extension BatchRun {
    static let existsNote = Diagnostic("exists", severity: .note, message: "the output exists already")
    private static let doneNote = Diagnostic("resumed", severity: .note, message: "an earlier run has done it")

    /// What decides, beside the file itself, how a picture's outputs look.
    func key(of picture: Picture) -> String {
        RunKey.key(baseKey, picture, document, count: setup.count, isInPlace: options.isInPlace)
    }

    /// What a worker has to be asked first; nil when nothing is left to be asked.
    func lookRequest(_ place: Int) throws(OutputError) -> ProbeRequest? {
        let picture = pictures[place]
        guard looked[place] == nil, picture.path != nil, let record else { return nil }
        guard options.isInPlace else {
            return try earlier(picture) == nil ? nil : ProbeRequest(key: place, source: picture.source, hash: options.resume)
        }
        // A copy of what an earlier run has made is known by its hash alone.
        guard record.mayHaveMade(bytes: picture.size), !isMade(place) else { return nil }
        return ProbeRequest(key: place, source: picture.source, hash: .whole)
    }

    /// What lays out a picture's texts again, to see whether they would be drawn with the fonts of the earlier run; nil where
    /// nothing that is installed has changed since, or where the picture is to be drawn in any case.
    func fontsRequest(_ place: Int) throws(OutputError) -> RunRequest? {
        guard options.resume != nil, !options.isInPlace, document.drawsText, rehearsed[place] == nil else { return nil }
        guard let entry = try earlier(place), let fonts = entry.fonts, fonts.state != fontState else { return nil }
        var request = drawing(place)
        request.isDry = true
        return request
    }

    /// Ends a picture whose outputs are there, as asked for; true if it has been ended.
    func isThere(_ place: Int) throws(OutputError) -> Bool {
        let picture = pictures[place]
        if options.resume != nil {
            // In place the file itself is the output, and by now another than it was.
            if options.isInPlace {
                guard isMade(place) else { return false }
            } else {
                guard var entry = try earlier(place), hasFonts(entry, place) else { return false }
                if entry.fonts?.state != fontState, document.drawsText {
                    // The next run need not look again.
                    entry.fonts?.state = fontState
                    journal?.add(entry, input: picture.path)
                }
            }
            skip(place, Self.doneNote)
            return true
        }
        guard let tree, options.existing != .overwrite else { return false }
        for path in picture.outputs where try tree.facts(of: path) != nil {
            guard options.existing == .skip else { throw OutputError.existing(tree.path.appending(path)) }
            skip(place, Self.existsNote)
            return true
        }
        return false
    }

    /// Whether its texts would be drawn with the same fonts.
    private func hasFonts(_ entry: Journal.Entry, _ place: Int) -> Bool {
        guard document.drawsText else { return true }
        guard let fonts = entry.fonts else { return false }
        return fonts.state == fontState || rehearsed[place] == fonts.used
    }

    /// What an earlier run has recorded, if all but the fonts still agrees.
    private func earlier(_ place: Int) throws(OutputError) -> Journal.Entry? {
        let picture = pictures[place]
        guard let entry = try earlier(picture), picture.path == nil || entry.source == looked[place]?.source else { return nil }
        return entry
    }

    private func isMade(_ place: Int) -> Bool {
        let picture = pictures[place]
        guard let record, let path = picture.path, case .success(let facts) = FileFacts.of(path) else { return false }
        var file = SourceFacts(facts)
        if let source = looked[place]?.source, source.looksLike(file) { file = source }
        return record.hasMade(file, key: key(of: picture))
    }

    /// What an earlier run has recorded, if all but the hash of the input and the fonts still agrees.
    private func earlier(_ picture: Picture) throws(OutputError) -> Journal.Entry? {
        guard let record, let first = picture.outputs.first, let entry = record.entries[first],
            entry.key == key(of: picture), entry.outputs.map(\.path) == picture.outputs
        else { return nil }
        for (path, bytes) in entry.outputs {
            guard let facts = try tree?.facts(of: path), facts.kind == .file, facts.size == bytes else { return nil }
        }
        return entry
    }

    // MARK: Memory

    /// What a picture may need that nobody has looked at: one that needs more is given back by its worker and waits.
    private var share: Int? { options.memory.map { max(1, $0 / max(1, min(options.jobs, pictures.count))) } }

    /// What a picture is expected to need, or may need at most.
    private func need(_ place: Int) -> Int? { looked[place]?.memory ?? share }

    /// Whether a picture that waits for memory can be begun.
    func fits(_ place: Int) -> Bool {
        guard let limit = options.memory, let need = need(place) else { return true }
        return committed.isEmpty || committed.values.reduce(need, +) <= limit
    }

    /// Takes the memory that a picture is expected to need; false if it has to wait, or never can be begun.
    func isAdmitted(_ place: Int) throws(Stop) -> Bool {
        guard let limit = options.memory, let need = need(place) else { return true }
        guard need <= limit else {
            tooLarge += 1
            fail(
                place,
                [
                    Diagnostic(
                        "memory", message: "needs about \(Figures.bytes(need)), and --memory allows \(Figures.bytes(limit))",
                        help: ["--memory SIZE"])
                ])
            return false
        }
        guard fits(place) else {
            waiting.append(place)
            return false
        }
        committed[place] = need
        return true
    }

    /// What a worker may really take: what the others are not expected to need, and some room for a rough estimate.
    func cap(_ place: Int) -> Int? {
        guard let limit = options.memory else { return nil }
        let others = committed.reduce(0) { $0 + ($1.key == place ? 0 : $1.value) }
        return max(limit - others, committed[place] ?? 0) + Self.roomForEstimates
    }

    private static let roomForEstimates = 128 << 20

    /// A picture that needs more than its share waits until it can have that; true if that is what a worker said.
    func waitsForMemory(_ place: Int, _ findings: Diagnostics) -> Bool {
        guard let finding = findings.all.first, finding.code == MemoryCap.needsMore, let need = finding.got.flatMap({ Int($0) })
        else { return false }
        var reply = ProbeReply()
        reply.memory = need
        looked[place] = reply
        waiting.append(place)
        return true
    }
}
