import Glibc
import LabelpipeKit
import Outline
import Splice
import Vips

/// TIFF from TIFF: a copy of the file with the label's tiles behind it, where that can be done.
struct TIFFSplicing: Splicing {
    let settings: OutputSettings
    let source: Saving.Source
    let further: Saving.FurtherPages?

    /// nil: no TIFF.
    init?(_ settings: OutputSettings, source: Saving.Source, further: Saving.FurtherPages?) {
        guard source.kind == .tiff else { return nil }
        (self.settings, self.source, self.further) = (settings, source, further)
    }

    /// Why the document's output keys need the file written anew; nil where they don't.
    private var obstacleInSettings: String? {
        if settings.compression != nil { return "the document sets a compression" }
        if settings.quality != nil { return "the document sets a quality" }
        if settings.tile != nil { return "the document sets tile" }
        if settings.pyramid != nil { return "the document sets pyramid" }
        if settings.profile != .keep { return "the document converts the profile" }
        if settings.metadata != .keep { return "the document drops metadata" }
        if !settings.set.isEmpty { return "the document sets metadata" }
        return nil
    }

    /// Copies the file and draws the touched tiles; a reason says why not, and the output is empty then.
    func splice(_ picture: Picture, to descriptor: Int32) throws -> Swift.Result<Saving.Report, Obstacle> {
        if let reason = obstacleInSettings { return .failure(Obstacle(reason: reason)) }
        let splicer = try TIFFSplicer(source.descriptor)
        var pages: [Int: [Sheet]] = [:]
        do {
            // Pages of one size were read together, and all are drawn on alike.
            let sheets = try sheets(of: picture, on: 0..<picture.pageCount, splicer.file)
            for number in 0..<picture.pageCount { pages[number] = sheets }
            for number in further?.numbers ?? [] {
                pages[number] = try self.sheets(
                    of: try further?.draw(number).layer.image(), on: number..<number + 1, splicer.file)
            }
        } catch let obstacle as Obstacle {
            return .failure(obstacle)
        }
        if pages.values.allSatisfy(\.isEmpty) { pages = [:] }
        switch try splicer.splice(pages, to: descriptor) {
        case .spliced(let mode, let touched, let total, let notes):
            return .success(
                Saving.Report(
                    mode: "\(mode): \(touched) of \(total) tiles encoded anew",
                    notes: notes.map(TIFFSplicing.note)))
        case .unsuitable(let reason): return .failure(Obstacle(reason: reason))
        }
    }

    /// What was drawn on pages of the file.
    private func sheets(of picture: Picture?, on numbers: Range<Int>, _ file: TIFFFile) throws -> [Sheet] {
        guard let picture, let provenance = picture.provenance else {
            throw Obstacle(reason: "the picture itself was changed")
        }
        // 1 is white in a label, and must be in the file.
        guard picture.image.format != .float || picture.image.fullIntensity == 1 else {
            throw Obstacle(reason: "floats of unknown range")
        }
        let colours = picture.image.bands - (picture.image.hasAlpha ? 1 : 0)
        guard provenance.touched.allSatisfy({ $0.patch.channels == colours }) else {
            throw Obstacle(reason: "the label has other colours than the file")
        }
        guard picture.pageCount == numbers.count, file.pages.count >= numbers.upperBound,
            file.pages[numbers].allSatisfy({
                $0.width == picture.image.width && $0.height == picture.storedHeight && $0.channels == colours
            })
        else { throw Obstacle(reason: "its pages are not those that were drawn on") }
        return provenance.touched.filter { !$0.region.isEmpty }.map(sheet)
    }

    private static func note(_ text: String) -> Note {
        if text.hasSuffix("layers dropped") { return Note(.warning, "layers-lost", text) }
        return text.hasSuffix("dropped") || text.hasPrefix("untouched tiles")
            ? Note(.note, "tiff", text) : Note(.warning, "page-unmarked", text)
    }

    private func sheet(_ touch: Provenance.Touch) -> Sheet {
        let region = touch.region
        let row = touch.patch.channels + 1
        return Sheet(
            area: Area(x: region.x, y: region.y, width: region.width, height: region.height), channels: touch.patch.channels
        ) { part, floats in
            try touch.patch.pixels(
                in: Region(x: part.x, y: part.y, width: part.width, height: part.height), into: floats,
                rowStride: part.width * row)
        }
    }
}
