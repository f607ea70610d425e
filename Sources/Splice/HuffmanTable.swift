/// A Huffman table as a DHT segment defines it: how many codes of each length, and their symbols in order.
///
/// - **Source**: ITU-T T.81, B.2.4.2 and annex C.
package struct HuffmanTable: Sendable, Equatable {
    /// Codes of length 1…16.
    package var counts: [UInt8]
    package var symbols: [UInt8]

    package init(counts: [UInt8], symbols: [UInt8]) {
        self.counts = counts
        self.symbols = symbols
    }

    /// The first code of 16 bits that is not taken, and with it how many more there is room for: the code of all ones is
    /// forbidden. `nil` when the lengths do not form a prefix code.
    var freeCodes: Int? {
        var next = 0
        for length in 1...16 {
            next = next << 1 + Int(counts[length - 1])
            if next >= 1 << length { return nil }
        }
        return (1 << 16) - 1 - next
    }

    /// Code and length of every symbol: `length << 16 | code`, 0 where the table has none.
    var codes: [UInt32] {
        var codes = [UInt32](repeating: 0, count: 256)
        var code: UInt32 = 0
        var index = 0
        for length in 1...16 {
            for _ in 0..<Int(counts[length - 1]) {
                codes[Int(symbols[index])] = UInt32(length) << 16 | code
                code += 1
                index += 1
            }
            code <<= 1
        }
        return codes
    }

    /// The same table with more symbols, as codes of 16 bits after all others: what is coded already keeps its bits.
    func adding(_ missing: [UInt8]) -> HuffmanTable? {
        guard let free = freeCodes, missing.count <= free, Int(counts[15]) + missing.count <= 255,
            symbols.count + missing.count <= 256
        else { return nil }
        var table = self
        table.counts[15] += UInt8(missing.count)
        table.symbols += missing
        return table
    }

    /// The same table with more symbols where there is no room behind the last code: the rarest symbols, and the missing ones
    /// with them, get codes of 16 bits. Codes before them stay what they are.
    ///
    /// - Returns: `nil` when even all codes of 10 bits and more make no room.
    func makingRoom(for missing: [UInt8]) -> HuffmanTable? {
        var code = 0
        var index = 0
        var best: HuffmanTable?
        for length in 1...16 {
            // All codes of this length and more go; what they covered, in codes of 16 bits, without the one of all ones.
            code <<= 1
            let covered = (1 << 16) - 1 - code << (16 - length)
            let rest = Array(symbols[index...]) + missing
            if length >= 10 && rest.count <= min(covered, 255) && index + rest.count <= 256 {
                best = HuffmanTable(
                    counts: Array(counts[..<(length - 1)]) + [UInt8](repeating: 0, count: 16 - length) + [UInt8(rest.count)],
                    symbols: Array(symbols[..<index]) + rest)
            }
            code += Int(counts[length - 1])
            index += Int(counts[length - 1])
        }
        return best
    }

    /// Whether every symbol that an 8-bit sequential picture can need has a code.
    package func isComplete(dc: Bool) -> Bool {
        let codes = self.codes
        if dc { return (0...11).allSatisfy { codes[$0] != 0 } }
        guard codes[0] != 0, codes[0xF0] != 0 else { return false }
        return (0...15).allSatisfy { run in (1...10).allSatisfy { size in codes[run << 4 | size] != 0 } }
    }
}

/// Look-up tables to decode one Huffman table, in memory of its own.
final class HuffmanDecoder {
    static let fastBits = 10
    static let differenceBits = 11

    /// By the next 10 bits: `length << 8 | symbol`, 0 where the code is longer.
    let fast: UnsafeMutablePointer<UInt16>
    /// By the next `stepBits` bits, AC tables only: as many whole coefficients as fit. Bits 0–3 are the bits used, from bit 4 on
    /// the advance in the block, plus 128 when the block ends; `Self.none` where not even one fits.
    let steps: UnsafeMutablePointer<UInt16>
    let stepShift: UInt64
    /// By the next 11 bits, DC tables only: `difference << 4 | bits used`, 0 where code and difference do not fit.
    let differences: UnsafeMutablePointer<Int16>
    /// Largest code of each length, -1 where there is none.
    private let largest: UnsafeMutablePointer<Int32>
    private let offset: UnsafeMutablePointer<Int32>
    private let symbols: UnsafeMutablePointer<UInt8>

    static let none: UInt16 = 0xFFF0

    /// - Parameters:
    ///   - stepBits: the width of the tables of several coefficients; small scans do not earn back wide ones.
    ///   - excluded: symbols that are never passed over in one step with others.
    init(_ table: HuffmanTable, dc: Bool, stepBits: Int, excluded: Set<UInt8> = []) {
        fast = .allocate(capacity: 1 << Self.fastBits)
        fast.initialize(repeating: 0, count: 1 << Self.fastBits)
        largest = .allocate(capacity: 18)
        largest.initialize(repeating: -1, count: 18)
        offset = .allocate(capacity: 18)
        offset.initialize(repeating: 0, count: 18)
        symbols = .allocate(capacity: 256)
        symbols.initialize(repeating: 0, count: 256)
        stepShift = UInt64(64 - stepBits)
        steps = .allocate(capacity: dc ? 1 : 1 << stepBits)
        differences = .allocate(capacity: dc ? 1 << Self.differenceBits : 1)
        for (index, symbol) in table.symbols.enumerated() { symbols[index] = symbol }
        var code = 0
        var index = 0
        for length in 1...16 {
            let count = Int(table.counts[length - 1])
            if count > 0 {
                offset[length] = Int32(index - code)
                if length <= Self.fastBits {
                    for each in 0..<count {
                        let first = (code + each) << (Self.fastBits - length)
                        for pattern in first..<first + 1 << (Self.fastBits - length) {
                            fast[pattern] = UInt16(length << 8) | UInt16(symbols[index + each])
                        }
                    }
                }
                code += count
                index += count
                largest[length] = Int32(code - 1)
            }
            code <<= 1
        }
        if dc { fillDifferences(excluded) } else { fillSteps(stepBits, excluded) }
    }

    deinit {
        fast.deallocate()
        steps.deallocate()
        differences.deallocate()
        largest.deallocate()
        offset.deallocate()
        symbols.deallocate()
    }

    /// The next symbol of left-aligned bits (at least 16 of them) and the length of its code; length 0 if no code begins like this.
    @inline(__always)
    func symbol(_ bits: UInt64) -> (symbol: Int, length: Int) {
        let entry = Int(fast[Int(bits >> UInt64(64 - Self.fastBits))])
        return entry != 0 ? (entry & 255, entry >> 8) : longSymbol(bits)
    }

    private func longSymbol(_ bits: UInt64) -> (symbol: Int, length: Int) {
        for length in Self.fastBits + 1...16 {
            let code = Int32(truncatingIfNeeded: bits >> UInt64(64 - length))
            if code <= largest[length] { return (Int(symbols[Int(code + offset[length]) & 255]), length) }
        }
        return (0, 0)
    }

    private func fillSteps(_ width: Int, _ excluded: Set<UInt8>) {
        let isExcluded = (0..<256).map { excluded.contains(UInt8($0)) }
        for pattern in 0..<1 << width {
            var used = 0
            var advance = 0
            while advance <= 63 {
                let left = UInt64(pattern) << UInt64(64 - width + used)
                let (symbol, length) = self.symbol(left)
                let run = symbol >> 4
                let size = symbol & 15
                if length == 0 || used + length + size > width || isExcluded[symbol] { break }
                if size == 0 && run != 0 && run != 15 { break }
                used += length + size
                if symbol == 0 {
                    advance += 128
                    break
                }
                advance += run + 1
            }
            steps[pattern] = used == 0 ? Self.none : UInt16(advance << 4 | used)
        }
    }

    private func fillDifferences(_ excluded: Set<UInt8>) {
        for pattern in 0..<1 << Self.differenceBits {
            let left = UInt64(pattern) << UInt64(64 - Self.differenceBits)
            let (size, length) = symbol(left)
            var entry = 0
            if length > 0 && length + size <= Self.differenceBits && !excluded.contains(UInt8(size)) {
                entry = extended(left << UInt64(length), size) << 4 | (length + size)
            }
            differences[pattern] = Int16(truncatingIfNeeded: entry)
        }
    }
}

/// The signed value of the next `size` bits of left-aligned bits.
///
/// - **Source**: ITU-T T.81, F.2.2.1, EXTEND.
@inline(__always)
func extended(_ bits: UInt64, _ size: Int) -> Int {
    if size == 0 { return 0 }
    let value = Int(truncatingIfNeeded: bits >> UInt64(64 &- size))
    return value < 1 << (size &- 1) ? value &- (1 << size) &+ 1 : value
}

/// How many bits a coefficient's magnitude takes.
@inline(__always)
func magnitudeBits(_ value: Int) -> Int { Int.bitWidth &- value.magnitude.leadingZeroBitCount }

/// The next 57 bits or more at a bit position, left-aligned. Reads eight bytes.
@inline(__always)
func bits(_ bytes: UnsafePointer<UInt8>, at position: Int) -> UInt64 {
    UInt64(bigEndian: UnsafeRawPointer(bytes + position >> 3).loadUnaligned(as: UInt64.self)) &<< UInt64(position & 7)
}
