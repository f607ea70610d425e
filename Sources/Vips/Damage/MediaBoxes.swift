/// The boxes of a HEIF, an AVIF, or a JPEG XL that has any.
///
/// **Source**: ISO/IEC 14496-12, 4.2; ISO/IEC 18181-2.
enum MediaBoxes {
    static func wholeness(_ file: Window) throws -> Wholeness {
        // A JPEG XL without boxes: its decoder alone can say.
        if try file.read(0, 2) == [0xFF, 0x0A] { return Wholeness() }
        var at = 0
        var isPartOpen = false
        while at + 8 <= file.size {
            guard var size = try file.bigEndian(at, 4), let name = try file.read(at + 4, 4) else { break }
            // What is no name is no box, but somebody's bytes behind the last one.
            guard name.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0xA9 }) else { break }
            var head = 8
            if size == 1 {
                guard let large = try file.bigEndian(at + 8, 8) else { return Wholeness(damage: Wholeness.cutOff) }
                (size, head) = (large, 16)
            }
            if size == 0 { size = file.size - at }
            guard size >= head else {
                return Wholeness(damage: "the part \"\(String(decoding: name, as: UTF8.self))\" at byte \(at) has no size")
            }
            guard size <= file.size - at else { return Wholeness(damage: Wholeness.cutOff) }
            // Parts of a JPEG XL's codestream are numbered, the last one with the highest bit.
            if name == Array("jxlp".utf8), let number = try file.bigEndian(at + head, 4) { isPartOpen = number < 1 << 31 }
            at += size
        }
        if at + 8 > file.size, at < file.size, try file.read(at, file.size - at)?.contains(where: { $0 != 0 }) == true {
            return Wholeness(damage: Wholeness.cutOff)
        }
        return Wholeness(damage: isPartOpen ? "the last part of its pixels is missing" : nil)
    }
}
