import CShim

/// A tile's coded bytes, looked at to their end.
///
/// **Source**: TIFF 6.0, section 9 (PackBits); RFC 1950 for the checksum.
enum CodedTile {
    private static let deflate: Set<Int> = [8, 32946]
    private static let packBits = 32773

    /// Whether there is something to be seen that a decoder does not look at.
    ///
    /// Of whole tiles libtiff's own decoder, libdeflate, compares the checksum: to do so again is a third of the time that copying a
    /// slide takes. Strips may hold more than their rows, and libtiff reads no further than these.
    static func isChecked(_ directory: TIFFFile.Directory) -> Bool {
        let isDeflated = deflate.contains(directory.compression) && !directory.isTiled
        return (isDeflated || directory.compression == packBits) && directory.fillOrder == 1
    }

    /// nil: nothing is wrong.
    ///
    /// - Parameter decoded: what a decoder made of them.
    /// - Cost: of deflate, a checksum; they are decompressed once more where the decoder has changed the bytes behind it, by a
    ///   predictor or another order.
    static func damage(_ coded: [UInt8], _ compression: Int, decoded: UnsafeRawBufferPointer) -> String? {
        if deflate.contains(compression) {
            let sum = coded.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if adler_shim(decoded.bindMemory(to: UInt8.self).baseAddress, decoded.count) == sum { return nil }
            guard let stream = inflate_shim_new() else { return nil }
            defer { inflate_shim_free(stream) }
            return inflate_shim_feed(stream, coded, coded.count) == 1 ? nil : "it does not agree with its checksum"
        }
        return runs(coded) == decoded.count ? nil : "its runs are not as long as they should be"
    }

    /// How many bytes runs stand for; nil where the last one is cut off. Some programs fill up to an even number of bytes.
    private static func runs(_ coded: [UInt8]) -> Int? {
        var (at, count) = (0, 0)
        while at < coded.count {
            let length = Int(Int8(bitPattern: coded[at]))
            if at == coded.count - 1, length == 0 { break }
            switch length {
            case -128: at += 1
            case ..<0:
                guard at + 1 < coded.count else { return nil }
                count += 1 - length
                at += 2
            default:
                guard at + 1 + length < coded.count else { return nil }
                count += 1 + length
                at += 2 + length
            }
        }
        return count
    }
}
