import CText

/// What `labelpipe fonts` tells: which face a list of families comes to on this machine, and why.
///
/// **Errors** of all: those of `text.mask`: `font-missing`, `font-unreadable`, `fonts-none`.
public enum Fonts {
    /// A face of a font file.
    public struct Face: Hashable, Sendable {
        /// As fontconfig names it: `DejaVu Sans Bold`.
        public let name: String
        public let families: [String]
        public let file: String
        /// A drawn bold: the family has none.
        public let isSyntheticBold: Bool
    }

    /// The answer to a list of families.
    public struct Resolution: Hashable, Sendable {
        /// The face that text is set in, where it has the characters.
        public let face: Face
        /// How each entry of the list was understood, in order.
        public let entries: [Entry]
    }

    /// One entry of a list.
    public struct Entry: Hashable, Sendable {
        public enum Reason: String, Hashable, Sendable {
            case installed, generic, alias, file, unknown
        }
        public let text: String
        public let reason: Reason
        /// The family it means; of an alias the one that fontconfig binds it to. nil: unknown.
        public let family: String?
    }

    /// Which face a list of families, as in `text.mask`'s `font`, comes to.
    public static func resolve(_ list: String, fontFile: String? = nil, weight: Int? = nil) throws -> Resolution {
        try resolve(list, fontFile: fontFile, weight: weight, engine: .shared)
    }

    package static func resolve(_ list: String, fontFile: String?, weight: Int?, engine: TextEngine) throws -> Resolution {
        try engine.withFonts(file: fontFile) { book in
            let fonts = try ChosenFonts(FontRequest(list: list, file: fontFile, weight: weight), book)
            return Resolution(face: face(fonts.primary), entries: fonts.choice.entries)
        }
    }

    /// The characters of a text that no installed font has, each once, in order.
    public static func missing(in text: String, font list: String = "sans-serif", fontFile: String? = nil) throws -> [Unicode
        .Scalar]
    {
        try missing(in: text, font: list, fontFile: fontFile, engine: .shared)
    }

    package static func missing(in text: String, font list: String, fontFile: String?, engine: TextEngine) throws -> [Unicode
        .Scalar]
    {
        try engine.withFonts(file: fontFile) { book in
            let fonts = try ChosenFonts(FontRequest(list: list, file: fontFile), book)
            var missing: [Unicode.Scalar] = []
            for paragraph in Composer.paragraphs(of: text) {
                for scalar in Paragraph(paragraph, rightToLeft: false, Shaping(fonts)).missing() where !missing.contains(scalar) {
                    missing.append(scalar)
                }
            }
            return missing
        }
    }

    /// All families that are installed, sorted.
    public static func families() throws -> [String] { try families(engine: .shared) }

    package static func families(engine: TextEngine) throws -> [String] { try engine.withFonts { $0.families.all.sorted() } }

    private static func face(_ face: TextPlugin.Face) -> Face {
        Face(name: face.name, families: face.families, file: face.file, isSyntheticBold: face.isEmboldened)
    }
}
