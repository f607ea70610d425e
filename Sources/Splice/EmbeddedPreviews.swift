/// Small versions of a picture that other programs put into its metadata: they would show it without the label.
enum EmbeddedPreviews {
    /// Photoshop's resources without the thumbnails 1033 and 1036; nil where there are none.
    ///
    /// - Parameter start: where the resources begin.
    /// - Source: Adobe Photoshop File Formats, Image Resource Blocks.
    static func withoutThumbnails(_ bytes: [UInt8], from start: Int = 0) -> [UInt8]? {
        let ordered = OrderedBytes(bytes: bytes, isBigEndian: true)
        var kept = Array(bytes[..<start])
        var at = start
        var found = false
        while at + 12 <= bytes.count {
            guard let id = ordered.u16(at + 4) else { break }
            let name = (Int(bytes[at + 6]) + 2) & ~1
            guard let size = ordered.u32(at + 6 + name) else { break }
            let end = min(at + 10 + name + (size + 1) & ~1, bytes.count)
            if id == 1033 || id == 1036 { found = true } else { kept += bytes[at..<end] }
            at = end
        }
        return found ? kept + bytes[at...] : nil
    }

    /// Overwrites embedded pictures of XMP with blanks: nothing moves, the packet's length stays.
    static func blankThumbnails(ofXMP payload: inout [UInt8]) -> Bool {
        let name = Array("xmpGImg:image".utf8)
        var found = false
        var at = 0
        while let start = payload.withUnsafeBytes({ position(of: name, in: $0, from: at) }) {
            at = start + name.count
            guard at + 2 < payload.count else { break }
            let quote = payload[at + 1]
            let isElement = payload[at] == 0x3E
            if isElement && payload[start - 1] == 0x2F { continue }  // the closing tag
            guard isElement || (payload[at] == 0x3D && (quote == 0x22 || quote == 0x27)) else { continue }
            let end: UInt8 = isElement ? 0x3C : quote
            at += isElement ? 1 : 2
            while at < payload.count && payload[at] != end {
                payload[at] = 0x20
                at += 1
            }
            found = true
        }
        return found
    }
}
