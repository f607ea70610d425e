/// Photoshop's copies of a page in its own tags.
///
/// - **Source**: Adobe Photoshop TIFF Technical Notes, "Image Resources" (34377) and "ImageSourceData" (37724).
extension TIFFPatcher {
    private static let resources = 34377
    private static let layers = 37724
    private static let xmp = 700

    /// Takes out what shows a page as it was: bytes are zeroed, an entry that is left with none goes. After the tiles, since
    /// entries of the directory move up then.
    ///
    /// - Returns: what was taken out.
    func dropPreviews(of directory: TIFFFile.Directory) throws -> [String] {
        var dropped: [String] = []
        if let entry = directory.entries[Self.xmp], [1, 7].contains(entry.type) {
            var packet = try file.bytes(entry.values, entry.count)
            if EmbeddedPreviews.blankThumbnails(ofXMP: &packet) {
                try write(packet, at: entry.values)
                dropped.append("XMP thumbnail dropped")
            }
        }
        var removed: [TIFFFile.Entry] = []
        if let entry = directory.entries[Self.resources], [1, 7].contains(entry.type),
            let kept = EmbeddedPreviews.withoutThumbnails(try file.bytes(entry.values, entry.count))
        {
            try write(kept + [UInt8](repeating: 0, count: entry.count - kept.count), at: entry.values)
            if kept.count > (file.isBig ? 8 : 4) {
                try write(file.encoded(kept.count, width: file.isBig ? 8 : 4), at: entry.position + 4)
            } else {
                removed.append(entry)
            }
            dropped.append("Photoshop thumbnail dropped")
        }
        if let entry = directory.entries[Self.layers], [1, 7].contains(entry.type), entry.count > 0 {
            try zero(entry.values, entry.count)
            removed.append(entry)
            dropped.append("Photoshop layers dropped")
        }
        try remove(removed, from: directory)
        return dropped
    }

    /// Closes the gaps: what was written into the directory since it was read moves with its entry.
    private func remove(_ entries: [TIFFFile.Entry], from directory: TIFFFile.Directory) throws {
        if entries.isEmpty { return }
        let countSize = file.isBig ? 8 : 2
        let entrySize = file.isBig ? 20 : 12
        let old = try written(directory.position, directory.size)
        let count = (directory.size - countSize) / entrySize
        let gone = Set(entries.map { ($0.position - directory.position - countSize) / entrySize })
        var new = file.encoded(count - gone.count, width: countSize)
        for index in 0..<count where !gone.contains(index) {
            let start = countSize + index * entrySize
            new += old[start..<(start + entrySize)]
        }
        new += old[(countSize + count * entrySize)...]
        try write(new + [UInt8](repeating: 0, count: old.count - new.count), at: directory.position)
    }
}
