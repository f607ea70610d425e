import LabelpipeKit

/// The tags of a TIFF's pages that are not about their pixels: read from a source, added to a finished file.
///
/// **Source**: TIFF 6.0; BigTIFF; Exif 2.32, 4.6.3 for the pointers.
enum TIFFTags {
    /// What says how pixels are stored, and what libvips writes from the picture itself.
    private static let structure: Set<Int> = [
        254, 255, 256, 257, 258, 259, 262, 263, 264, 265, 266, 273, 274, 277, 278, 279, 280, 281, 282, 283, 284, 288, 289, 290,
        291, 292, 293, 296, 297, 301, 317, 318, 319, 320, 321, 322, 323, 324, 325, 330, 332, 333, 334, 336, 338, 339, 340, 341,
        342, 347, 512, 513, 514, 515, 517, 518, 519, 520, 521, 529, 530, 531, 532, 34675,
    ]
    /// Blocks with an own place in `MetadataBlocks`: XMP, IPTC, Photoshop's.
    private static let blocks: Set<Int> = [700, 33723, 34377]
    /// Photoshop's layers: the picture once more, without the label.
    private static let layers = 37724
    /// EXIF's resolution, which libvips writes.
    private static let resolution: Set<Int> = [282, 283, 296]

    /// nil where the file has none.
    ///
    /// - Parameter place: the page's directory; nil: the first.
    static func read(_ descriptor: Int32, at place: Int? = nil) throws -> TagTree? {
        guard var tree = try TagTree(at: place, FileEdit(source: descriptor).read) else { return nil }
        tree[.primary].removeAll {
            structure.contains($0.number) && !resolution.contains($0.number) || blocks.contains($0.number)
                || $0.number == layers
        }
        // Resolution alone is nothing to be kept: every format has its own way.
        return tree.isEmpty
            || tree[.primary].allSatisfy { resolution.contains($0.number) } && tree[.exif].isEmpty
                && tree[.gps].isEmpty
            ? nil : tree
    }

    /// What a page has beside its pixels.
    struct Page {
        var blocks: MetadataBlocks
        /// Tags that say how large a pixel is; nil: those that a saver writes.
        var resolution: TagTree?
    }

    /// Where the directory of a page is; nil for the first, which the header points to, and where there is none.
    ///
    /// - Parameter page: from 0.
    static func place(of page: Int, _ descriptor: Int32) throws -> Int? {
        try page == 0 ? nil : places(descriptor, from: page, most: 1).first
    }

    private static func places(_ descriptor: Int32, from first: Int, most: Int) throws -> [Int] {
        let file = FileEdit(source: descriptor)
        guard let layout = try Layout(file) else { return [] }
        var found: [Int] = []
        var link = layout.first
        while found.count < first + most, let directory = try layout.directory(file, link) {
            found.append(directory.place)
            link = directory.link
        }
        return Array(found.dropFirst(first))
    }

    /// The pages of a source, as many as are asked for.
    ///
    /// - Parameter first: counted from 0.
    static func pages(_ descriptor: Int32, from first: Int, most: Int) throws -> [Page] {
        let file = FileEdit(source: descriptor)
        return try places(descriptor, from: first, most: most).map { place in
            let all = try TagTree(at: place, file.read)
            let blocks = MetadataBlocks(
                exif: try read(descriptor, at: place)?.bytes(), xmp: all?.tag(700)?.bytes,
                iptc: IPTCBlock.normalised(all?.tag(33723)?.bytes, resources: all?.tag(34377)?.bytes))
            var size = TagTree()
            size.isBigEndian = all?.isBigEndian ?? false
            size[.primary] = all?[.primary].filter { resolution.contains($0.number) } ?? []
            return Page(blocks: blocks, resolution: size)
        }
    }

    /// Its numbers say how wide a pixel is against its height, and no more.
    static func hasProportionAlone(_ descriptor: Int32, at place: Int?) throws -> Bool {
        try TagTree(at: place, FileEdit(source: descriptor).read)?.number(296) == 1
    }

    /// Whether the first page holds Photoshop's layers.
    static func hasLayers(_ descriptor: Int32) throws -> Bool {
        try TagTree(FileEdit(source: descriptor).read)?.tag(layers) != nil
    }

    /// The names of EXIF's own tags in the first directory, for formats whose readers expect no others.
    static func withoutPrivate(_ block: [UInt8]) -> [UInt8] {
        guard var tree = TagTree(block) else { return block }
        tree[.primary].removeAll { !(256...532).contains($0.number) && ![33432, 700].contains($0.number) && $0.number < 40000 }
        return tree.bytes()
    }

    /// Adds tags and blocks to the directories of a finished file, each page's to its own: a new one is appended, and what pointed
    /// to the old one points to it.
    static func add(_ pages: [Page], to descriptor: Int32) throws {
        let file = FileEdit(output: descriptor)
        guard let layout = try Layout(file) else { throw broken }
        var link = layout.first
        for page in pages {
            guard let directory = try layout.directory(file, link) else { throw broken }
            var added = tags(of: page.blocks, isBigEndian: layout.isBigEndian)
            added[.primary] += page.resolution?.ordered(bigEndian: layout.isBigEndian)[.primary] ?? []
            if added.isEmpty, page.resolution == nil {
                link = directory.link
            } else {
                let writer = Writer(file: file, isBig: layout.isBig, numbers: added)
                link = try writer.write(added, directory, link: link, without: page.resolution == nil ? [] : resolution)
            }
        }
    }

    private static func tags(of metadata: MetadataBlocks, isBigEndian: Bool) -> TagTree {
        var added = (metadata.exif.flatMap { TagTree($0) } ?? TagTree()).ordered(bigEndian: isBigEndian)
        added[.primary].removeAll { structure.contains($0.number) || blocks.contains($0.number) }
        func block(_ number: Int, type: Int, _ bytes: [UInt8]?) {
            if let bytes { added.set(number, type: type, count: bytes.count, bytes) }
        }
        block(700, type: 1, metadata.xmp)
        if let iptc = metadata.iptc.flatMap(IPTCBlock.bare) {
            // Of numbers of four bytes by custom, though it is none; readers skip what fills the last one up.
            let filled = iptc + [UInt8](repeating: 0, count: (4 - iptc.count & 3) & 3)
            added.set(33723, type: 4, count: filled.count / 4, filled)
        }
        block(34377, type: 1, metadata.iptc.flatMap { IPTCBlock.resources($0) })
        return added
    }

    /// How a file writes its directories.
    struct Layout {
        let isBigEndian: Bool
        let isBig: Bool

        init?(_ file: FileEdit) throws {
            guard let head = try file.read(0, 8) else { return nil }
            isBigEndian = head[0] == 0x4D
            isBig = head[isBigEndian ? 3 : 2] == 43
        }

        var word: Int { isBig ? 8 : 4 }
        var countSize: Int { isBig ? 8 : 2 }
        var entrySize: Int { isBig ? 20 : 12 }
        /// Where the place of the first directory is written.
        var first: Int { isBig ? 8 : 4 }

        struct Directory {
            let place: Int
            let count: Int
            /// Where the place of the next one is written.
            let link: Int
        }

        /// nil where there is none.
        func directory(_ file: FileEdit, _ link: Int) throws -> Directory? {
            guard let place = try file.read(link, word)?.number(0, word, isBigEndian), place > 0,
                let count = try file.read(place, countSize)?.number(0, countSize, isBigEndian), count <= 65535
            else { return nil }
            return Directory(place: place, count: count, link: place + countSize + count * entrySize)
        }
    }

    static let broken = DrawingError("codec", "the TIFF that was written cannot be read")

    private struct Writer {
        let file: FileEdit
        let isBig: Bool
        /// Says the byte order.
        let numbers: TagTree

        private var word: Int { isBig ? 8 : 4 }
        private var entrySize: Int { isBig ? 20 : 12 }

        private func append(_ bytes: [UInt8]) throws -> Int {
            let end = try file.size
            let place = end + end & 1
            guard isBig || place + bytes.count < 1 << 32 else {
                throw DrawingError("too-large", "the TIFF has no place for metadata behind 4 GB")
            }
            try file.write(bytes, at: place)
            return place
        }

        private func entry(_ tag: TagTree.Tag) throws -> [UInt8] {
            let head = numbers.encoded(tag.number, 2) + numbers.encoded(tag.type, 2) + numbers.encoded(tag.count, word)
            if tag.bytes.count <= word { return head + tag.bytes + [UInt8](repeating: 0, count: word - tag.bytes.count) }
            return head + numbers.encoded(try append(tag.bytes), word)
        }

        private func directory(_ tags: [TagTree.Tag]) throws -> Int {
            let entries = try tags.sorted { $0.number < $1.number }.map(entry)
            return try append(
                numbers.encoded(tags.count, isBig ? 8 : 2) + entries.flatMap { $0 } + [UInt8](repeating: 0, count: word))
        }

        /// - Returns: where the place of the next directory is written now.
        func write(_ added: TagTree, _ old: Layout.Directory, link: Int, without dropped: Set<Int>) throws -> Int {
            var added = added
            for directory in [TagTree.Directory.interoperability, .gps, .exif] where !added[directory].isEmpty {
                guard let pointer = directory.pointer else { continue }
                let place = try self.directory(added[directory])
                added.set(pointer.tag, long: place, pointer.parent)
            }
            let countSize = isBig ? 8 : 2
            guard let body = try file.read(old.place + countSize, old.count * entrySize), let next = try file.read(old.link, word)
            else {
                throw broken
            }
            var entries: [Int: [UInt8]] = [:]
            for index in 0..<old.count {
                let bytes = Array(body[(index * entrySize)..<((index + 1) * entrySize)])
                entries[bytes.number(0, 2, numbers.isBigEndian)] = bytes
            }
            for number in dropped { entries[number] = nil }
            for tag in added[.primary] { entries[tag.number] = try entry(tag) }
            let sorted = entries.sorted { $0.key < $1.key }.flatMap(\.value)
            let place = try append(numbers.encoded(entries.count, countSize) + sorted + next)
            try file.write(numbers.encoded(place, word), at: link)
            return place + countSize + sorted.count
        }
    }
}

extension [UInt8] {
    func number(_ at: Int, _ count: Int, _ isBigEndian: Bool) -> Int {
        let bytes = self[at..<(at + count)]
        return Int(clamping: (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
