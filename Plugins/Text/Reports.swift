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
    private var slanted: [String] = []
    private var plain: [String] = []
    private let primary: Face
    private let substituted: String?

    init(_ composer: Composer, _ fonts: ChosenFonts) {
        settings = composer.settings
        (choice, primary) = (fonts.choice, fonts.primary)
        let file = fonts.book.file?.path
        let asked = Set(choice.families.map { FamilyNames.comparable($0) })
        // A rule of the machine's may put another family before the one that is installed.
        let first = choice.entries.first { $0.reason == .installed }
        let isFirst = fonts.book.file == nil && choice.families.first == first?.family
        let drawn = Set(primary.families.map { FamilyNames.comparable($0) })
        substituted = first?.family.flatMap { isFirst && !drawn.contains(FamilyNames.comparable($0)) ? $0 : nil }
        var known: Set<Unicode.Scalar> = []
        for paragraph in composer.paragraphs {
            for run in paragraph.runs {
                if run.face.isEmboldened, !emboldened.contains(run.face.name) { emboldened.append(run.face.name) }
                if run.face.isSlanted, !slanted.contains(run.face.name) { slanted.append(run.face.name) }
                if run.face.colours != nil, !plain.contains(run.face.name),
                    run.glyphs.contains(where: { run.face.shape($0.id).hasLostColours })
                {
                    plain.append(run.face.name)
                }
                let isAsked =
                    run.face === primary || run.face.file == file
                    || run.face.families.contains { asked.contains(FamilyNames.comparable($0)) }
                if !isAsked { add(run.face, paragraph.scalars(of: run)) }
            }
            for scalar in paragraph.missing() {
                missingCount += 1
                if known.insert(scalar).inserted { missing.append(scalar) }
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
        if let entry = choice.alias {
            report(
                Note(.note, "font-alias", "\"\(entry.text)\" is not installed; fontconfig binds it to \"\(entry.family ?? "")\""))
        }
        if let substituted {
            report(
                Note(.warning, "font-substituted", "\"\(substituted)\" is installed, but fontconfig's rules give \(primary.name)")
            )
        }
        for (tag, value) in settings.font.axes {
            let known = primary.axes.first { $0.tag == tag }
            let all = primary.axes.map(\.tag).joined(separator: ", ")
            if known == nil {
                let has = all.isEmpty ? "it is no variable font" : "it has \(all)"
                report(Note(.warning, "axis-unknown", "\(primary.name) has no axis \"\(tag)\": \(has)"))
            } else if let range = known?.range, !range.contains(value) {
                report(
                    Note(
                        .warning, "axis-range",
                        "\(primary.name)'s axis \"\(tag)\" goes from \(range.lowerBound) to \(range.upperBound), not to \(value)")
                )
            }
        }
        for name in slanted {
            report(Note(.note, "synthetic-italic", "\(name) has no italic face: its outlines are slanted"))
        }
        for name in emboldened {
            report(Note(.note, "synthetic-bold", "\(name) has no bold face: a bold one is drawn from its outlines"))
        }
        for name in plain {
            report(
                Note(
                    .warning, "colour-font",
                    "\(name) has colours in a form that is not drawn (of COLR version 1): its glyphs are plain; "
                        + "the same font with pictures (CBDT) keeps them"))
        }
        for (face, characters) in fallbacks where !characters.isEmpty {
            let list = characters.map { "\($0.codePoint)" }.joined(separator: " ")
            report(Note(.warning, "fallback-font", "\(face.name) is used for \(list)"))
        }
        guard !missing.isEmpty, settings.missingGlyph != .ignore else { return }
        let list = missing.prefix(32).map(\.codePoint).joined(separator: " ") + (missing.count > 32 ? " …" : "")
        let message =
            "no font has \(list) (\(missingCount) \(missingCount == 1 ? "character" : "characters")); "
            + "tried \(primary.name) and every other installed font"
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

    /// Characters that no font has, as often as they occur.
    func missing() -> [Unicode.Scalar] {
        var missing: [Unicode.Scalar] = []
        for run in runs {
            for index in run.glyphs.indices where run.glyphs[index].id == 0 {
                missing += cluster(of: index, in: run).filter { !run.face.has($0) && $0.isToBeSeen }
            }
        }
        return missing
    }

    /// The characters that a glyph stands for; none for any but the first glyph of a cluster.
    func cluster(of index: Int, in run: ShapedRun) -> String.UnicodeScalarView {
        let cluster = run.glyphs[index].cluster
        if index > 0, run.glyphs[index - 1].cluster == cluster { return "".unicodeScalars }
        // Clusters rise in the direction of reading.
        let step = run.isRightToLeft ? -1 : 1
        var next = index
        while run.glyphs.indices.contains(next), run.glyphs[next].cluster == cluster { next += step }
        let end = run.glyphs.indices.contains(next) ? run.glyphs[next].cluster : run.range.upperBound
        return String(decoding: text[cluster..<end], as: UTF8.self).unicodeScalars
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
