import LabelpipeKit
import Splice
import Vips

/// What a source file holds, but nobody has read, so that it is not in a picture that is encoded again.
enum SourceLoss {
    /// - Parameter keepsFurther: pages of other sizes are drawn on and kept, where the format holds pages.
    /// - Errors: `DrawingError` where too much would be lost for a warning.
    static func notes(_ source: Saving.Source, _ format: SaveFormat, keepsFurther: Bool) throws -> [Note] {
        switch source.kind {
        case .jpeg:
            // A JPEG of a JPEG has its own ways to keep it.
            guard format != .jpeg, let loss = try JPEGSource(source)?.trailerLoss else { return [] }
            return [Note(.warning, "trailer-lost", loss)]
        case .png:
            let bytes = FileEdit(source: source.descriptor)
            let file = try PNGFile(bytes)
            var notes: [Note] = []
            if file.frames > 1 {
                notes.append(
                    Note(
                        .warning, "frames-lost",
                        "an animated PNG: its first picture is kept, \(file.frames - 1) further frames are left out"))
            }
            if file.frames == 0 {
                notes.append(
                    Note(
                        .warning, "frames-lost",
                        "an animated PNG that counts no frames: its picture is kept, whatever frames there are are left out"))
            }
            if format != .png, let lost = samples(file, kept: 0) { notes.append(lost) }
            if format != .png { notes += try PNGParts(bytes).lost(isPNG: false) }
            if format != .png, file.hasOtherGamma, !source.image.hasProfile {
                notes.append(Note(.warning, "gamma-lost", "\(format.rawValue) holds no gamma: the PNG's own is left out"))
            }
            return notes
        case .tiff:
            return try tiff(source, format, keepsFurther)
        case .gif, .webp:
            var notes: [Note] = []
            if source.kind == .gif, try GIFExtensions.hasXMP(source.descriptor) {
                notes.append(Note(.warning, "metadata-lost", "the GIF's XMP is left out"))
            }
            let further = source.image.pagesInFile - source.image.pageCount
            guard further > 0 else { return notes }
            return notes + [Note(.warning, "frames-lost", "the first frame is kept, \(further) further frames are left out")]
        case .avif, .heic:
            guard try MediaFile.hasMovie(source.descriptor) else { return [] }
            return [
                Note(.warning, "frames-lost", "a sequence of pictures: its still picture is kept, the moving one is left out")
            ]
        default: return []
        }
    }

    /// What a PNG says about its samples, where that would not be true any more.
    static func samples(_ file: PNGFile, kept: Int) -> Note? {
        guard kept < file.samples.count else { return nil }
        let names = ["sBIT": "significant bits", "bKGD": "background colour"]
        return Note(
            .note, "png", "left out: the PNG's \(file.samples.map { names[$0.name] ?? $0.name }.joined(separator: " and "))")
    }

    private static func tiff(_ source: Saving.Source, _ format: SaveFormat, _ keepsFurther: Bool) throws -> [Note] {
        var notes: [Note] = []
        if format == .tiff, try TIFFTags.hasLayers(source.descriptor) {
            notes.append(Note(.warning, "layers-lost", "Photoshop's layers are left out"))
        }
        let file = try TIFFFile.ifSound(source.descriptor)
        let pages = file?.pages ?? []
        // Smaller versions are no loss.
        if pages.contains(where: { $0.hasFurther || $0.reduced.contains { !$0.isReduced } }) {
            notes.append(Note(.warning, "subifds-lost", "pictures inside the picture (SubIFDs) are left out"))
        }
        let further = source.furtherPages.count
        if further > 0, format != .tiff {
            notes.append(
                Note(
                    .warning, "frames-lost",
                    "the pages differ in size or kind: the first is kept, \(further) further pages are left out"))
        } else if further > 0, !keepsFurther {
            throw DrawingError(
                "pages-differ", "the file's pages differ in size or kind, and the document takes single ones out of it",
                help: "write a document for all pages, and one for single ones")
        } else if file == nil, source.image.pagesInFile > source.image.pageCount {
            throw DrawingError(
                "pages-differ", "the file's pages differ in size or kind, and cannot be told from smaller versions")
        }
        if format == .tiff, pages.indices.contains(source.page), pages[source.page].extraSamples.first == 1 {
            notes.append(Note(.note, "tiff", "colours that were multiplied by their transparency are so no longer"))
        }
        if pages.contains(where: \.isMask) {
            notes.append(Note(.warning, "masks-lost", "the pages that are masks are left out"))
        }
        let pictures = file?.pictures.count ?? 0
        let hasVersions = pages.contains { $0.reduced.contains(where: \.isReduced) }
        if hasVersions || pages.filter({ !$0.isMask }).count > pictures,
            try TIFFFacts(descriptor: source.descriptor)?.isPyramid != true
        {
            notes.append(Note(.note, "tiff", "smaller versions of the picture are left out"))
        }
        return notes
    }

    /// Colours that were drawn on in another space than their file's.
    static func colours(_ source: Saving.Source, _ image: Image) -> [Note] {
        let independent: [Interpretation] = [.lab, .labs, .labq, .lch, .xyz, .yxy, .cmc, .scrgb]
        let old = source.image.interpretation
        let lost =
            source.image.has(MetadataBlocks.greyProfile)
            ? [Note(.warning, "profile-lost", "the colour profile of the grey floats is left out: they are taken for linear")]
            : []
        if source.image.has(MetadataBlocks.greyFloats), image.format == .float {
            return lost + [Note(.note, "colours-converted", "the picture's grey floats become floats of red, green and blue")]
        }
        if source.image.bands <= 2, image.bands > 2 {
            return lost + [
                Note(.note, "colours-converted", "the picture was grey: a label in colour makes it red, green and blue")
            ]
        }
        guard independent.contains(old), !independent.contains(image.interpretation) else { return lost }
        return lost + [Note(.warning, "colours-converted", "the picture's colours, \(old), become sRGB")]
    }
}
