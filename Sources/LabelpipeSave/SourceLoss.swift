import LabelpipeKit
import Vips

/// What a source file holds, but nobody has read, so that it is not in a picture that is encoded again.
enum SourceLoss {
    static func notes(_ source: Saving.Source, _ format: SaveFormat) -> [Note] {
        switch source.kind {
        case .png:
            let file = PNGFile(descriptor: source.descriptor)
            var notes: [Note] = []
            if file.frames > 1 {
                notes.append(
                    Note(
                        .warning, "frames-lost",
                        "an animated PNG: its first picture is kept, \(file.frames - 1) further frames are left out"))
            }
            if format != .png, file.hasOtherGamma, !source.image.hasProfile {
                notes.append(Note(.warning, "gamma-lost", "\(format.rawValue) holds no gamma: the PNG's own is left out"))
            }
            return notes
        case .tiff:
            let further = source.image.pagesInFile - source.image.pageCount
            guard further > 0, TIFFFacts(descriptor: source.descriptor)?.isPyramid != true else { return [] }
            return [
                Note(
                    .warning, "frames-lost", "the pages differ in size: the first is kept, \(further) further pages are left out")
            ]
        case .gif, .webp:
            let further = source.image.pagesInFile - source.image.pageCount
            guard further > 0 else { return [] }
            return [Note(.warning, "frames-lost", "the first frame is kept, \(further) further frames are left out")]
        default: return []
        }
    }
}
