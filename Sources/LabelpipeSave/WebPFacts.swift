import Glibc

/// How a WebP was coded.
///
/// **Source**: the WebP container specification, "Extended file format".
enum WebPFacts {
    /// Its picture, or first frame, is a lossless bit stream.
    static func isLossless(descriptor: Int32) -> Bool {
        var at = 12
        for _ in 0..<64 {
            var head = [UInt8](repeating: 0, count: 8)
            guard pread(descriptor, &head, 8, off_t(at)) == 8 else { return false }
            let size = head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
            switch String(decoding: head[0..<4], as: UTF8.self) {
            case "VP8L": return true
            case "VP8 ": return false
            // A frame: its own chunks stand behind 16 bytes of place and duration.
            case "ANMF": at += 8 + 16
            default: at += 8 + size + (size & 1)
            }
        }
        return false
    }
}
