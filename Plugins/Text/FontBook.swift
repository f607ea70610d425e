import CText
import Glibc
import LabelpipeKit

/// The fonts of one fontconfig configuration, with or without a font file of the user's before them.
///
/// A font file gets a configuration of its own: one that Pango has begun to use is never changed. The file is registered under a
/// private family name, given by a scan rule, so an installed namesake cannot be meant by accident.
final class FontBook {
    let config: OpaquePointer
    let file: FontFile?
    let families: FamilyNames
    private let map: UnsafeMutablePointer<PangoFontMap>
    private let context: OpaquePointer
    private var ubiquitous: Set<String>?
    private var faces: [UnsafeMutablePointer<PangoFont>: Face] = [:]
    /// More faces than this (every axis value of a variable font is one): all are forgotten and made again.
    private static let faceLimit = 256

    /// **Units**: px. Layout does not depend on the size, so one size serves all.
    static let referenceSize = 64.0

    init(configuration: String?, file path: String?) throws {
        let config = try FontBook.load(configuration, isOwn: path != nil)
        self.config = config
        do {
            file = try path.map { try FontFile($0, in: config) }
        } catch {
            FcConfigDestroy(config)
            throw error
        }
        families = FamilyNames(config)
        guard !families.isEmpty else {
            FcConfigDestroy(config)
            throw DrawingError(
                "fonts-none", .missing, "no fonts are installed",
                help: "install some (on Debian: apt install fonts-dejavu-core), or name a file with \"fontFile\"")
        }
        map = pango_ft2_font_map_new()
        pango_ft2_font_map_set_resolution(lpt_ft2_font_map(map), 72, 72)
        pango_fc_font_map_set_config(lpt_fc_font_map(map), config)
        context = pango_font_map_create_context(map)
        pango_context_set_round_glyph_positions(context, 0)
    }

    deinit {
        faces = [:]
        g_object_unref(UnsafeMutableRawPointer(context))
        g_object_unref(map)
        FcConfigDestroy(config)
    }

    private static func load(_ configuration: String?, isOwn: Bool) throws -> OpaquePointer {
        // A configuration that a file is added to is nobody else's; without one, that of the process serves.
        let config = try read(configuration) {
            isOwn ? FcInitLoadConfigAndFonts() : FcInit() != 0 ? FcConfigReference(nil) : nil
        }
        do {
            let again = try read(configuration) { FcInitLoadConfigAndFonts() }
            defer { FcConfigDestroy(again) }
            guard FontCensus(config) == FontCensus(again) else {
                throw DrawingError(
                    "fonts-unsteady", .missing, "fontconfig's files were read twice, and not the same came of it",
                    help: "a file could not be read, or fonts are being installed: run it again")
            }
        } catch {
            FcConfigDestroy(config)
            throw error
        }
        return config
    }

    private static func read(_ configuration: String?, _ standard: () -> OpaquePointer?) throws -> OpaquePointer {
        guard let configuration else {
            guard let config = standard() else {
                throw DrawingError("fonts-none", .missing, "fontconfig cannot be set up", help: "run fc-list to see what it says")
            }
            return config
        }
        let config = FcConfigCreate()
        guard let config, FcConfigParseAndLoad(config, configuration, 1) != 0, FcConfigBuildFonts(config) != 0 else {
            if let config { FcConfigDestroy(config) }
            throw DrawingError("fonts-none", .missing, "cannot read the fontconfig file \(configuration)")
        }
        return config
    }

    /// Splits a paragraph into runs of one face, script and direction.
    ///
    /// - Parameter body: called with each run's first byte, number of bytes, face, embedding level, script, language.
    func itemize(
        _ text: UnsafeBufferPointer<CChar>, _ font: FontDescription, language: OpaquePointer, rightToLeft: Bool,
        _ body: (Int, Int, Face, UInt8, hb_script_t, OpaquePointer?) -> Void
    ) {
        if faces.count > FontBook.faceLimit { faces = [:] }
        pango_context_set_font_description(context, font.pointer)
        pango_context_set_language(context, language)
        let attributes = pango_attr_list_new()
        defer { pango_attr_list_unref(attributes) }
        let list = pango_itemize_with_base_dir(
            context, rightToLeft ? PANGO_DIRECTION_RTL : PANGO_DIRECTION_LTR, text.baseAddress, 0, Int32(text.count), attributes,
            nil)
        var link = list
        while let node = link {
            if let item = node.pointee.data?.assumingMemoryBound(to: PangoItem.self) {
                let analysis = item.pointee.analysis
                if let font = analysis.font {
                    body(
                        Int(item.pointee.offset), Int(item.pointee.length), face(font), analysis.level,
                        lpt_hb_script(Int32(analysis.script)), analysis.language)
                }
                pango_item_free(item)
            }
            link = node.pointee.next
        }
        g_list_free(list)
    }

    /// The face that a description means before any fallback.
    func face(_ font: FontDescription, language: OpaquePointer) -> Face? {
        pango_context_set_language(context, language)
        guard let font = pango_context_load_font(context, font.pointer) else { return nil }
        defer { g_object_unref(font) }
        return face(font)
    }

    private func face(_ font: UnsafeMutablePointer<PangoFont>) -> Face {
        if let known = faces[font] { return known }
        let face = Face(font)
        faces[font] = face
        return face
    }

    /// The installed family that fontconfig binds to `family` as the same; nil: there is none.
    func alias(of family: String) -> String? {
        // A set-up may prefer some family to everything: that is no answer to this one.
        if ubiquitous == nil { ubiquitous = Set(bound(to: "labelpipe knows no such family")) }
        return bound(to: family).first { families.contains($0) && ubiquitous?.contains($0) != true }
    }

    /// The families that fontconfig's rules put on a level with one that is asked for.
    private func bound(to family: String) -> [String] {
        guard let pattern = FcPatternCreate() else { return [] }
        defer { FcPatternDestroy(pattern) }
        FcPatternAddString(pattern, FC_FAMILY, family)
        FcConfigSubstitute(config, pattern, FcMatchPattern)
        var found: [String] = []
        var index: Int32 = 0
        var name: UnsafePointer<CChar>?
        while case let binding = lpt_family_with_binding(pattern, index, &name), binding >= 0, let bound = name {
            // One that is bound "same" takes the binding of the one it stands for, which is strong because it was asked for.
            if binding != FcValueBindingWeak.rawValue { found.append(String(cString: bound)) }
            index += 1
        }
        return found
    }
}

/// A font file of the user's, registered under a family name that nothing else has.
struct FontFile {
    let path: String
    /// The private name.
    let family: String
    /// What the file itself calls its families.
    let ownFamilies: FamilyNames

    init(_ path: String, in config: OpaquePointer) throws {
        self.path = path
        self.family = "labelpipe font file"
        func unreadable(_ reason: String) -> DrawingError {
            FontFile.unusable(path, reason, help: "\(FontFile.parameter) names a TrueType or OpenType font, a .ttf or .otf file")
        }
        // Opening without blocking, and before fontconfig does: a pipe without a writer would hang.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(String(cString: strerror(errno)).lowercasedFirst) }
        var facts = stat()
        defer { close(descriptor) }
        guard fstat(descriptor, &facts) == 0 else { throw unreadable("it cannot be examined") }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw unreadable(facts.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is not a regular file")
        }
        var count: Int32 = 0
        let own = FcFontSetCreate()
        defer { FcFontSetDestroy(own) }
        guard FcFreeTypeQueryAll(path, UInt32.max, nil, &count, own) > 0 else {
            throw unreadable("it is \(FontFile.kind(of: descriptor)), not a font")
        }
        ownFamilies = FamilyNames(set: own)
        // The rule comes after the machine's fonts have been scanned, so it only meets this file.
        let rule = """
            <fontconfig><match target="scan"><edit name="family" mode="assign_replace"><string>\(family)</string></edit></match></fontconfig>
            """
        guard FcConfigParseAndLoadFromMemory(config, rule, 1) != 0, FcConfigAppFontAddFile(config, path) != 0 else {
            throw unreadable("it is \(FontFile.kind(of: descriptor)), not a font")
        }
    }

    /// As `text.mask` calls it.
    private static let parameter = "fontFile"

    static func unusable(_ path: String, _ reason: String, help: String) -> DrawingError {
        DrawingError(
            "font-unreadable", .missing, "cannot use the font file \"\(path)\": \(reason)", about: parameter, help: help)
    }

    /// What a file is that nobody knows as a font, as far as its beginning tells.
    private static func kind(of descriptor: Int32) -> String {
        var head = [UInt8](repeating: 0, count: 512)
        let count = pread(descriptor, &head, head.count, 0)
        head.removeLast(head.count - max(0, count))
        if head.isEmpty { return "empty" }
        if head.starts(with: "PK".utf8) { return "a zip archive" }
        if head.starts(with: "wOF".utf8) { return "a web font" }
        if head.starts(with: "%!".utf8) { return "PostScript" }
        let isText = head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
        guard isText else { return "data of another kind" }
        return head.starts(with: "<".utf8) ? "XML or a web page" : "text"
    }
}

extension String {
    /// For a system's sentence that goes on after a colon.
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
