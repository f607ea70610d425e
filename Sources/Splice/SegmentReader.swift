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

    /// Goes on with a segment at a byte of the source, `before` bits behind its beginning.
    mutating func begin(at start: Int, before: Int = 0) {
        next = start
        bytes = 0
        self.before = before
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
        unstuff()
        if atEnd { memset(buffer + bytes, 0, Self.longestMCU + 16) }
    }

    /// Copies bytes without their stuffing until the buffer is full or a marker comes, eight at a time between two 0xFF.
    private mutating func unstuff() {
        var to = bytes
        var from = next
        while to < Self.capacity {
            if from &+ 8 < end {
                let word = UnsafeRawPointer(source + from).loadUnaligned(as: UInt64.self)
                UnsafeMutableRawPointer(buffer + to).storeBytes(of: word, as: UInt64.self)
                let found = firstFF(word)
                from &+= min(found &+ 1, 8)
                to &+= min(found &+ 1, 8)
                if found == 8 { continue }
            } else if from < end {
                buffer[to] = source[from]
                from &+= 1
                to &+= 1
                if source[from &- 1] != 0xFF { continue }
            } else {
                atEnd = true
                break
            }
            // Behind a 0xFF: its stuffing, or a marker.
            if from < end && source[from] == 0 {
                from &+= 1
            } else {
                from &-= 1
                to &-= 1
                atEnd = true
                break
            }
        }
        next = from
        bytes = to
    }

    /// Where in the source the byte of the next bit is.
    var sourceOffset: Int {
        let byte = min(position >> 3, bytes)
        var stuffed = next &- (bytes &- byte)
        for index in byte..<bytes where buffer[index] == 0xFF { stuffed &-= 1 }
        return stuffed
    }
}

/// The index of the first byte in memory that is 0xFF, 8 when none is.
@inline(__always)
func firstFF(_ word: UInt64) -> Int {
    (word & (~word &- 0x0101_0101_0101_0101) & 0x8080_8080_8080_8080).trailingZeroBitCount >> 3
}
