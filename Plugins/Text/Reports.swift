import LabelpipeKit

/// What the user should know of the fonts that were used.
struct Reports {
    private let settings: TextSettings
    private let choice: FontChoice
    /// Characters without a glyph, each once, and how often they occur together.
    private(set) var missing: [Unicode.Scalar] = []
    private var missingCount = 0
    /// Faces that were not asked for, with the characters they were taken for.
    private var fallbacks: [(face: Face, characters: [Unicode.Scalar])] = []
    private var emboldened: [String] = []
    private var tried: [String] = []

    init(_ composer: Composer, _ choice: FontChoice) {
        settings = composer.settings
        self.choice = choice
        let primary = composer.shaping.primary
        let file = composer.shaping.fonts.file?.path
        let asked = Set(choice.families.map { FamilyNames.comparable($0) })
        tried = [primary.name]
        var known: Set<Unicode.Scalar> = []
        for paragraph in composer.paragraphs {
            for run in paragraph.runs {
                if run.face.isEmboldened, !emboldened.contains(run.face.name) { emboldened.append(run.face.name) }
                let isAsked =
                    run.face === primary || run.face.file == file
                    || run.face.families.contains { asked.contains(FamilyNames.comparable($0)) }
                if !isAsked { add(run.face, paragraph.scalars(of: run)) }
                for cluster in run.glyphs.lazy.filter({ $0.id == 0 }).map(\.cluster) {
                    for scalar in paragraph.cluster(at: cluster, of: run) where !run.face.has(scalar) && scalar.isToBeSeen {
                        missingCount += 1
                        if known.insert(scalar).inserted { missing.append(scalar) }
                    }
                }
            }
        }
    }

    private mutating func add(_ face: Face, _ scalars: some Sequence<Unicode.Scalar>) {
        let index = fallbacks.firstIndex { $0.face === face } ?? fallbacks.count
        if index == fallbacks.count { fallbacks.append((face, [])) }
        // A few say which script it was.
        for scalar in scalars.lazy.filter(\.isToBeSeen) where fallbacks[index].characters.count < 8 {
            if !fallbacks[index].characters.contains(scalar) { fallbacks[index].characters.append(scalar) }
        }
    }

    /// **Errors**: `missing-glyph`, where the settings say so.
    func send(_ report: (Note) -> Void) throws {
        for entry in choice.skipped {
            report(Note(.warning, "font-skipped", "no font is installed for \"\(entry)\", the next of the list is used"))
        }
        for entry in choice.aliases {
            report(
                Note(.note, "font-alias", "\"\(entry.text)\" is not installed; fontconfig binds it to \"\(entry.family ?? "")\""))
        }
        for name in emboldened {
            report(Note(.note, "synthetic-bold", "\(name) has no bold face: a bold one is drawn from its outlines"))
        }
        for (face, characters) in fallbacks where !characters.isEmpty {
            let list = characters.map { "\($0.codePoint)" }.joined(separator: " ")
            report(Note(.note, "fallback-font", "\(face.name) is used for \(list)"))
        }
        guard !missing.isEmpty, settings.missingGlyph != .ignore else { return }
        let list = missing.prefix(32).map(\.codePoint).joined(separator: " ") + (missing.count > 32 ? " …" : "")
        let message =
            "no font has \(list) (\(missingCount) \(missingCount == 1 ? "character" : "characters")); "
            + "tried \(tried.joined(separator: ", ")) and every other installed font"
        if settings.missingGlyph == .fail {
            throw DrawingError(
                "missing-glyph", .missing, message, help: "install a font that has it, or set \"missingGlyph\" to \"warn\"")
        }
        report(Note(.warning, "missing-glyph", message))
    }
}

extension Paragraph {
    func scalars(of run: ShapedRun) -> String.UnicodeScalarView {
        String(decoding: text[run.range], as: UTF8.self).unicodeScalars
    }

    /// The characters that a cluster's glyphs stand for.
    func cluster(at byte: Int, of run: ShapedRun) -> String.UnicodeScalarView {
        // A run's clusters rise or fall, so the next one up is the nearest.
        let next = run.glyphs.lazy.map(\.cluster).filter { $0 > byte }.min() ?? run.range.upperBound
        return String(decoding: text[byte..<next], as: UTF8.self).unicodeScalars
    }
}

extension Unicode.Scalar {
    /// `U+00E9`
    var codePoint: String {
        let hex = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(4 - hex.count, 0)) + hex
    }

    /// Not a blank and not invisible by nature.
    var isToBeSeen: Bool { !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint }
}
