import Splice

/// A JPEG that is drawn on, as libjpeg's interface describes it.
struct JPEGSource {
    let file: MappedFile
    let splicer: JPEGSplicer

    /// nil: no JPEG, or none that a splicer can read; libvips may.
    ///
    /// **Errors**: the file cannot be read. Without it the picture would lose its tables and what follows it without a word.
    init?(_ source: Saving.Source?) throws {
        guard let source, source.kind == .jpeg else { return nil }
        let file = try MappedFile(descriptor: source.descriptor)
        guard let splicer = try? JPEGSplicer(file.bytes) else { return nil }
        (self.file, self.splicer) = (file, splicer)
    }

    var header: JPEGHeader { splicer.header }

    /// What follows the picture, for outputs that cannot hold it; nil where it is nothing worth a word.
    var trailerLoss: String? {
        guard header.trailer.count > 64 else { return nil }
        let previews = JPEGSurroundings(of: header, in: file.bytes, keepsTrailer: true)
        let isGainMap = previews.notes.contains { $0.hasPrefix("a gain map") }
        return isGainMap
            ? "the gain map behind the picture is left out: it will look the same on all displays"
            : "\(header.trailer.count) bytes behind the picture's end are left out"
    }
}
