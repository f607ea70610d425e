/// Walks the only scan of a sequential Huffman picture and notes in a script what a label changes.
///
/// MCUs that the label does not touch are passed over symbol by symbol, several symbols a look-up; only their DC differences are
/// added up. A touched MCU is decoded, blended and coded again. The MCU behind a run of touched ones gets its DC differences
/// coded against the new predictors; from there on the source's bits fit again.
///
/// - **Cost**: the scan's symbols once; memory of a chunk and of the changed bits.
final class ScanWalker {
    /// A block of an MCU: its component, its place in blocks, and how its symbols are read and written.
    private struct Plan {
        let component: Int
        let column: Int
        let row: Int
        let dc: Unmanaged<HuffmanDecoder>
        let ac: Unmanaged<HuffmanDecoder>
        let differences: UnsafePointer<Int16>
        let steps: UnsafePointer<UInt16>
        let dcTable: Int
        let acTable: Int
    }

    private enum Stop { static let badCode = 1, tooLong = 2, cutOff = 3, recode = 4 }

    private let source: UnsafeRawBufferPointer
    private let header: JPEGHeader
    private let scan: JPEGHeader.Scan
    private let touched: TouchedCells
    private let cells: TouchedCells
    private let rewriteAll: Bool
    private let mcuWidth: Int
    private let mcuHeight: Int
    private let tile: LabelTile
    private let blend: BlockBlend
    private var decoders: [HuffmanDecoder] = []
    private let plans: UnsafeMutablePointer<Plan>
    private let planCount: Int
    /// Absolute DC of the last block of each component, in the source and in the output.
    private let predicted: UnsafeMutablePointer<Int>
    private let written: UnsafeMutablePointer<Int>
    private let block: UnsafeMutablePointer<Int16>
    private let order: UnsafeMutablePointer<UInt8>
    /// Code and length by symbol, DC tables 0…3 and AC tables 0…3.
    private let codes: UnsafeMutablePointer<UInt32>
    /// Set where the output's code of a symbol is another than the source's, by table and symbol.
    private let recoded: UnsafeMutablePointer<Bool>
    private var recodesAny = false
    private var reader: SegmentReader

    let script = EditScript()
    /// Symbols the tables have no code for, by table: DC 0…3, AC 0…3.
    private(set) var missing: [Set<UInt8>] = Array(repeating: [], count: 8)
    let mcusWide: Int
    let mcusHigh: Int
    var touchedMCUs: Int { touched.count }

    /// - Parameters:
    ///   - tables: Huffman tables to write with, DC 0…3 and AC 0…3; the source's, perhaps with more symbols. MCUs with
    ///     symbols whose code has changed are coded again.
    ///   - rewriteAll: codes every MCU again, touched or not; for tests.
    init(
        _ source: UnsafeRawBufferPointer, _ header: JPEGHeader, patches: [Patch], cells: TouchedCells, tables: [HuffmanTable?],
        rewriteAll: Bool
    ) throws {
        self.source = source
        self.header = header
        self.cells = cells
        self.rewriteAll = rewriteAll
        let scan = header.scans[0]
        self.scan = scan
        let single = scan.components.count == 1
        mcuWidth = single ? 8 : 8 * header.maxH
        mcuHeight = single ? 8 : 8 * header.maxV
        mcusWide = (header.width + mcuWidth - 1) / mcuWidth
        mcusHigh = (header.height + mcuHeight - 1) / mcuHeight
        touched = single ? cells : cells.grouped(width: header.maxH, height: header.maxV)
        tile = try LabelTile(patches, header, width: mcuWidth, height: mcuHeight)
        blend = BlockBlend(tile, header)
        // Wide tables take longer to fill than a small scan takes to walk.
        let stepBits = scan.data.count > 1 << 18 ? 13 : 10
        var byTable: [Int: HuffmanDecoder] = [:]
        codes = .allocate(capacity: 8 * 256)
        codes.initialize(repeating: 0, count: 8 * 256)
        recoded = .allocate(capacity: 8 * 256)
        recoded.initialize(repeating: false, count: 8 * 256)
        for index in 0..<8 {
            guard let table = header.huffman[index]?.table else { continue }
            let before = table.codes
            var changed: Set<UInt8> = []
            for (symbol, code) in (tables[index] ?? table).codes.enumerated() {
                codes[index * 256 + symbol] = code
                if before[symbol] == 0 || before[symbol] == code { continue }
                recoded[index * 256 + symbol] = true
                changed.insert(UInt8(symbol))
            }
            if !changed.isEmpty { recodesAny = true }
            byTable[index] = HuffmanDecoder(table, dc: index < 4, stepBits: stepBits, excluded: changed)
        }
        decoders = Array(byTable.values)
        var list: [Plan] = []
        for (index, component) in scan.components.enumerated() {
            guard let dc = byTable[scan.dcTables[index]], let ac = byTable[4 + scan.acTables[index]] else {
                throw SpliceError.damaged("the scan's Huffman tables are not there")
            }
            let (h, v) = single ? (1, 1) : (header.components[component].h, header.components[component].v)
            for row in 0..<v {
                for column in 0..<h {
                    list.append(
                        Plan(
                            component: component, column: column, row: row, dc: .passUnretained(dc), ac: .passUnretained(ac),
                            differences: UnsafePointer(dc.differences), steps: UnsafePointer(ac.steps),
                            dcTable: scan.dcTables[index], acTable: 4 + scan.acTables[index]))
                }
            }
        }
        planCount = list.count
        plans = .allocate(capacity: list.count)
        plans.initialize(from: list, count: list.count)
        predicted = .allocate(capacity: 4)
        written = .allocate(capacity: 4)
        block = .allocate(capacity: 64)
        order = .allocate(capacity: 64)
        order.initialize(from: naturalOrder, count: 64)
        reader = SegmentReader(source, scan.data)
    }

    deinit {
        plans.deallocate()
        predicted.deallocate()
        written.deallocate()
        block.deallocate()
        codes.deallocate()
        recoded.deallocate()
        order.deallocate()
        reader.deallocate()
    }

    /// - Errors: `SpliceError.damaged` at the first thing that does not fit.
    func walk() throws {
        let total = mcusWide * mcusHigh
        let interval = scan.restartInterval == 0 ? total : scan.restartInterval
        var start = scan.data.lowerBound
        var first = 0
        var restart = 0
        while true {
            let last = min(first + interval, total)
            reader.begin(at: start)
            try walkSegment(first..<last)
            guard reader.position <= reader.validBits && reader.atEnd else { throw cutOff(last - 1) }
            guard reader.validBits - reader.position < 8 else { throw Unsuitable("stray bytes behind MCU \(last - 1)") }
            script.endSegment(source: start..<reader.next, bits: reader.offset)
            first = last
            if first == total { break }
            let marker = reader.next
            guard marker + 1 < scan.data.upperBound, source[marker] == 0xFF, source[marker + 1] == 0xD0 + UInt8(restart) else {
                throw cutOff(first)
            }
            restart = (restart + 1) & 7
            start = marker + 2
        }
        guard reader.next == scan.data.upperBound else { throw SpliceError.damaged("more restart intervals than MCUs") }
        script.literals.seal()
    }

    private func cutOff(_ mcu: Int) -> SpliceError {
        .damaged("the scan ends before MCU \(mcu) of \(mcusWide * mcusHigh)")
    }

    private func walkSegment(_ mcus: Range<Int>) throws {
        for component in 0..<4 {
            predicted[component] = 0
            written[component] = 0
        }
        var mcu = mcus.lowerBound
        var next = rewriteAll ? mcu : touched.next(from: mcu)
        var inStep = true
        while mcu < mcus.upperBound {
            if inStep && mcu < next {
                let count = min(next, mcus.upperBound) - mcu
                let (done, stop) = pass(count)
                if stop != 0 && stop != Stop.recode { throw failed(stop, mcu + done) }
                written.update(from: predicted, count: 4)
                mcu += done
                if stop == 0 { continue }
            }
            if reader.position > reader.limit && !reader.atEnd { reader.refill() }
            let isTouched = mcu == next
            let stop = edit(mcu, isTouched: isTouched)
            if stop != 0 { throw failed(stop, mcu) }
            mcu += 1
            if isTouched { next = rewriteAll ? mcu : touched.next(from: mcu) }
            inStep = !rewriteAll && (0..<4).allSatisfy { predicted[$0] == written[$0] }
        }
    }

    private func failed(_ stop: Int, _ mcu: Int) -> SpliceError {
        if reader.atEnd && reader.position > reader.validBits - 32 || stop == Stop.cutOff { return cutOff(mcu) }
        return .damaged(
            stop == Stop.badCode ? "no such Huffman code in MCU \(mcu)" : "a block of more than 64 coefficients in MCU \(mcu)")
    }

    // MARK: Passing over

    /// Passes over MCUs, adding up DC differences. The work of the whole: everything in registers, nothing called on the way.
    private func pass(_ count: Int) -> (done: Int, stop: Int) {
        let buffer = UnsafePointer(reader.buffer)
        let plans = UnsafePointer(self.plans)
        let planCount = self.planCount
        let predicted = self.predicted
        let recodesAny = self.recodesAny
        var atMCU = (position: reader.position, predicted: SIMD4<Int>())
        let shift = plans[0].ac._withUnsafeGuaranteedRef { $0.stepShift }
        var position = reader.position
        var limit = reader.limit
        var mcu = 0
        while mcu < count {
            if position > limit {
                reader.position = position
                if reader.atEnd { return (mcu, Stop.cutOff) }
                reader.refill()
                position = reader.position
                limit = reader.limit
                continue
            }
            if recodesAny {
                atMCU = (position, SIMD4(predicted[0], predicted[1], predicted[2], predicted[3]))
            }
            var index = 0
            while index < planCount {
                let plan = plans + index
                index &+= 1
                var window = bits(buffer, at: position)
                var used: Int
                let entry = Int(plan.pointee.differences[Int(window >> UInt64(64 &- HuffmanDecoder.differenceBits))])
                if entry != 0 {
                    used = entry & 15
                    predicted[plan.pointee.component] &+= entry >> 4
                } else {
                    let (size, length) = plan.pointee.dc._withUnsafeGuaranteedRef { $0.symbol(window) }
                    if length == 0 || size > 15 {
                        reader.position = position
                        return (mcu, Stop.badCode)
                    }
                    if recodesAny && recoded[plan.pointee.dcTable &* 256 &+ size] { return recode(mcu, atMCU) }
                    predicted[plan.pointee.component] &+= extended(window &<< UInt64(length), size)
                    used = length &+ size
                }
                window &<<= UInt64(used)
                let steps = plan.pointee.steps
                var k = 1
                while true {
                    if used > 57 - 13 {
                        position &+= used
                        used = 0
                        window = bits(buffer, at: position)
                    }
                    let step = Int(steps[Int(truncatingIfNeeded: window &>> shift)])
                    let next = k &+ step >> 4
                    let length = step & 15
                    used &+= length
                    window &<<= UInt64(length)
                    if next < 64 {
                        k = next
                        continue
                    }
                    if next == 64 || (next >= 128 && next < 192) { break }
                    // The step would go too far: one symbol, looked at again.
                    position &+= used &- length
                    used = 0
                    window = bits(buffer, at: position)
                    let (symbol, codeLength) = plan.pointee.ac._withUnsafeGuaranteedRef { $0.symbol(window) }
                    if codeLength == 0 {
                        reader.position = position
                        return (mcu, Stop.badCode)
                    }
                    if recodesAny && recoded[plan.pointee.acTable &* 256 &+ symbol] { return recode(mcu, atMCU) }
                    used = codeLength &+ symbol & 15
                    window &<<= UInt64(used)
                    if symbol & 15 == 0 && symbol != 0xF0 {
                        if symbol == 0 { break }
                        reader.position = position
                        return (mcu, Stop.badCode)
                    }
                    k &+= symbol >> 4 &+ 1
                    if k >= 64 {
                        if k == 64 { break }
                        reader.position = position
                        return (mcu, Stop.tooLong)
                    }
                }
                position &+= used
            }
            mcu &+= 1
        }
        reader.position = position
        return (count, position > limit && reader.atEnd ? Stop.cutOff : 0)
    }

    /// Goes back to the beginning of an MCU that cannot be passed over.
    private func recode(_ mcu: Int, _ start: (position: Int, predicted: SIMD4<Int>)) -> (done: Int, stop: Int) {
        reader.position = start.position
        for component in 0..<4 { predicted[component] = start.predicted[component] }
        return (mcu, Stop.recode)
    }

    // MARK: Editing

    /// Codes one MCU again: what the label touches anew, the rest with its own AC bits.
    private func edit(_ mcu: Int, isTouched: Bool) -> Int {
        let start = reader.offset
        let firstLiteral = script.literals.count
        if !script.isChanged { script.beginChanges(byte: reader.sourceOffset, bits: start & ~7) }
        let row = mcu / mcusWide
        let column = mcu - row * mcusWide
        if isTouched { tile.compose(x: column * mcuWidth, y: row * mcuHeight) }
        for index in 0..<planCount {
            let stop = edit(plans[index], isTouched: isTouched, column: column, row: row)
            if stop != 0 { return stop }
        }
        if reader.position > reader.validBits { return Stop.cutOff }
        script.replace(from: start, to: reader.offset, literalsFrom: firstLiteral)
        return 0
    }

    private func edit(_ plan: Plan, isTouched: Bool, column: Int, row: Int) -> Int {
        let buffer = UnsafePointer(reader.buffer)
        var position = reader.position
        let window = bits(buffer, at: position)
        let (size, length) = plan.dc._withUnsafeGuaranteedRef { $0.symbol(window) }
        if length == 0 || size > 15 { return Stop.badCode }
        let component = plan.component
        predicted[component] &+= extended(window &<< UInt64(length), size)
        position &+= length &+ size

        let acStart = position
        block.update(repeating: 0, count: 64)
        var mustRecode = false
        var k = 1
        while k < 64 {
            let window = bits(buffer, at: position)
            let (symbol, length) = plan.ac._withUnsafeGuaranteedRef { $0.symbol(window) }
            if length == 0 { return Stop.badCode }
            if recodesAny && recoded[plan.acTable &* 256 &+ symbol] { mustRecode = true }
            let size = symbol & 15
            position &+= length &+ size
            if size == 0 && symbol != 0xF0 {
                if symbol == 0 { break }
                return Stop.badCode
            }
            k &+= symbol >> 4
            if k > 63 {
                // A run of zeros may reach the end, a coefficient behind it may not.
                return Stop.tooLong
            }
            block[Int(order[k])] = Int16(truncatingIfNeeded: extended(window &<< UInt64(length), size))
            k &+= 1
        }
        reader.position = position

        var dc = predicted[component]
        var changed = false
        if isTouched && covers(plan, column, row) {
            block[0] = Int16(truncatingIfNeeded: dc)
            changed = blend.blend(block, component: component, column: plan.column, row: plan.row)
            if changed { dc = Int(block[0]) }
        }
        writeDC(dc &- written[component], table: plan.dcTable)
        written[component] = dc
        if changed || mustRecode {
            writeAC(table: plan.acTable)
        } else {
            script.literals.append(buffer, from: acStart, to: position)
        }
        return 0
    }

    /// Whether the label touches a block of the MCU at (column, row).
    @inline(__always)
    private func covers(_ plan: Plan, _ column: Int, _ row: Int) -> Bool {
        let across = mcuWidth >> 3
        let down = mcuHeight >> 3
        if scan.components.count == 1 { return cells.touches(column: column, row: row, width: 1, height: 1) }
        let component = header.components[plan.component]
        let wide = across / component.h
        let high = down / component.v
        return cells.touches(
            column: column &* across &+ plan.column &* wide, row: row &* down &+ plan.row &* high, width: wide, height: high)
    }

    private func write(_ symbol: Int, _ value: Int, _ size: Int, table: Int) {
        let code = codes[table &* 256 &+ symbol]
        if code == 0 {
            missing[table].insert(UInt8(symbol))
            return
        }
        let negative = value >> (Int.bitWidth &- 1)
        let magnitude = UInt64(truncatingIfNeeded: value &+ negative) & ((1 &<< UInt64(size)) &- 1)
        script.literals.append(UInt64(code & 0xFFFF) &<< UInt64(size) | magnitude, Int(code >> 16) &+ size)
    }

    private func writeDC(_ difference: Int, table: Int) {
        let size = magnitudeBits(difference)
        write(size, difference, size, table: table)
    }

    private func writeAC(table: Int) {
        var run = 0
        for k in 1..<64 {
            let value = Int(block[Int(order[k])])
            if value == 0 {
                run &+= 1
                continue
            }
            while run > 15 {
                write(0xF0, 0, 0, table: table)
                run &-= 16
            }
            let size = magnitudeBits(value)
            write(run << 4 | size, value, size, table: table)
            run = 0
        }
        if run > 0 { write(0, 0, 0, table: table) }
    }
}
