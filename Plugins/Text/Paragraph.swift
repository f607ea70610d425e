import CText

/// A paragraph, shaped once for every size and width: itemized by Pango, shaped by HarfBuzz, measured in em.
final class Paragraph {
    let text: [UInt8]
    let runs: [ShapedRun]
    let isRightToLeft: Bool
    /// Bytes before which a line may end, the text's end included; at characters that a reader would count, likewise.
    let lineBreaks, characterBreaks: [Int]
    /// Bytes where a character that a reader would count begins.
    let cursors: [Int]
    /// Advances of all clusters that begin before a byte. em
    private(set) var advances: [Double]
    /// Clusters before a byte that letter spacing stands between.
    private(set) var letters: [Int32]
    /// Whether a cluster begins at a byte and what is before it can be cut off without shaping again.
    let isSafe: [Bool]
    /// The bytes that are tabs.
    let tabs: [Int]
    private let shaping: Shaping

    init(_ text: [UInt8], rightToLeft: Bool, _ shaping: Shaping) {
        self.text = text
        self.isRightToLeft = rightToLeft
        self.shaping = shaping
        var runs: [ShapedRun] = []
        var places = (line: [Int](), character: [Int](), cursor: [Int]())
        text.withUnsafeBytes { bytes in
            let characters = bytes.bindMemory(to: CChar.self)
            guard !characters.isEmpty else { return }
            shaping.fonts.book.itemize(
                characters, shaping.fonts.description, language: shaping.fonts.language, rightToLeft: rightToLeft
            ) {
                start, length, face, level, script, language in
                runs.append(
                    ShapedRun(
                        face: face, range: start..<start + length, level: level, script: script,
                        language: language.flatMap { hb_language_from_string(pango_language_to_string($0), -1) },
                        glyphs: [], isTab: bytes[start] == 9))
            }
            Paragraph.findBreaks(characters, shaping.fonts.language) { byte, flags in
                if flags & UInt8(LPT_LINE_BREAK) != 0 || byte == text.count { places.line.append(byte) }
                if flags & UInt8(LPT_CHAR_BREAK) != 0 || byte == text.count { places.character.append(byte) }
                if flags & UInt8(LPT_CURSOR) != 0, byte < text.count { places.cursor.append(byte) }
            }
        }
        (lineBreaks, characterBreaks, cursors) = places
        var advances = [Double](repeating: 0, count: text.count + 1)
        var isSafe = [Bool](repeating: false, count: text.count + 1)
        let buffer: OpaquePointer = hb_buffer_create()
        defer { hb_buffer_destroy(buffer) }
        for index in runs.indices where !runs[index].isTab {
            runs[index].glyphs = Paragraph.shape(text, runs[index], runs[index].range, shaping.features, buffer) { byte, safe in
                isSafe[byte] = safe
            }
            for glyph in runs[index].glyphs { advances[glyph.cluster] += glyph.advance }
        }
        for run in runs { isSafe[run.range.lowerBound] = true }
        isSafe[0] = true
        isSafe[text.count] = true
        self.runs = runs
        self.isSafe = isSafe
        self.advances = advances
        letters = [Int32](repeating: 0, count: text.count + 1)
        tabs = runs.filter(\.isTab).flatMap { Array($0.range) }
        accumulate()
    }

    /// From amounts at each byte to sums before each byte.
    private func accumulate() {
        for run in runs {
            for glyph in run.glyphs where takesSpacing(at: glyph.cluster) { letters[glyph.cluster] = 1 }
        }
        var sum = 0.0
        var count: Int32 = 0
        for index in advances.indices {
            let (advance, letter) = (advances[index], letters[index])
            (advances[index], letters[index]) = (sum, count)
            sum += advance
            count += letter
        }
    }

    /// The runs that a part of the text touches.
    func runs(in range: Range<Int>) -> Range<Int> {
        let start = runs.firstIndex(sorted: { $0.range.upperBound > range.lowerBound })
        return start..<max(start, runs.firstIndex(sorted: { $0.range.lowerBound >= range.upperBound }))
    }

    func tabs(in range: Range<Int>) -> ArraySlice<Int> {
        if tabs.isEmpty { return [] }
        let start = tabs.firstIndex(sorted: { $0 >= range.lowerBound })
        return tabs[start..<max(start, tabs.firstIndex(sorted: { $0 >= range.upperBound }))]
    }

    /// Letter spacing stands between what is seen: not beside a character without width of its own (ZWJ, direction marks).
    func takesSpacing(at byte: Int) -> Bool {
        guard byte < text.count, text[byte] >= 0xC2, let scalar = scalar(at: byte) else { return byte < text.count }
        return !scalar.properties.isDefaultIgnorableCodePoint
    }

    func scalar(at byte: Int) -> Unicode.Scalar? { Paragraph.scalar(in: text, at: byte) }

    private static func scalar(in text: [UInt8], at byte: Int) -> Unicode.Scalar? {
        var decoder = UTF8()
        var rest = text[byte...].makeIterator()
        if case .scalarValue(let scalar) = decoder.decode(&rest) { return scalar }
        return nil
    }

    /// Glyphs of `range` of a run, shaped with what stands around it.
    private static func shape(
        _ text: [UInt8], _ run: ShapedRun, _ range: Range<Int>, _ features: [hb_feature_t], _ buffer: OpaquePointer,
        mark: (_ byte: Int, _ isSafe: Bool) -> Void = { _, _ in }
    ) -> [ShapedGlyph] {
        hb_buffer_clear_contents(buffer)
        text.withUnsafeBytes { bytes in
            hb_buffer_add_utf8(
                buffer, bytes.bindMemory(to: CChar.self).baseAddress, Int32(text.count), UInt32(range.lowerBound),
                Int32(range.count))
        }
        hb_buffer_set_direction(buffer, run.isRightToLeft ? HB_DIRECTION_RTL : HB_DIRECTION_LTR)
        hb_buffer_set_script(buffer, run.script)
        hb_buffer_set_language(buffer, run.language)
        var flags = HB_BUFFER_FLAG_DEFAULT.rawValue
        if range.lowerBound == 0 { flags |= HB_BUFFER_FLAG_BOT.rawValue }
        if range.upperBound == text.count { flags |= HB_BUFFER_FLAG_EOT.rawValue }
        hb_buffer_set_flags(buffer, hb_buffer_flags_t(flags))
        hb_shape(run.face.hb, buffer, features, UInt32(features.count))
        var count: UInt32 = 0
        guard let infos = hb_buffer_get_glyph_infos(buffer, &count), let positions = hb_buffer_get_glyph_positions(buffer, &count)
        else { return [] }
        let em = run.face.em
        return (0..<Int(count)).map { index in
            let (info, position) = (infos[index], positions[index])
            let cluster = Int(info.cluster)
            mark(cluster, info.mask & HB_GLYPH_FLAG_UNSAFE_TO_BREAK.rawValue == 0)
            var glyph = ShapedGlyph(
                id: info.codepoint, cluster: cluster, advance: Double(position.x_advance) * em,
                dx: Double(position.x_offset) * em,
                dy: -Double(position.y_offset) * em)
            if glyph.id == 0, let scalar = scalar(in: text, at: cluster), !scalar.isToBeSeen {
                // A font of icons without a blank: room, and no box.
                glyph.id = ShapedGlyph.nothing
                glyph.advance = scalar.properties.isWhitespace ? run.face.space : 0
            }
            return glyph
        }
    }

    /// The glyphs of a run that stand for `range` of it, as if what is outside stood on other lines.
    func glyphs(of run: ShapedRun, in range: Range<Int>) -> [ShapedGlyph] {
        if range == run.range || run.isTab { return run.glyphs }
        if isSafe[range.lowerBound] && (isSafe[range.upperBound] || range.upperBound == run.range.upperBound) {
            let (first, end) = (run.index(of: range.lowerBound), run.index(of: range.upperBound))
            return Array(run.glyphs[min(first, end)..<max(first, end)])
        }
        let buffer: OpaquePointer = hb_buffer_create()
        defer { hb_buffer_destroy(buffer) }
        return Paragraph.shape(text, run, range, shaping.features, buffer)
    }

    private static func findBreaks(
        _ text: UnsafeBufferPointer<CChar>, _ language: OpaquePointer, _ body: (_ byte: Int, _ flags: UInt8) -> Void
    ) {
        let count = g_utf8_strlen(text.baseAddress, text.count)
        withUnsafeTemporaryAllocation(of: PangoLogAttr.self, capacity: count + 1) { attributes in
            guard let first = attributes.baseAddress else { return }
            pango_get_log_attrs(text.baseAddress, Int32(text.count), -1, language, first, Int32(count + 1))
            var character = 0
            for byte in 0...text.count where byte == text.count || UInt8(bitPattern: text[byte]) & 0xC0 != 0x80 {
                body(byte, lpt_break_flags(first + character))
                character += 1
            }
        }
    }
}

// MARK: - Characters

extension Paragraph {
    /// The first byte of the character before `byte`.
    func start(before byte: Int) -> Int {
        var at = byte - 1
        while at > 0, text[at] & 0xC0 == 0x80 { at -= 1 }
        return at
    }

    /// A blank that may hang over the end of a line. NBSP is none.
    func isBlank(at byte: Int) -> Bool {
        if text[byte] < 0x80 { return text[byte] == 0x20 || text[byte] == 9 }
        switch scalar(at: byte)?.value ?? 0 {
        case 0x1680, 0x2000...0x2006, 0x2008...0x200B, 0x205F, 0x3000: return true
        default: return false
        }
    }

    /// A blank that grows when a line is justified.
    func isExpandable(at byte: Int) -> Bool { text[byte] == 0x20 || (text[byte] == 0xC2 && text[byte + 1] == 0xA0) }
}
