import Glibc

/// What became of a TIFF that was to be spliced.
package enum TIFFSpliceOutcome: Sendable, Equatable {
    /// Done. Tiles are those of all pages and levels that have a label; strips count as tiles.
    case spliced(mode: String, touchedTiles: Int, totalTiles: Int, notes: [String])
    /// Nothing was written: decode, draw and encode the picture instead, and say why.
    case unsuitable(reason: String)
}

/// Draws labels into a TIFF by copying the file, appending the tiles they touch and patching their places.
///
/// No directory moves and no other tag changes but Photoshop's thumbnails and layers, which go; smaller versions of a page
/// (SubIFDs, reduced pages) get the label as well, in their size. The old bytes of touched tiles are zeroed, unless another tile shares them.
///
/// - **Errors**: `SpliceError.damaged` or `.undecodable` for a source that is broken, `SpliceError.invalid` for labels that do not
///   fit its colours, `SpliceError.output` for what the system refuses.
/// - **Cost**: a copy by the kernel and the touched tiles; memory of some tiles of the label and of the labelled pages' arrays of offsets.
/// - **Source**: `splice.md` in the design.
package struct TIFFSplicer {
    package struct Options: Sendable {
        /// The largest share of the tiles that may be touched: their old bytes stay in the file, as zeros.
        package var limit = 0.6
        /// The most bytes a decoded tile may have.
        package var tileMemory = 256 << 20
        /// Tiles that no label touches are decoded to see whether they are good, unless all of them have more bytes than this
        /// then: a slide's are copied unread.
        package var checkedBytes = 128 << 20

        package init() {}
    }

    package let file: TIFFFile
    private let options: Options

    /// - Parameter source: open for reading; stays the caller's.
    package init(_ source: Int32, options: Options = Options()) throws {
        file = try TIFFFile(source)
        self.options = options
    }

    /// A directory that gets a label.
    struct Task {
        let directory: TIFFFile.Directory
        let name: String
        let sheets: [Sheet]

        /// Tiles that the sheets lie on, transparent or not.
        var tileCount: Int {
            stretches(most: .max).reduce(0) { $0 + $1.columns.count } * (directory.isPlanar ? directory.samples : 1)
        }
    }

    /// Writes the picture with the patches drawn to an empty file that is open for reading and writing.
    ///
    /// - Parameter patches: for each page of the main chain that gets a label; reduced versions need none of their own.
    package func splice(_ patches: [Int: [Patch]], to output: Int32) throws -> TIFFSpliceOutcome {
        try splice(patches.mapValues { $0.map { Sheet($0) } }, to: output)
    }

    /// The same with labels whose pixels are made where they are asked for.
    package func splice(_ sheets: [Int: [Sheet]], to output: Int32) throws -> TIFFSpliceOutcome {
        do {
            return try spliceOrNot(sheets, output)
        } catch let obstacle as Unsuitable {
            // It may have turned out after the copy.
            guard ftruncate(output, 0) == 0 else { throw SpliceError.output(errno) }
            return .unsuitable(reason: obstacle.reason)
        }
    }

    private func spliceOrNot(_ sheets: [Int: [Sheet]], _ output: Int32) throws -> TIFFSpliceOutcome {
        guard sheets.keys.allSatisfy(file.pages.indices.contains) else {
            throw SpliceError.invalid("a label for a page that is not there")
        }
        guard sheets.values.joined().allSatisfy({ abs($0.area.x) < 1 << 30 && abs($0.area.y) < 1 << 30 }) else {
            throw SpliceError.invalid("a patch far outside every picture")
        }
        var notes: [String] = []
        let tasks = try self.tasks(sheets, &notes)
        let total = tasks.reduce(0) { $0 + $1.directory.tileCount }
        let most = Int(options.limit * Double(total))
        // Pixels are looked at only where the sheets' extents don't answer the question.
        if tasks.reduce(0, { $0 + $1.tileCount }) > most {
            let touched = try tasks.reduce(0) { try $0 + $1.touchedTiles() }
            if touched > most { throw Unsuitable("the label touches \(touched * 100 / max(total, 1))% of the tiles") }
        }
        for (number, page) in file.pages.enumerated() {
            for directory in [page] + page.reduced { try checkPlaces(directory, "page \(number)") }
        }
        let patcher = try TIFFPatcher(file, output)
        try patcher.copy()
        // What is dear to compress is compressed quickly; a few tiles may take their time.
        let bytes = tasks.reduce(0) { $0 + $1.tileCount * $1.directory.tileBytes }
        for task in tasks where !task.sheets.isEmpty { try task.draw(file, patcher, isFast: bytes > 8 << 20) }
        if let note = try checkTiles(of: tasks, butThoseOf: patcher) { notes.append(note) }
        try patcher.zeroOldTiles(file.pages)
        for task in tasks where !task.sheets.isEmpty {
            for text in try patcher.dropPreviews(of: task.directory) where !notes.contains(text) { notes.append(text) }
        }
        return .spliced(mode: "splice-tiff", touchedTiles: patcher.touchedTiles, totalTiles: total, notes: notes)
    }

    /// A copy of a damaged tile would pass for a good one. What is drawn on was decoded for that, and where drawing shows that
    /// the picture has to be encoded anew, its decoder sees all tiles.
    ///
    /// - Returns: a note where there are too many of them.
    /// - **Cost**: they are decoded, to a buffer of one tile; those without compression are not read.
    private func checkTiles(of tasks: [Task], butThoseOf patcher: TIFFPatcher) throws -> String? {
        let compressed = tasks.map(\.directory).filter { $0.compression != 1 }
        let bytes = compressed.reduce(0) { $0 + Double($1.tileCount) * Double($1.tileBytes) }
        guard bytes <= Double(options.checkedBytes), compressed.allSatisfy({ $0.tileBytes <= options.tileMemory }) else {
            return "untouched tiles are copied unread, as there are so many"
        }
        for directory in compressed where directory.tileBytes > 0 {
            let codec = try TIFFCodec(file, directory, forCheck: true)
            let counts = try file.numbers(directory.byteCounts)
            let drawn = patcher.touched[directory.position] ?? []
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: directory.tileBytes, alignment: 16)
            defer { buffer.deallocate() }
            for tile in 0..<min(directory.tileCount, counts.count) where counts[tile] > 0 && !drawn.contains(tile) {
                try codec.check(tile, by: buffer)
            }
        }
        return nil
    }

    // MARK: What gets a label

    private func tasks(_ sheets: [Int: [Sheet]], _ notes: inout [String]) throws -> [Task] {
        var tasks: [Task] = []
        var labelled: TIFFFile.Directory?
        // Of the labelled page and the versions so far: the next is made from the smallest that is larger.
        var made: [(version: TIFFFile.Directory, sheets: [Sheet])] = []
        func add(_ version: TIFFFile.Directory, _ name: String) throws {
            let larger = made.last { $0.version.width >= version.width && $0.version.height >= version.height } ?? made[0]
            let scaled = try larger.sheets.compactMap {
                try $0.scaled(
                    from: (larger.version.width, larger.version.height), to: (version.width, version.height))
            }
            made.append((version, scaled))
            tasks.append(try task(version, name, scaled))
        }
        for (number, page) in file.pages.enumerated() {
            let name = "page \(number)"
            if let own = sheets[number] {
                labelled = page
                made = [(page, own)]
                tasks.append(try task(page, name, own))
                for (index, version) in page.reduced.enumerated() {
                    if version.isMask { continue }
                    guard version.isVersion(of: page) else {
                        throw Unsuitable("\(name) has a SubIFD that is no smaller version of it")
                    }
                    try add(version, "\(name), level \(index + 1)")
                }
                if page.hasFurther { notes.append("\(name) has pictures behind or below its SubIFDs: kept, without the label") }
            } else if let labelled, page.isLevel(of: labelled) {
                try add(page, name)
            } else if page.isReduced && labelled != nil && !page.isMask {
                notes.append("\(name) is a preview of other proportions: kept, without the label")
            } else if !sheets.isEmpty && !page.isMask {
                notes.append("\(name) is kept, without the label")
            }
        }
        return tasks
    }

    private func task(_ directory: TIFFFile.Directory, _ name: String, _ sheets: [Sheet]) throws -> Task {
        if let reason = directory.obstacle(isFloatLabel: sheets.allSatisfy(\.isFloat)) {
            throw Unsuitable("\(name): \(reason)")
        }
        let page = Area(x: 0, y: 0, width: directory.width, height: directory.height)
        let visible = sheets.filter { !$0.area.intersection(page).isEmpty }
        let channels = directory.colourChannels
        guard visible.allSatisfy({ $0.channels == channels || (channels < 4 && $0.channels < 4) }) else {
            throw SpliceError.invalid("a label of \(visible[0].channels) channels on a picture of \(channels)")
        }
        if !visible.isEmpty && directory.tileBytes > options.tileMemory {
            throw Unsuitable("\(name): a tile takes \(directory.tileBytes >> 20) MB, \(options.tileMemory >> 20) MB are allowed")
        }
        return Task(directory: directory, name: name, sheets: visible)
    }

    /// Every tile lies in the file: a truncated one is not passed on.
    private func checkPlaces(_ directory: TIFFFile.Directory, _ name: String) throws {
        guard let offsets = directory.offsets, let counts = directory.byteCounts else {
            if directory.offsets == nil && directory.byteCounts == nil { return }
            throw Unsuitable("\(name) does not say how long its tiles are")
        }
        guard offsets.count == counts.count else {
            throw Unsuitable("\(name) has \(offsets.count) tiles of \(counts.count) sizes")
        }
        for (offset, count) in zip(try file.numbers(offsets), try file.numbers(counts)) where offset > file.size - count {
            throw SpliceError.damaged("cut off: \(name) has a tile at \(offset)")
        }
    }
}
