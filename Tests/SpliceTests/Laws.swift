import Glibc
import Splice

// Laws of a splice. Each gives what it found wrong, or nil; BrokenSubjectTests hands each of them something it must reject.

/// The output reads without a warning, and no block changed that has no px of a label in it.
func outsideIsUntouched(_ source: [UInt8], _ output: [UInt8], _ patches: [Patch]) -> String? {
    let before = Probe(coefficients: source)
    let after = Probe(coefficients: output)
    guard before.isClean else { return "source: \(before.message)" }
    guard after.isClean else { return "output: \(after.message)" }
    guard before.raw.width == after.raw.width, before.raw.height == after.raw.height, before.components == after.components else {
        return "another size"
    }
    let single = before.components == 1
    let maxH = single ? 1 : (0..<before.components).map(before.h).max()!
    let maxV = single ? 1 : (0..<before.components).map(before.v).max()!
    let labelled = labelledPx(patches, width: Int(before.raw.width), height: Int(before.raw.height))
    for c in 0..<before.components {
        let (wide, high) = (8 * maxH / (single ? 1 : before.h(c)), 8 * maxV / (single ? 1 : before.v(c)))
        for row in 0..<before.high(c) {
            for column in 0..<before.wide(c) {
                let at = (row * before.wide(c) + column) * 64
                if (0..<64).allSatisfy({ before.blocks(c)[at + $0] == after.blocks(c)[at + $0] }) { continue }
                if !labelled.hasAny(column * wide, row * high, wide, high) {
                    return "component \(c), block \(column), \(row) changed"
                }
            }
        }
    }
    return nil
}

/// Both outputs have the same coefficients.
func coefficientsAgree(_ one: [UInt8], _ other: [UInt8]) -> String? {
    let one = Probe(coefficients: one)
    let other = Probe(coefficients: other)
    guard one.isClean, other.isClean else { return one.message + other.message }
    guard one.components == other.components else { return "other components" }
    for c in 0..<one.components {
        for index in 0..<one.wide(c) * one.high(c) * 64 where one.blocks(c)[index] != other.blocks(c)[index] {
            let block = index / 64
            return
                "component \(c), block \(block % one.wide(c)), \(block / one.wide(c)): \(one.blocks(c)[index]) and \(other.blocks(c)[index])"
        }
    }
    return nil
}

/// Inside the label the output is at most `margin` dB farther from the ideal blend than what decoding, drawing and encoding with
/// the same settings gives.
func insideIsAsGood(_ sample: Sample, _ output: [UInt8], _ patches: [Patch], margin: Double = 0.3) throws -> String? {
    let source = Probe(pixels: sample.bytes).pixels
    let result = Probe(pixels: output).pixels
    let header = try header(sample.bytes)
    guard source.count == result.count, let like = JPEGSettings.like(header) else { return "another size" }
    let ideal = blended(source, header, patches)
    var full = Scene(width: header.width, height: header.height, channels: header.colour.channels)
    full.pixels = ideal.map { UInt8(min(255, max(0, $0.rounded()))) }
    // The probe gives CMYK as stored, the encoder takes ink.
    if header.isInverted { full.pixels = full.pixels.map { 255 - $0 } }
    let reencoded = Probe(pixels: try full.encoded(like)).pixels
    let labelled = labelledPx(patches, width: header.width, height: header.height)
    let spliced = psnr(result, ideal, labelled, header.colour.channels)
    let fully = psnr(reencoded, ideal, labelled, header.colour.channels)
    return spliced >= fully - margin ? nil : "\(spliced) dB where the full path has \(fully)"
}

extension Scene {
    init(width: Int, height: Int, channels: Int) {
        self.width = width
        self.height = height
        self.channels = channels
        pixels = []
    }
}

struct Mask {
    let width: Int
    let height: Int
    var px: [Bool]

    func hasAny(_ x: Int, _ y: Int, _ wide: Int, _ high: Int) -> Bool {
        for row in y..<max(y, min(y + high, height)) {
            for column in x..<max(x, min(x + wide, width)) where px[row * width + column] { return true }
        }
        return false
    }
}

/// Where alpha is above 0, px by px.
func labelledPx(_ patches: [Patch], width: Int, height: Int) -> Mask {
    var mask = Mask(width: width, height: height, px: Array(repeating: false, count: width * height))
    for patch in patches {
        for y in 0..<patch.height {
            for x in 0..<patch.width where patch.stamp.pixel(x, y).last! > 0 {
                let (px, py) = (patch.x + x, patch.y + y)
                if 0..<width ~= px && 0..<height ~= py { mask.px[py * width + px] = true }
            }
        }
    }
    return mask
}

/// The uncompressed blend in the probe's pixels.
func blended(_ source: [UInt8], _ header: JPEGHeader, _ patches: [Patch]) -> [Double] {
    var result = source.map(Double.init)
    let channels = header.colour.channels
    for patch in patches {
        for y in 0..<patch.height {
            for x in 0..<patch.width {
                let (px, py) = (patch.x + x, patch.y + y)
                guard 0..<header.width ~= px, 0..<header.height ~= py else { continue }
                let values = patch.stamp.pixel(x, y)
                for channel in 0..<channels {
                    let at = (py * header.width + px) * channels + channel
                    let value = header.isInverted ? 1 - values[channel] : values[channel]
                    result[at] += (value * 255 - result[at]) * values.last!
                }
            }
        }
    }
    return result
}

func psnr(_ pixels: [UInt8], _ ideal: [Double], _ mask: Mask, _ channels: Int) -> Double {
    var sum = 0.0
    var count = 0
    for (index, labelled) in mask.px.enumerated() where labelled {
        for channel in 0..<channels {
            let difference = Double(pixels[index * channels + channel]) - ideal[index * channels + channel]
            sum += difference * difference
            count += 1
        }
    }
    return count == 0 || sum == 0 ? 99 : 10 * log10(255 * 255 * Double(count) / sum)
}

extension Stamp {
    /// One pixel, 0…1, alpha last.
    func pixel(_ x: Int, _ y: Int) -> [Double] {
        let at = (y * width + x) * (channels + 1)
        return (0...channels).map {
            switch samples {
            case .u16(let values): Double(values[at + $0]) / 65535
            case .float(let values): Double(values[at + $0])
            }
        }
    }
}
