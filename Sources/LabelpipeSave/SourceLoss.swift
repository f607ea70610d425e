import LabelpipeKit
import Splice
import Vips

/// What a source file holds, but nobody has read, so that it is not in a picture that is encoded again.
enum SourceLoss {
    /// - Errors: `DrawingError` where too much would be lost for a warning.
    static func notes(_ source: Saving.Source, _ format: SaveFormat) throws -> [Note] {
        switch source.kind {
        case .jpeg:
            // A JPEG of a JPEG has its own ways to keep it.
            guard format != .jpeg, let loss = try JPEGSource(source)?.trailerLoss else { return [] }
            return [Note(.warning, "trailer-lost", loss)]
        case .png:
            let file = PNGFile(descriptor: source.descriptor)
            var notes: [Note] = []
            if file.frames > 1 {
                notes.append(
                    Note(
                        .warning, "frames-lost",
                        "an animated PNG: its first picture is kept, \(file.frames - 1) further frames are left out"))
            }
            let late = PNGFile.behindPixels(source.descriptor)
            if !late.isEmpty {
                notes.append(
                    Note(.warning, "metadata-lost", "what stands behind the pixels is left out: \(late.joined(separator: ", "))"))
            }
            if format != .png, file.hasOtherGamma, !source.image.hasProfile {
                notes.append(Note(.warning, "gamma-lost", "\(format.rawValue) holds no gamma: the PNG's own is left out"))
            }
            return notes
        case .tiff:
            var notes: [Note] = []
            if format == .tiff, TIFFTags.hasLayers(source.descriptor) {
                notes.append(Note(.warning, "layers-lost", "Photoshop's layers are left out"))
            }
            let pages = (try? TIFFFile(source.descriptor))?.pages ?? []
            // Smaller versions are no loss.
            if pages.contains(where: { $0.reduced.contains { !$0.isReduced } }) {
                notes.append(Note(.warning, "subifds-lost", "pictures inside the picture (SubIFDs) are left out"))
            }
            let further = source.image.pagesInFile - source.image.pageCount
            guard further > 0, TIFFFacts(descriptor: source.descriptor)?.isPyramid != true else { return notes }
            if pages.count > 1, pages.dropFirst().allSatisfy(\.isReduced) {
                return notes + [Note(.note, "tiff", "smaller versions of the picture are left out")]
            }
            guard format != .tiff else {
                throw DrawingError(
                    "pages-differ", "the file's pages differ in size or kind: encoded anew, \(further) of them would be lost",
                    help: "write the file's pages apart, or leave out what needs it encoded anew: see \"mode\" in the report")
            }
            return notes + [
                Note(
                    .warning, "frames-lost",
                    "the pages differ in size or kind: the first is kept, \(further) further pages are left out")
            ]
        case .gif, .webp:
            var notes: [Note] = []
            if source.kind == .gif, GIFExtensions.hasXMP(source.descriptor) {
                notes.append(Note(.warning, "metadata-lost", "the GIF's XMP is left out"))
            }
            let further = source.image.pagesInFile - source.image.pageCount
            guard further > 0 else { return notes }
            return notes + [Note(.warning, "frames-lost", "the first frame is kept, \(further) further frames are left out")]
        default: return []
        }
    }

    /// Colours that were drawn on in another space than their file's.
    static func colours(_ source: Saving.Source, _ image: Image) -> [Note] {
        let independent: [Interpretation] = [.lab, .labs, .labq, .lch, .xyz, .yxy, .cmc, .scrgb]
        let old = source.image.interpretation
        if source.image.has(MetadataBlocks.greyFloats), image.format == .float {
            return [Note(.note, "colours-converted", "the picture's grey floats become floats of red, green and blue")]
        }
        guard independent.contains(old), !independent.contains(image.interpretation) else { return [] }
        return [Note(.warning, "colours-converted", "the picture's colours, \(old), become sRGB")]
    }
}
