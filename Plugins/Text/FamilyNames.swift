import CText

/// Family names as fontconfig compares them: upper and lower case and blanks do not count.
struct FamilyNames {
    /// Comparable form → as the font writes it.
    private var names: [String: String] = [:]

    var isEmpty: Bool { names.isEmpty }
    /// As the fonts write them.
    var all: some Sequence<String> { names.values }

    /// All families of a configuration.
    init(_ config: OpaquePointer) {
        for kind in [FcSetSystem, FcSetApplication] { add(FcConfigGetFonts(config, kind)) }
    }

    init(set: UnsafeMutablePointer<FcFontSet>?) { add(set) }

    static func comparable(_ name: some StringProtocol) -> String { name.lowercased().filter { $0 != " " } }

    func contains(_ name: some StringProtocol) -> Bool { names[FamilyNames.comparable(name)] != nil }

    /// As the fonts write it.
    func spelling(of name: some StringProtocol) -> String? { names[FamilyNames.comparable(name)] }

    private mutating func add(_ set: UnsafeMutablePointer<FcFontSet>?) {
        guard let set, let fonts = set.pointee.fonts else { return }
        // Pango leaves out what HarfBuzz cannot read: bitmap and Type 1 fonts.
        let readable: Set<String> = ["TrueType", "CFF"]
        for index in 0..<Int(set.pointee.nfont) {
            guard strings(FC_FONTFORMAT, of: fonts[index]).allSatisfy(readable.contains) else { continue }
            for name in strings(FC_FAMILY, of: fonts[index]) { names[FamilyNames.comparable(name)] = name }
        }
    }
}

/// All strings a pattern has under a name.
func strings(_ object: String, of pattern: OpaquePointer?) -> [String] {
    guard let pattern else { return [] }
    var found: [String] = []
    var value: UnsafeMutablePointer<FcChar8>?
    while FcPatternGetString(pattern, object, Int32(found.count), &value) == FcResultMatch, let text = value {
        found.append(String(cString: text))
    }
    return found
}
