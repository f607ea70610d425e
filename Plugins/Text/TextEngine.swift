import Glibc
import Synchronization

/// The fonts of one fontconfig set-up, used by one caller at a time.
///
/// Pango keeps state for each thread, fontconfig's configurations must not change while Pango's own thread reads them, and HarfBuzz
/// fonts are filled lazily. So all layout in a process is done by one thread at a time, under one lock; what leaves this module is plain
/// data without locks.
package final class TextEngine: @unchecked Sendable {
    // Unchecked: `books` is only touched with `lock` held.

    /// The machine's own set-up.
    package static let shared = TextEngine(configuration: nil)

    private static let lock = Mutex(())
    /// More font files in use than this: the one opened first is closed.
    private static let fileLimit = 16

    private let configuration: String?
    private var books: [(file: String?, book: FontBook)] = []

    /// - Parameter configuration: a fontconfig file that stands for the machine's own; nil: the machine's own.
    package init(configuration: String?) {
        self.configuration = configuration
        // Pango asks the locale which language Chinese characters are in. The same document is to draw the same everywhere.
        setenv("PANGO_LANGUAGE", "en", 1)
    }

    /// Lends the fonts, those of `file` before all others.
    ///
    /// **Errors**: `font-unreadable`, `fonts-none`.
    /// **Cost**: some 10 ms the first time, 7 ms for each new font file.
    func withFonts<Result>(file: String? = nil, _ use: (FontBook) throws -> Result) throws -> Result {
        try TextEngine.lock.withLock { _ in
            if let known = books.first(where: { $0.file == file }) { return try use(known.book) }
            let book = try FontBook(configuration: configuration, file: file)
            if books.count(where: { $0.file != nil }) >= TextEngine.fileLimit,
                let oldest = books.firstIndex(where: { $0.file != nil })
            {
                books.remove(at: oldest)
            }
            books.append((file, book))
            return try use(book)
        }
    }
}
