import Glibc

/// The entropy-coded bytes of one restart segment after another without their stuffing, a chunk at a time.
///
/// Behind the last byte the buffer holds zeros for longer than any MCU can reach, so nothing that is decoded from damaged data
/// reads beyond it; whoever decodes compares `position` with `validBits` after each MCU.
struct SegmentReader {
    /// More than an MCU can take: 10 blocks of 64 coefficients of 16 + 16 bits.
    static let longestMCU = 10 * 64 * 4
    private static let capacity = 40 << 10

    private let source: UnsafePointer<UInt8>
    private let end: Int
    /// The next byte of the source to unstuff; at the marker when `atEnd`.
    private(set) var next: Int
    let buffer: UnsafeMutablePointer<UInt8>
    private var bytes = 0
    /// Bits of this segment that came before the buffer's first.
    private(set) var before = 0
    /// The next bit in the buffer.
    var position = 0
    /// The buffer holds the segment's last byte.
    private(set) var atEnd = true

    init(_ source: UnsafeRawBufferPointer, _ data: Range<Int>) {
        self.source = source.baseAddress!.assumingMemoryBound(to: UInt8.self)
        next = data.lowerBound
        end = data.upperBound
        buffer = .allocate(capacity: Self.capacity + Self.longestMCU + 16)
    }

    func deallocate() { buffer.deallocate() }

    var validBits: Int { bytes &* 8 }
    /// Where in the segment the next bit is.
    var offset: Int { before &+ position }
    /// An MCU may begin at any position up to this one without a refill.
    var limit: Int { atEnd ? bytes &* 8 : (bytes &- Self.longestMCU) &* 8 }

    /// Goes on with the segment that begins at a byte of the source.
    mutating func begin(at start: Int) {
        next = start
        bytes = 0
        before = 0
        position = 0
        atEnd = false
        refill()
    }

    /// Drops what is read and fills the buffer up.
    mutating func refill() {
        let done = min(position >> 3, bytes)
        if done > 0 {
            memmove(buffer, buffer + done, bytes - done)
            bytes -= done
            before += done * 8
            position -= done * 8
        }
        while bytes < Self.capacity && !atEnd {
            let room = min(Self.capacity - bytes, end - next)
            guard room > 0 else {
                atEnd = true
                break
            }
            guard let found = memchr(source + next, 0xFF, room) else {
                memcpy(buffer + bytes, source + next, room)
                bytes += room
                next += room
                continue
            }
            let run = UnsafeRawPointer(found) - UnsafeRawPointer(source + next)
            if next + run + 1 < end && source[next + run + 1] == 0 {
                memcpy(buffer + bytes, source + next, run + 1)
                bytes += run + 1
                next += run + 2
            } else {
                memcpy(buffer + bytes, source + next, run)
                bytes += run
                next += run
                atEnd = true
            }
        }
        if atEnd { memset(buffer + bytes, 0, Self.longestMCU + 16) }
    }
}
