import Glibc
import LabelpipeDrawing
import LabelpipeKit
import Splice
import Vips

/// From a layer to a file.
package struct Saving {
    /// The picture that was drawn on.
    package struct Source {
        let descriptor: Int32
        let kind: FileKind
        let image: Image
        /// The page that the image is, or begins with, from 0.
        let page: Int
        /// Pages that are not in the image, although they are pictures of their own; from 0.
        var furtherPages: [Int] = []

        init(descriptor: Int32, kind: FileKind, image: Image, page: Int = 0) {
            (self.descriptor, self.kind, self.image, self.page) = (descriptor, kind, image, page)
        }
    }

    /// What became of it.
    package struct Report: Sendable {
        /// How the file was made, and why: `splice-stream: …`, `reencode: …`, `encode`.
        package var mode: String
        package var notes: [Note]
    }

    let settings: OutputSettings
    /// Its extension may decide the format.
    let name: [UInt8]
    let source: Source?
    let isTolerant: Bool
    /// Offsets of 64 bits in a TIFF; nil: where the page alone needs them.
    var isBig: Bool?

    package init(settings: OutputSettings, name: [UInt8], source: Source?, isTolerant: Bool) {
        (self.settings, self.name, self.source, self.isTolerant) = (settings, name, source, isTolerant)
    }

    /// Writes the layer to an empty file.
    ///
    /// - Parameter further: pages behind the layer's, for a format that holds pages.
    /// **Errors**: `VipsError`, `DrawingError`, with the cause `missing` for a codec that is not installed.
    package func save(_ layer: Layer, further: FurtherPages? = nil, to descriptor: Int32) throws -> Report {
        do {
            return try write(layer, further, to: descriptor)
        } catch SpliceError.output(let number) {
            throw FileEdit.failure(number)
        } catch SpliceError.input(let number) {
            throw PictureFileError.system(call: "read", errno: number)
        } catch let error as SpliceError {
            throw DrawingError("unwritable", error.description)
        }
    }

    private func write(_ layer: Layer, _ further: FurtherPages?, to descriptor: Int32) throws -> Report {
        guard let format = OutputFormat.chosen(settings, name: name, source: source?.kind) else {
            throw DrawingError(
                "no-format", "the output's path says no format", help: "end it in .jpg .png .webp .tif …, or write \"format\"")
        }
        let picture = try layer.image()
        let jpeg = try format == .jpeg ? JPEGSource(source) : nil
        var reason: String?
        var damage: [Note] = []
        if let splicing = splicing(format, jpeg, further) {
            switch try spliced(picture, splicing, to: descriptor) {
            case .success(let report): return report
            case .failure(let obstacle):
                reason = obstacle.reason
                if obstacle.isDamage { damage.append(Note(.warning, "damaged", obstacle.reason)) }
            }
        }
        if settings.jpeg == .splice {
            throw DrawingError(
                "no-splice", "cannot be spliced: \(reason ?? "only a JPEG from a JPEG can")",
                help: "write \"jpeg\": \"auto\" to have such pictures encoded anew")
        }
        try Codecs.require(format)
        var told = damage
        if let source { told += try SourceLoss.notes(source, format, keepsFurther: further != nil) }
        var first = self
        if format == .tiff, let source, further != nil { first.isBig = try TIFFJoining.needsBig(source) }
        told += try first.encode(picture, format, jpeg, to: descriptor)
        if format == .tiff, let further { try append(further, notes: &told, to: descriptor) }
        return Report(mode: mode(format == .jpeg && jpeg != nil ? "reencode" : nil, reason), notes: told)
    }

    /// - Returns: what is not as it was.
    func encode(_ picture: Picture, _ format: SaveFormat, _ jpeg: JPEGSource?, to descriptor: Int32) throws -> [Note] {
        var fitting = Fitting(settings: settings, format: format, source: source?.kind)
        let image = try fitting.image(of: picture)
        let old = MetadataBlocks(image)
        var editing = MetadataEditing(settings: settings, orientation: image.orientation, resized: resized(image))
        editing.holdsIPTC = format.holdsIPTC || !format.holdsXMP
        var (blocks, told) = editing.edited(old)
        told = fitting.notes + told
        if let source { told += SourceLoss.colours(source, image) }
        if format == .jpeg {
            try encodeJPEG(image, blocks, isChanged: isChanged(old, image), from: jpeg, notes: &told, to: descriptor)
        } else {
            told += lost(&blocks, format, had: old)
            try encode(image, blocks, format, notes: &told, to: descriptor)
        }
        return told
    }

    private func mode(_ name: String?, _ reason: String?) -> String {
        let name = name ?? (source == nil ? "render" : "encode")
        return reason.map { "\(name): \($0)" } ?? name
    }

    /// The way that touches no more of the source than the label does; nil where there is none for such an output.
    private func splicing(_ format: SaveFormat, _ jpeg: JPEGSource?, _ further: FurtherPages?) -> (any Splicing)? {
        switch format {
        case .jpeg: jpeg.map { JPEGSplicing(settings: settings, source: $0) }
        case .tiff: source.flatMap { TIFFSplicing(settings, source: $0, further: further) }
        default: nil
        }
    }

    private func spliced(_ picture: Picture, _ splicing: any Splicing, to descriptor: Int32) throws
        -> Swift.Result<Report, Obstacle>
    {
        do {
            return try splicing.splice(picture, to: descriptor)
        } catch SpliceError.undecodable(let what) where !isTolerant {
            throw DrawingError("corrupt", "the picture is damaged: \(what)")
        } catch SpliceError.undecodable(let what) {
            try empty(descriptor)
            return .failure(Obstacle(reason: "the file is damaged: \(what)", isDamage: true))
        } catch SpliceError.damaged(let what) {
            // What is odd in a way that a decoder takes without a word is no damage: the decoder has to say, which fails the
            // picture where it is some. Whatever was written of it is written over.
            try empty(descriptor)
            return .failure(Obstacle(reason: "the file is damaged: \(what)"))
        }
    }

    private func empty(_ descriptor: Int32) throws {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw SpliceError.output(errno) }
    }

    // MARK: Metadata

    /// The size as stored, where it is not the source's.
    func resized(_ image: Image) -> (width: Int, height: Int)? {
        guard let source, source.image.width != image.width || source.image.pageHeight != image.pageHeight else { return nil }
        return (image.width, image.pageHeight)
    }

    /// Whether metadata is not the source's any more, so that its own bytes will not do.
    private func isChanged(_ old: MetadataBlocks, _ image: Image) -> Bool {
        if settings.metadata != .keep || !settings.set.isEmpty || resized(image) != nil { return true }
        return image.orientation != source?.image.orientation
    }

    /// Leaves out what a format has no place for, and says so.
    private func lost(_ blocks: inout MetadataBlocks, _ format: SaveFormat, had old: MetadataBlocks) -> [Note] {
        var kept = MetadataBlocks()
        if format.holdsEXIF { kept.exif = blocks.exif }
        if format.holdsXMP { kept.xmp = blocks.xmp }
        if format.holdsIPTC { kept.iptc = blocks.iptc }
        // Rights go to whatever block there is: IPTC is missed only where there was some, or it is named.
        let isNamed = settings.set.keys.contains { $0.hasPrefix("iptc.") }
        // Rights that were asked for alone are all in the XMP.
        if old.iptc == nil || (settings.metadata == .rights && format.holdsXMP), !isNamed { blocks.iptc = kept.iptc }
        let names = MetadataBlocks(
            exif: kept.exif == nil ? blocks.exif : nil, xmp: kept.xmp == nil ? blocks.xmp : nil,
            iptc: kept.iptc == nil ? blocks.iptc : nil
        ).names
        blocks = kept
        if names.isEmpty { return [] }
        let isMoved = kept.iptc == nil && format.holdsXMP && old.iptc != nil && settings.metadata != .strip
        return [
            Note(
                .warning, "metadata-lost",
                "\(format.rawValue) holds no \(names.joined(separator: ", no ")): left out"
                    + (isMoved ? "; copyright, artist, credit and description are in the XMP" : ""))
        ]
    }

    // MARK: Encoding

    private func encodeJPEG(
        _ image: Image, _ blocks: MetadataBlocks, isChanged: Bool, from jpeg: JPEGSource?, notes: inout [Note],
        to descriptor: Int32
    ) throws {
        let metadata = JPEGMetadata(blocks: blocks, policy: settings.metadata, isChanged: isChanged)
        let encoding = JPEGEncoding(settings: settings, header: jpeg?.header)
        guard let jpeg else {
            var plain = blocks
            if source?.kind == .tiff { plain.exif = plain.exif.map(TIFFTags.withoutPrivate) }
            let own = JPEGMetadata(blocks: plain, policy: settings.metadata, isChanged: true).own(notes: &notes)
            let density = image.bands == 4 ? nil : JPEGMetadata.density(image)
            let segments = JPEGMetadata.coloured([density].compactMap { $0 } + own, image: image, source: nil)
            return try encoding.encode(image, segments: segments, to: descriptor)
        }
        let isSameSize = resized(image) == nil && image.orientation == source?.image.orientation
        let dropsAll = settings.metadata == .strip || settings.metadata == .rights
        let surroundings = JPEGSurroundings(of: jpeg.header, in: jpeg.file.bytes, keepsTrailer: isSameSize && !dropsAll)
        if surroundings.trailer.isEmpty, let loss = jpeg.trailerLoss,
            !surroundings.notes.contains(where: { $0.contains("(MPF)") })
        {
            notes.append(Note(dropsAll ? .note : .warning, "trailer-lost", loss))
        }
        notes += surroundings.notes.map { Note(.note, "jpeg", $0) }
        let segments = metadata.segments(of: surroundings.segments, notes: &notes)
        // The header's reader has seen the whole file; its pages are the system's again, not this process's.
        jpeg.file.forget()
        try encoding.encode(
            image, segments: JPEGMetadata.coloured(segments, image: image, source: source?.image), to: descriptor)
        try JPEGEncoding.add(surroundings, of: jpeg, to: descriptor)
    }

    /// By libvips, and what it does not write of metadata by us.
    private func encode(
        _ image: Image, _ blocks: MetadataBlocks, _ format: SaveFormat, notes: inout [Note], to descriptor: Int32
    ) throws {
        let keepsComments = settings.metadata != .strip && settings.metadata != .rights
        var blocks = blocks
        if keepsComments, format.holdsEXIF, !format.holdsResolution, image.hasResolution {
            blocks.exif = ExifBlock.with(resolution: (image.xResolution, image.yResolution), blocks.exif)
        }
        var plain = format == .png ? try PNGText.edited(image, settings) : image
        plain = try MetadataBlocks.removed(from: plain, keepsComments: keepsComments || format == .png)
        if [.avif, .heic].contains(format) { plain = try blocks.attached(to: plain) }
        let choices = SaveChoices(settings: settings, source: source, isBig: isBig)
        notes += choices.notes(format, plain)
        func save(_ image: Image) throws {
            try Saver.save(image, to: descriptor, try choices.options(format, image), isTolerant: isTolerant)
        }
        switch format {
        case .png:
            let file = try source.flatMap { try $0.kind == .png ? PNGFile(FileEdit(source: $0.descriptor)) : nil }
            var palette: Palette?
            if file?.paletteBits != nil, plain.width * plain.height <= Palette.largest {
                plain = try plain.materialised()
                palette = try Palette(plain)
            }
            try save(palette?.indexes ?? plain)
            if let file, keepsResolution(plain) { try file.putDensity(to: descriptor) }
            // Without a profile the numbers mean what they meant.
            let colour = plain.hasProfile || settings.profile == .srgb ? [] : file?.colour ?? []
            let samples = try file?.samples(fitting: descriptor) ?? []
            if let file, let lost = SourceLoss.samples(file, kept: samples.count) { notes.append(lost) }
            try PNGFile.add(blocks, colour: colour + samples, palette: palette, profile: plain.profile, to: descriptor)
            if let source, source.kind == .png, settings.metadata == .keep {
                let parts = try PNGParts(FileEdit(source: source.descriptor))
                try parts.copy(to: descriptor)
                notes += parts.lost(isPNG: true)
            }
            if file?.paletteBits != nil, palette == nil {
                notes.append(
                    Note(.note, "palette", "the palette is given up: with the label there are more colours than it holds"))
            }
        case .tiff:
            try save(plain)
            try TIFFTags.add(try pages(of: plain, blocks, notes: &notes), to: descriptor)
        case .webp:
            // libvips writes its own delays into the array, which other outputs of the picture have too.
            let delays = plain.integers("delay")
            if let delays { plain = try plain.setting("delay", to: .integers(delays)) }
            try save(plain)
            try WebPFile.put(blocks, width: plain.width, height: plain.pageHeight, to: descriptor)
            if let delays, try !WebPFile.putDelays(delays, count: plain.pageCount, to: descriptor) {
                notes.append(Note(.warning, "timing-lost", "delays of up to 10 ms become a tenth of a second"))
            }
        case .jxl:
            try save(plain)
            try JXLFile.add(blocks, to: descriptor)
        default: try save(plain)
        }
    }

    func keepsResolution(_ image: Image) -> Bool {
        guard let source else { return false }
        return image.xResolution == source.image.xResolution && image.yResolution == source.image.yResolution
    }
}
