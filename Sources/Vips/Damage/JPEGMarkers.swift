/// The mark that ends a JPEG, and the scans of a progressive one.
///
/// **Source**: ITU-T T.81, B.2 and G.1.1.1.
enum JPEGMarkers {
    static func wholeness(_ file: Window) throws -> Wholeness {
        guard try hasEnd(file) else { return Wholeness(damage: Wholeness.cutOff) }
        return Wholeness(damage: try isUnfinished(file) ? "its last scans are missing" : nil)
    }

    /// Is there an end mark, perhaps followed by a trailer of somebody else's?
    ///
    /// libvips does not read it: a file that lost nothing but its last bytes would pass as whole.
    ///
    /// **Cost**: one read of a few bytes; where they are not the mark, reads from the end until it is found.
    private static func hasEnd(_ file: Window) throws -> Bool {
        let mark: [UInt8] = [0xFF, 0xD9]
        var end = file.size
        var window = mark.count
        while end >= mark.count {
            let start = max(0, end - window)
            if try file.read(start, end - start)?.firstRange(of: mark) != nil { return true }
            if start == 0 { break }
            // Windows overlap by what a mark may lack on their border.
            end = start + mark.count - 1
            window = 1 << 16
        }
        return false
    }

    /// Does a progressive picture end with samples that are not yet as fine as its scans promised? Decoders show it blurred, and
    /// say nothing.
    ///
    /// **Cost**: of a progressive picture, its bytes are looked through once; of others, its header.
    private static func isUnfinished(_ file: Window) throws -> Bool {
        var at = 2
        var isProgressive = false
        /// For each component and frequency: bits that are still to come.
        var missing: [UInt8: [UInt8]] = [:]
        while let first = try file.byte(at), let marker = try file.byte(at + 1) {
            guard first == 0xFF, marker != 0, marker != 0xFF, !(0xD0...0xD8).contains(marker) else {
                guard let next = try file.place(of: 0xFF, from: at + (first == 0xFF && marker != 0xFF ? 2 : 1)) else { break }
                at = next
                continue
            }
            guard marker != 0xD9, let length = try file.bigEndian(at + 2, 2), length >= 2 else { break }
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(marker)
            }
            if marker == 0xDA {
                guard isProgressive else { return false }
                guard let scan = try file.read(at + 4, length - 2), let count = scan.first.map(Int.init), count > 0,
                    scan.count >= 2 * count + 4
                else { break }
                let (low, high, bits) = (Int(scan[1 + 2 * count]), Int(scan[2 + 2 * count]), scan[3 + 2 * count] & 15)
                guard low <= high, high < 64 else { break }
                for component in 0..<count {
                    for frequency in low...high {
                        missing[scan[1 + 2 * component], default: Array(repeating: 0, count: 64)][frequency] = bits
                    }
                }
            }
            at += 2 + length
        }
        return missing.values.contains { $0.contains { $0 > 0 } }
    }
}
