/// The bytes that end a picture of some kinds, perhaps followed by a trailer of somebody else's.
///
/// libvips does not read them: a file that lost nothing but its last bytes would pass as whole.
struct EndMark {
    private let file: FileBytes
    private let size: Int

    init(descriptor: Int32, size: Int) {
        file = FileBytes(descriptor: descriptor)
        self.size = size
    }

    /// Is the mark of this kind nowhere in the file? False for kinds without one.
    /// **Cost**: one read of a few bytes; where they are not the mark, reads from the end until it is found.
    func isMissing(in kind: FileKind) throws -> Bool {
        let mark: [UInt8]
        switch kind {
        case .jpeg: mark = [0xFF, 0xD9]
        case .png: mark = Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
        default: return false
        }
        var end = size
        var window = mark.count
        while end >= mark.count {
            let start = max(0, end - window)
            if try file.read(at: start, count: end - start).firstRange(of: mark) != nil { return false }
            if start == 0 { break }
            // Windows overlap by what a mark may lack on their border.
            end = start + mark.count - 1
            window = 1 << 16
        }
        return true
    }
}
