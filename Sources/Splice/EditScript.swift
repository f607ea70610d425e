import Glibc

/// What a splice changes in entropy-coded data: per restart segment, runs of source bits that stay and bits that take the place
/// of others. Made by the walk, played by the writer; its size goes with the label.
final class EditScript {
    /// One change: copy bits of the source, put bits of `literals` behind them, leave bits of the source out.
    struct Step {
        let copied: Int
        var added: Int
        var left: Int
    }

    /// A restart segment with changes.
    struct Segment {
        /// Stuffed bytes in the source, without the marker.
        let source: Range<Int>
        let steps: Range<Int>
        /// Its bits in the source, padding excluded.
        let bits: Int
        /// Up to this byte of the source, and this bit of the segment, nothing changes.
        let same: Int
        let sameBits: Int
    }

    private(set) var steps: [Step] = []
    private(set) var segments: [Segment] = []
    let literals = BitBuffer()
    private var firstStep = 0
    private var same = (byte: 0, bits: 0)
    private var consumed = 0

    /// Whether the segment has changes already.
    var isChanged: Bool { steps.count > firstStep }

    /// Notes how much of the segment comes before its first change: whole bytes of the source.
    func beginChanges(byte: Int, bits: Int) { same = (byte, bits) }

    /// Notes that the literal bits since `start` take the place of source bits from `from` to `to`, counted in the segment.
    func replace(from: Int, to: Int, literalsFrom start: Int) {
        let added = literals.count - start
        if steps.count > firstStep && from == consumed {
            steps[steps.count - 1].added += added
            steps[steps.count - 1].left += to - from
        } else {
            steps.append(Step(copied: from - consumed, added: added, left: to - from))
        }
        consumed = to
    }

    /// Ends a segment; one without changes leaves no trace.
    func endSegment(source: Range<Int>, bits: Int) {
        if isChanged {
            segments.append(
                Segment(source: source, steps: firstStep..<steps.count, bits: bits, same: same.byte, sameBits: same.bits))
        }
        firstStep = steps.count
        consumed = 0
    }

    /// Writes the scan's data: untouched segments and markers byte for byte, the others by their steps.
    /// May be called again.
    func write(_ source: UnsafeRawBufferPointer, _ data: Range<Int>, to sink: ByteSink) throws {
        var done = data.lowerBound
        guard !segments.isEmpty else { return try sink(source.part(data)) }
        literals.rewind()
        var reader = SegmentReader(source, data)
        let writer = EntropyWriter()
        defer { reader.deallocate() }
        for segment in segments {
            if segment.same > done { try sink(source.part(done..<segment.same)) }
            reader.begin(at: segment.same, before: segment.sameBits)
            var before = segment.sameBits
            for step in steps[segment.steps] {
                try copy(step.copied - before, from: &reader, to: writer, sink)
                before = 0
                try literals.copy(step.added, to: writer, sink)
                skip(step.left, in: &reader)
            }
            try copy(segment.bits - reader.offset, from: &reader, to: writer, sink)
            try writer.finishSegment(to: sink)
            done = segment.source.upperBound
        }
        if done < data.upperBound { try sink(source.part(done..<data.upperBound)) }
    }

    private func copy(_ count: Int, from reader: inout SegmentReader, to writer: EntropyWriter, _ sink: ByteSink) throws {
        var left = count
        while left > 0 {
            if reader.position >= reader.validBits { reader.refill() }
            let some = min(left, reader.validBits - reader.position)
            guard some > 0 else { throw SpliceError.damaged("cut off in the scan") }
            try writer.append(reader.buffer, at: reader.position, count: some, to: sink)
            reader.position += some
            left -= some
        }
    }

    private func skip(_ count: Int, in reader: inout SegmentReader) {
        var left = count
        while left > 0 {
            if reader.position >= reader.validBits { reader.refill() }
            let some = min(left, reader.validBits - reader.position)
            if some <= 0 { return }
            reader.position += some
            left -= some
        }
    }
}

/// Bits one behind the other in memory that grows.
final class BitBuffer {
    private var words: UnsafeMutablePointer<UInt64>
    private var capacity = 1 << 10
    private var full = 0
    /// Bits that are no word yet, left-aligned.
    private var pending: UInt64 = 0
    private var pendingBits = 0
    private var read = 0

    init() { words = .allocate(capacity: capacity) }

    deinit { words.deallocate() }

    var count: Int { full &* 64 &+ pendingBits }

    /// Appends the low `count` bits of a value whose other bits are 0; at most 57.
    @inline(__always)
    func append(_ value: UInt64, _ count: Int) {
        let room = 64 &- pendingBits
        if count < room {
            pending |= value &<< UInt64(room &- count)
            pendingBits &+= count
        } else {
            push(pending | value &>> UInt64(count &- room))
            pendingBits = count &- room
            pending = pendingBits == 0 ? 0 : value &<< UInt64(64 &- pendingBits)
        }
    }

    @inline(__always)
    private func push(_ word: UInt64) {
        if full == capacity { grow() }
        words[full] = word.bigEndian
        full &+= 1
    }

    private func grow() {
        let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
        larger.update(from: words, count: full)
        words.deallocate()
        words = larger
        capacity *= 2
    }

    /// Appends bits of another buffer, which is readable for 8 bytes behind them.
    @inline(__always)
    func append(_ bytes: UnsafePointer<UInt8>, from: Int, to: Int) {
        var position = from
        while position < to {
            let some = min(56, to &- position)
            append(bits(bytes, at: position) >> UInt64(64 &- some), some)
            position &+= some
        }
    }

    /// Ends the writing: from here on the bits can be read, and eight bytes behind them.
    func seal() {
        push(pending)
        push(0)
        push(0)
        pending = 0
        pendingBits = 0
    }

    func rewind() { read = 0 }

    /// Copies the next `count` bits to a writer.
    func copy(_ count: Int, to writer: EntropyWriter, _ sink: ByteSink) throws {
        let bytes = UnsafeRawPointer(words).assumingMemoryBound(to: UInt8.self)
        try writer.append(bytes, at: read, count: count, to: sink)
        read += count
    }
}

/// Bits to entropy-coded bytes: packs, stuffs and hands on.
final class EntropyWriter {
    private static let capacity = 32 << 10
    private let packed: UnsafeMutablePointer<UInt8>
    private let stuffed: UnsafeMutablePointer<UInt8>
    private var bytes = 0
    /// Fewer than 8 bits that are no byte yet, left-aligned.
    private var rest: UInt8 = 0
    private var restBits = 0

    init() {
        packed = .allocate(capacity: Self.capacity + 32)
        stuffed = .allocate(capacity: 2 * Self.capacity + 64)
    }

    deinit {
        packed.deallocate()
        stuffed.deallocate()
    }

    /// Appends bits that lie at any bit position; eight bytes behind the last must be readable.
    func append(_ source: UnsafePointer<UInt8>, at start: Int, count: Int, to sink: ByteSink) throws {
        var position = start
        let end = start &+ count
        if restBits > 0 {
            let some = min(8 &- restBits, count)
            if some == 0 { return }
            rest |= UInt8(
                truncatingIfNeeded: (bits(source, at: position) >> UInt64(64 &- some)) &<< UInt64(8 &- restBits &- some))
            restBits &+= some
            position &+= some
            if restBits < 8 { return }
            packed[bytes] = rest
            bytes &+= 1
            rest = 0
            restBits = 0
        }
        while position < end {
            if bytes >= Self.capacity { try flush(to: sink) }
            var whole = min((end &- position) >> 3, Self.capacity &- bytes)
            let shift = UInt64(position & 7)
            var from = UnsafeRawPointer(source + position >> 3)
            var to = UnsafeMutableRawPointer(packed + bytes)
            position &+= whole &* 8
            bytes &+= whole
            if shift == 0 {
                memcpy(to, from, whole)
                whole = 0
            }
            while whole > 0 {  // may write up to seven bytes too many; the next ones go over them
                let high = UInt64(bigEndian: from.loadUnaligned(as: UInt64.self)) &<< shift
                let low = UInt64(from.load(fromByteOffset: 8, as: UInt8.self)) &>> (8 &- shift)
                to.storeBytes(of: (high | low).bigEndian, as: UInt64.self)
                from += 8
                to += 8
                whole &-= 8
            }
            let some = end &- position
            if some < 8 && some > 0 {
                rest = UInt8(truncatingIfNeeded: (bits(source, at: position) >> UInt64(64 &- some)) &<< UInt64(8 &- some))
                restBits = some
                position = end
            }
        }
    }

    /// Pads with ones and hands everything on.
    func finishSegment(to sink: ByteSink) throws {
        if restBits > 0 {
            packed[bytes] = rest | UInt8(0xFF >> restBits)
            bytes += 1
            rest = 0
            restBits = 0
        }
        try flush(to: sink)
    }

    private func flush(to sink: ByteSink) throws {
        var at = 0
        var length = 0
        while at < bytes {  // eight at a time between two 0xFF; what is copied too many is copied again
            let word = UnsafeRawPointer(packed + at).loadUnaligned(as: UInt64.self)
            UnsafeMutableRawPointer(stuffed + length).storeBytes(of: word, as: UInt64.self)
            let found = firstFF(word)
            let some = min(found &+ 1, 8, bytes &- at)
            at &+= some
            length &+= some
            if found < some {
                stuffed[length] = 0
                length &+= 1
            }
        }
        bytes = 0
        if length > 0 { try sink(UnsafeRawBufferPointer(start: stuffed, count: length)) }
    }
}
