import LabelpipeKit
import Splice
import Synchronization
import Vips

/// A picture's file, opened to be drawn on and saved: what everybody who draws on files begins with.
package final class OpenedPicture: Sendable {
    package let file: PictureFile
    /// All pages where they are of one size and kind, else the first; with the metadata that libvips left in the file.
    package let image: Image
    /// Where the pages of a TIFF are not of one size and kind: the numbers, from 0, of those behind the first. Each is opened
    /// and drawn on for itself. Smaller versions of a page are none.
    private let furtherPages: [Int]
    private let descriptor: Int32
    private let path: [UInt8]
    private let asked = Mutex<(whole: Bool, page: Bool)>((false, false))

    /// - Parameters:
    ///   - descriptor: stays the caller's, and open as long as this is in use.
    ///   - options: with all pages, the first alone is opened where they cannot be read together.
    /// **Errors**: `PictureFileError`.
    package init(descriptor: Int32, path: [UInt8] = [], options: LoadOptions) throws {
        (self.descriptor, self.path) = (descriptor, path)
        do {
            file = try PictureFile(descriptor: descriptor, path: path, options: options)
        } catch PictureFileError.corrupt(let error) where options.pages == .all {
            var first = options
            first.pages = .first
            do {
                file = try PictureFile(descriptor: descriptor, path: path, options: first)
            } catch PictureFileError.corrupt {
                throw PictureFileError.corrupt(error)
            }
        }
        image = try MetadataBlocks.completed(file.image, kind: file.kind, descriptor: descriptor)
        furtherPages =
            file.kind == .tiff && options.pages == .all && image.pagesInFile > image.pageCount
            ? (try TIFFFile.ifSound(descriptor)?.pictures ?? []).filter { $0 > 0 } : []
        if let limit = options.pageLimit, furtherPages.count >= limit {
            throw PictureFileError.tooLarge(what: "pages", got: furtherPages.count + 1, limit: limit)
        }
    }

    /// Pages that are drawn on, together or one by one.
    package var pageCount: Int { furtherPages.isEmpty ? image.pageCount : furtherPages.count + 1 }

    /// Untouched.
    package var picture: Picture { Picture(image, orientation: image.orientation, provenance: Provenance()) }

    /// What a document draws on.
    ///
    /// - Parameter page: the only one, from 1; nil: all that is there.
    /// **Errors**: `DrawingError`: no such page.
    package func picture(page number: Int?) throws -> Picture {
        asked.withLock { if number == nil { $0.whole = true } else { $0.page = true } }
        guard let number else { return picture }
        let all = picture
        let count = pageCount
        guard (1...count).contains(number) else {
            throw DrawingError("no-page", "page \(number) of a picture of \(count)")
        }
        if count == 1 { return all }
        if number > all.pageCount {
            let page = try furtherPage(furtherPages[number - 2])
            return Picture(page.image, orientation: page.image.orientation)
        }
        return try page(number)
    }

    /// One of the pages that are read together.
    ///
    /// - Parameter number: from 1.
    package func page(_ number: Int) throws -> Picture {
        let height = picture.storedHeight
        let box = PixelBox(left: 0, top: (number - 1) * height, width: image.width, height: height)
        return Picture(try image.extractArea(box), orientation: image.orientation)
    }

    /// **Errors**: `PictureFileError`.
    private func furtherPage(_ number: Int) throws -> (image: Image, notes: [Note]) {
        var options = file.options
        options.pages = .only(number)
        let page: PictureFile
        do {
            page = try PictureFile(descriptor: descriptor, path: path, options: options)
        } catch PictureFileError.corrupt(let error) {
            throw PictureFileError.corrupt(VipsError(operation: error.operation, message: "page \(number + 1): \(error.message)"))
        }
        return (
            try MetadataBlocks.completed(page.image, kind: page.kind, descriptor: descriptor, page: number),
            // What is wrong with the whole file was told of its first page.
            page.warnings.filter { !file.warnings.contains($0) }.map { Note(.warning, "damaged", "page \(number + 1): \($0)") }
        )
    }

    /// For a saver, once the picture is drawn on.
    package var source: Saving.Source {
        var source = Saving.Source(descriptor: descriptor, kind: file.kind, image: image)
        // Who asks for pages one by one does not miss the others.
        source.furtherPages = asked.withLock { $0.page && !$0.whole } ? [] : furtherPages
        return source
    }

    /// The pages that a saver has to ask for one by one; nil where there are none, or where nobody can tell what is meant for
    /// them, since the document takes single pages out as well.
    ///
    /// - Parameter draw: what was drawn on the first, drawn on another, whose number from 1 it is told.
    package func further(_ draw: @escaping (Picture, Int) throws -> Layer) -> Saving.FurtherPages? {
        guard !furtherPages.isEmpty, asked.withLock({ $0.whole && !$0.page }) else { return nil }
        return Saving.FurtherPages(numbers: furtherPages) { [self] number in
            let (image, notes) = try furtherPage(number)
            let place = 2 + (furtherPages.firstIndex(of: number) ?? 0)
            return (try draw(Picture(image, orientation: image.orientation, provenance: Provenance()), place), image, notes)
        }
    }
}
