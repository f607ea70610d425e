/// The well-formed sequences of UTF-8.
enum UTF8Sequence {
    /// The length of the sequence of two to four bytes at `at`; 0 when it is ill-formed or cut off.
    ///
    /// **Source.** The Unicode Standard, table 3-7: the second byte's range depends on the first; no overlong forms, no surrogates.
    @inline(__always)
    static func length(_ bytes: UnsafePointer<UInt8>, at: Int, end: Int) -> Int {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch bytes[at] {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard at + length <= end, second ~= bytes[at + 1] else { return 0 }
        if length > 2, bytes[at + 2] & 0xC0 != 0x80 { return 0 }
        if length > 3, bytes[at + 3] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
