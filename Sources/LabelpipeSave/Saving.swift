import Glibc
import LabelpipeDrawing
import LabelpipeKit
import Splice
import Vips

/// From a layer to a file.
package struct Saving {
    /// The picture that was drawn on.
    package struct Source {
        package let descriptor: Int32
        package let kind: FileKind
        package let image: Image

        package init(descriptor: Int32, kind: FileKind, image: Image) {
            (self.descriptor, self.kind, self.image) = (descriptor, kind, image)
        }
    }

    /// What became of it.
    package struct Report: Sendable {
        /// How the file was made, and why: `splice-stream: …`, `reencode: …`, `encode`.
        package var mode: String
        package var notes: [Note]
    }

    package let settings: OutputSettings
    /// Its extension may decide the format.
    package let name: [UInt8]
    package let source: Source?
    package let isTolerant: Bool

    package init(settings: OutputSettings, name: [UInt8], source: Source?, isTolerant: Bool) {
        (self.settings, self.name, self.source, self.isTolerant) = (settings, name, source, isTolerant)
    }

    /// Writes the layer to an empty file.
    ///
    /// **Errors**: `VipsError`, `SpliceError`, `DrawingError` with the cause `missing` for a codec that is not installed.
    package func save(_ layer: Layer, to descriptor: Int32) throws -> Report {
        guard let format = OutputFormat.chosen(settings, name: name, source: source?.kind) else {
            throw DrawingError(
                "no-format", "the output's path says no format", help: "end it in .jpg .png .webp .tif …, or write \"format\"")
        }
        let picture = try layer.image()
        var reason: String?
        let jpeg = format == .jpeg ? source.flatMap { JPEGWriting(settings, source: $0) } : nil
        if let jpeg {
            do {
                switch try jpeg.splice(picture, to: descriptor) {
                case .success(let report): return report
                case .failure(let obstacle): reason = obstacle.reason
                }
            } catch SpliceError.damaged(let what) {
                guard isTolerant else { throw DrawingError("corrupt", "the JPEG is damaged: \(what)") }
                // Whatever was written of it is written over.
                guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw SpliceError.damaged(what) }
                reason = "the file is damaged"
            }
        }
        if format == .tiff, let tiff = source.flatMap({ TIFFWriting(settings, source: $0) }) {
            switch try tiff.splice(picture, to: descriptor) {
            case .success(let report): return report
            case .failure(let obstacle): reason = obstacle.reason
            }
        }
        if settings.jpeg == .splice {
            throw DrawingError(
                "no-splice", "cannot be spliced: \(reason ?? "only a JPEG from a JPEG can")",
                help: "write \"jpeg\": \"auto\" to have such pictures encoded anew")
        }
        guard Saver.exists(format) else {
            throw DrawingError("codec-missing", .missing, "the installed libvips cannot write \(format.rawValue)")
        }
        var fitting = Fitting(settings: settings, format: format)
        var image = try fitting.image(of: picture)
        let blocks = MetadataBlocks(image)
        let (edited, told) = blocks.edited(settings, orientation: image.orientation)
        if let jpeg {
            let (segments, previews) = jpeg.segments()
            let kept = JPEGMetadata(edited, isChanged: edited != blocks, image: image, source: source?.image).segments(segments)
            try jpeg.encode(image, segments: kept, to: descriptor)
            let notes = fitting.notes + told + previews.map { Note(.note, "jpeg", $0) }
            return Report(mode: reason.map { "reencode: \($0)" } ?? "reencode", notes: notes)
        }
        if edited != blocks || image.has("jpeg-thumbnail-data") {
            image = try edited.attached(to: image).removing(["jpeg-thumbnail-data"])
        }
        let options = SaveChoices(settings: settings, source: source).options(format, image)
        try Saver.save(image, to: descriptor, options, isTolerant: isTolerant)
        let mode = source == nil ? "render" : "encode"
        return Report(mode: reason.map { "\(mode): \($0)" } ?? mode, notes: fitting.notes + told)
    }
}
