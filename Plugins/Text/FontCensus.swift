import CText

/// What a fontconfig configuration came to: the rule files that it has read, and the fonts that it has found.
///
/// fontconfig passes over a file or a folder that cannot be read at the moment without a word, and a text is drawn with another
/// font. Nothing tells that from a file that is not there; but reading everything once more does: a disk that fails or
/// descriptors that have run out do not fail at the very same place twice.
struct FontCensus: Equatable {
    private var rules: [String] = []
    private var fontCount = 0
    private var fonts: UInt64 = 0

    init(_ config: OpaquePointer) {
        var iterator = FcConfigFileInfoIter()
        FcConfigFileInfoIterInit(config, &iterator)
        repeat {
            var (name, description): (UnsafeMutablePointer<FcChar8>?, UnsafeMutablePointer<FcChar8>?) = (nil, nil)
            var isOn: FcBool = 0
            guard FcConfigFileInfoIterGet(config, &iterator, &name, &description, &isOn) != 0 else { continue }
            rules.append("\(isOn) \(name.map { String(cString: $0) } ?? "")")
            FcStrFree(name)
            FcStrFree(description)
        } while FcConfigFileInfoIterNext(config, &iterator) != 0
        for kind in [FcSetSystem, FcSetApplication] {
            guard let set = FcConfigGetFonts(config, kind), let patterns = set.pointee.fonts else { continue }
            fontCount += Int(set.pointee.nfont)
            // A sum: a folder that is scanned anew may list its fonts in another order.
            for index in 0..<Int(set.pointee.nfont) { fonts &+= UInt64(FcPatternHash(patterns[index])) &* 0x9E37_79B9_7F4A_7C15 }
        }
    }
}
