import Diagnostics
import LabelpipeWorker

/// Before the first pixel: which pictures, where their outputs go, and that none is in another's way.
extension BatchRun {
    func prepare() throws(Stop) {
        let list = try listed()
        pictures = list.pictures
        if pictures.isEmpty { try refuseWrongRows() }
        let destination: Destination
        if options.isCheck {
            destination = Destination.checked
        } else if options.isInPlace {
            destination = try Destination(inPlaceOf: pictures, outputs: document.outputs.count)
        } else {
            destination = try Destination(
                options.output, pictures: pictures.count, outputs: document.outputs.count, hasFolder: list.hasFolder)
        }
        self.destination = destination
        if options.resume != nil {
            guard destination.hasJournal else {
                throw Stop(.usage, "--resume needs a folder as --output: what was done is recorded there")
            }
            let record =
                try options.isInPlace
                ? Journal.Record(inPlaceOf: pictures.compactMap(\.path), homes: Set(pictures.compactMap(\.home)))
                : Journal.Record(of: destination.folder)
            // The run's start, which templates may write, is that of the run that is resumed.
            if let date = record.date { setup.date = date }
            self.record = record
        }
        let teller = Teller(options, output: output, errors: errors, folder: destination.prefix)
        self.teller = teller
        let ignored = try look(list.doubtful, destination)
        guard !pictures.isEmpty else {
            let others = ignored > 0 ? " (\(Figures.count(ignored, "other file")) ignored)" : ""
            throw Stop(
                .usage, "no picture was found\(others)", help: options.isRecursive ? [] : ["--recursive looks into subfolders"])
        }
        switch destination.kind {
        case .standardOutput: break
        case .inPlace: try OutputPlan.checkInPlace(pictures)
        case .folder, .file:
            try OutputPlan.check(pictures, folder: destination.folder)
            if !options.isCheck { tree = OutputTree(destination.folder, run: runName) }
        }
        try checkToldFiles(destination)
        try teller.openReport()
        takeShard()
        baseKey = RunKey.base(setup, document, isInPlace: options.isInPlace)
        if document.drawsText, destination.hasJournal, !options.isInPlace { fontState = FontFolders.state }
        teller.begin(pictures.map(\.index), ignored: ignored, bytes: pictures.reduce(0) { $0 + $1.size })
        try openJournal(destination)
        if let path = options.gallery {
            let heading = Gallery.Heading(
                title: document.title ?? setup.file.description, document: setup.file.description, output: destination.prefix,
                date: setup.date, version: setup.version)
            try teller.openGallery(path, heading, run: runName)
        }
    }

    private func openJournal(_ destination: Destination) throws(Stop) {
        guard destination.hasJournal, !options.isDry, let first = pictures.first else { return }
        if options.isInPlace {
            let journals = InPlaceJournals(run: runName, shard: options.shard.name, date: setup.date)
            // That it can be written is known before the first pixel.
            if let home = first.home { _ = try journals.journal(in: home) }
            inPlaceJournals = journals
            return
        }
        let folder: OpenFolder?
        do throws(OutputError) {
            folder = try (tree ?? OutputTree(destination.folder, run: runName)).folder(BytePath(""), making: true)
        } catch {
            throw Stop(.unwritable, error.message)
        }
        if let folder { journal = try Journal(in: folder, shard: options.shard.name, date: setup.date) }
    }

    /// What was named, in order.
    private func listed() throws(Stop) -> InputList {
        var list = InputList()
        list.isRecursive = options.isRecursive
        list.included = options.included.map(Glob.init)
        list.excluded = options.excluded.map(Glob.init)
        if let output = options.output, case .success(let facts) = FileFacts.of(output) { list.outputFolder = facts.identity }
        let isGiven = !options.inputs.isEmpty || !options.lists.isEmpty
        if let rows = options.rows {
            guard !isGiven else { throw Stop(.usage, "pictures come from --rows or from the command line, not from both") }
            try add(rows, to: &list)
            return list
        }
        guard document.takesInput else {
            guard !isGiven else {
                let first = options.inputs.first?.description ?? "a list"
                throw Stop(.usage, "the document takes no picture: it has no image.source, and \(first) was given")
            }
            list.add(Picture(source: .none))
            return list
        }
        guard isGiven else { throw Stop(.usage, "no picture was given", help: ["labelpipe run PIPELINE INPUT… --output DIR"]) }
        for input in options.inputs {
            if input == BytePath("-") { list.add(Picture(source: .descriptor)) } else { list.add(input) }
        }
        for from in options.lists {
            for path in InputList.paths(in: from.bytes, closedByNUL: from.closedByNUL) { list.addListed(path) }
        }
        return list
    }

    /// A picture a row; relative ones lie beside the table.
    private func add(_ rows: Rows, to list: inout InputList) throws(Stop) {
        if document.takesInput, !rows.rows.isEmpty, !rows.columns.contains(Rows.input) { throw rows.withoutInput }
        for row in rows.rows {
            let cell = row.text(Rows.input)
            var picture: Picture
            if document.takesInput {
                guard let cell, !cell.isEmpty else {
                    wrongRows.append((row.line, "the row has no \"\(Rows.input)\", the column with the picture"))
                    continue
                }
                let path = BytePath(reversible: cell)
                picture = InputList.listed(path.isAbsolute ? path : rows.file.folder.appending(path))
                if !path.isAbsolute, !rows.file.folder.isEmpty {
                    picture.trouble?.help.append("paths in a table are beside it, in \(rows.file.folder)")
                }
            } else {
                guard cell == nil else {
                    throw Stop(.usage, "\(rows.file):\(row.line): the document takes no picture, and the row names one")
                }
                picture = Picture(source: .none)
            }
            picture.row = row.cells
            picture.line = row.line
            list.add(picture)
        }
    }

    /// Asks workers what names do not tell: whether files are pictures, and fields of outputs' paths. Leaves in the list what is
    /// to be done, with its outputs; returns how many files are no pictures.
    private func look(_ doubtful: Set<Int>, _ destination: Destination) throws(Stop) -> Int {
        var probes: [Int: ProbeReply] = [:]
        let plan = outputPlan(destination)
        var documents = RowDocuments(document)
        var wanted: [ProbeRequest] = []
        for (place, picture) in pictures.enumerated() {
            do throws(Diagnostics) {
                let own = try documents.document(for: picture)
                guard picture.trouble == nil, picture.path != nil else { continue }
                let fields = plan.fieldsToProbe(picture, own)
                guard doubtful.contains(place) || !fields.isEmpty else { continue }
                wanted.append(ProbeRequest(key: place, source: picture.source, fields: fields))
            } catch {
                wrongRows += error.all.map { (picture.line, $0.message) }
            }
        }
        try refuseWrongRows()
        var ignored: Set<Int> = []
        if !wanted.isEmpty {
            teller?.beginLooking(count: wanted.count)
            try probe(wanted) { place, result in
                switch result {
                case .success(let reply):
                    probes[place] = reply
                    if reply.format == nil, doubtful.contains(place) { ignored.insert(place) }
                case .failure(let findings):
                    // A camera's raw file or a damaged one is worth a word; what is off or cannot be looked at is not a picture.
                    let isNone = findings.all.allSatisfy {
                        ["not-a-picture", "not-allowed", "not-a-file", "unreadable", "empty"].contains($0.code)
                    }
                    if doubtful.contains(place), isNone {
                        ignored.insert(place)
                    } else {
                        pictures[place].trouble = findings.all.first ?? Diagnostic("unknown")
                    }
                }
            }
        }
        setup.count = pictures.count - ignored.count
        let final = outputPlan(destination)
        var kept: [Picture] = []
        kept.reserveCapacity(setup.count)
        for (place, picture) in pictures.enumerated() where !ignored.contains(place) {
            var picture = picture
            picture.index = kept.count + 1
            do throws(Diagnostics) {
                picture.outputs = try final.paths(for: picture, try documents.document(for: picture), probed: probes[place])
            } catch {
                if picture.trouble == nil { picture.trouble = error.all.first }
            }
            kept.append(picture)
        }
        pictures = kept
        return ignored.count
    }

    /// **Errors.** What is wrong with rows, the first of them.
    private func refuseWrongRows() throws(Stop) {
        guard !wrongRows.isEmpty else { return }
        let file = options.rows?.file.description ?? "row"
        var lines = wrongRows.sorted { $0.line < $1.line }.prefix(Rows.mostFindings).map { "\(file):\($0.line): \($0.message)" }
        if wrongRows.count > lines.count { lines.append("… and \(wrongRows.count - lines.count) more") }
        throw Stop(.invalid, lines.joined(separator: "\n"))
    }

    private func outputPlan(_ destination: Destination) -> OutputPlan {
        OutputPlan(
            destination: destination, date: setup.date, count: setup.count, emptyMissingFields: options.emptyMissingFields)
    }

    private func probe(_ requests: [ProbeRequest], _ take: (Int, Swift.Result<ProbeReply, Diagnostics>) -> Void) throws(Stop) {
        let crew = Crew(
            launch, setup: setup, deadlines: Deadlines(timeout: options.timeout), size: min(options.jobs, requests.count))
        defer { crew.dismiss() }
        var left = Array(requests.reversed())
        while !left.isEmpty || crew.busyCount > 0 {
            while crew.hasRoom, let request = left.popLast() { try crew.give(.probe(request), descriptors: []) }
            let (events, _) = try crew.wait([signals.descriptor], timeout: 0.2)
            if let code = signals.next() { throw Stop(code, "interrupted before the first picture") }
            for event in events {
                switch event {
                case .finished(let key, .probed(let result), _):
                    take(key, result)
                    teller?.looked()
                case .lost(let key): left += requests.filter { $0.key == key }
                case .refused(let findings): throw refusal(findings)
                default: break
                }
            }
        }
    }

    /// Keeps this process's part of the list. Numbers, collisions and counts are those of the whole.
    private func takeShard() {
        let shard = options.shard
        guard shard.count > 1 else { return }
        let all = pictures.count
        pictures = pictures.filter { shard.has($0.path ?? $0.outputs.first ?? BytePath("")) }
        guard !options.isQuiet else { return }
        let source = shard.source.map { " (by \($0))" } ?? ""
        errors.line("part \(shard.index) of \(shard.count)\(source): \(pictures.count) of \(Figures.count(all, "picture"))")
    }
}

/// The document as each row sets it; the one before is kept, since rows next to each other often agree.
private struct RowDocuments {
    let document: BatchDocument
    private var last: (cells: [String], document: BatchDocument)?

    init(_ document: BatchDocument) {
        self.document = document
    }

    /// **Errors.** A cell that its parameter does not take.
    mutating func document(for picture: Picture) throws(Diagnostics) -> BatchDocument {
        guard !picture.row.isEmpty, let perRow = document.perRow else { return document }
        let cells = picture.row.flatMap { [$0.name, $0.text] }
        if let last, last.cells == cells { return last.document }
        let own = try perRow(picture.row)
        last = (cells, own)
        return own
    }
}
