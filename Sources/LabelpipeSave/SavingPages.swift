import CLinux
import Glibc
import LabelpipeKit
import Vips

// Pages of a TIFF.
extension Saving {
    /// Pages of another size or kind than the first, each with a drawing of its own.
    package struct FurtherPages {
        /// From 0.
        let numbers: [Int]
        /// The drawing, and the page it is on. Asked for again where a picture that was to be spliced is encoded after all.
        let draw: (Int) throws -> (layer: Layer, image: Image, notes: [Note])
    }

    /// Encodes the further pages of a TIFF behind its first: libvips writes pages of one size only.
    ///
    /// **Cost**: a page's coded bytes are in memory.
    func append(_ further: FurtherPages, notes: inout [Note], to descriptor: Int32) throws {
        guard let source else { return }
        for number in further.numbers {
            let (layer, image, told) = try further.draw(number)
            notes += told
            let own = Source(descriptor: source.descriptor, kind: source.kind, image: image, page: number)
            var saving = Saving(settings: settings, name: name, source: own, isTolerant: isTolerant)
            saving.isBig = try TIFFJoining.isBig(descriptor)
            let file = lp_memory_file("page")
            guard file >= 0 else { throw FileEdit.failure(errno) }
            defer { close(file) }
            notes += try saving.encode(layer.image(), .tiff, nil, to: file).filter { !notes.contains($0) }
            try TIFFJoining.append(file, to: descriptor)
        }
    }

    /// Metadata of a TIFF's pages: each has its own, and those of a TIFF say how large a pixel is as they did.
    func pages(of image: Image, _ first: MetadataBlocks, notes: inout [Note]) throws -> [TIFFTags.Page] {
        let old =
            try source.map { try $0.kind == .tiff ? TIFFTags.pages($0.descriptor, from: $0.page, most: image.pageCount) : [] }
            ?? []
        let editing = MetadataEditing(settings: settings, orientation: image.orientation, resized: resized(image))
        return (0..<image.pageCount).map { page in
            var blocks = first
            if page > 0 {
                let (own, told) = editing.edited(old.indices.contains(page) ? old[page].blocks : MetadataBlocks())
                notes += told.filter { !notes.contains($0) }
                blocks = own
            }
            let resolution = keepsResolution(image) && old.indices.contains(page) ? old[page].resolution : nil
            return TIFFTags.Page(blocks: blocks, resolution: resolution)
        }
    }
}
