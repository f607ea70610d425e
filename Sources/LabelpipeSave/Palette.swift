import Vips

/// A picture of at most 256 colours as numbers of a palette.
struct Palette {
    /// Red, green, blue, alpha of each colour, those that are not opaque first.
    let colours: [SIMD4<UInt8>]
    /// One band of 8 bits.
    let indexes: Image

    /// **Units**: px. Larger pictures would be held in memory just for this.
    static let largest = 8_000_000

    /// nil where there are more colours, or samples of another kind.
    ///
    /// - Parameter image: in memory.
    init?(_ image: Image) throws {
        guard image.format == .uchar, image.bands == 3 || image.bands == 4, image.pageCount == 1 else { return nil }
        let (width, height, bands) = (image.width, image.height, image.bands)
        var numbers: [SIMD4<UInt8>: UInt8] = [:]
        var found: [SIMD4<UInt8>] = []
        var bytes = [UInt8](repeating: 0, count: width * height)
        let fits = try image.withPixels { pixels, rowStride in
            var last = (colour: SIMD4<UInt8>(0, 0, 0, 0), number: UInt8(0))
            for y in 0..<height {
                let row = (pixels + y * rowStride).assumingMemoryBound(to: UInt8.self)
                for x in 0..<width {
                    let p = row + x * bands
                    let colour = SIMD4(p[0], p[1], p[2], bands == 4 ? p[3] : 255)
                    if found.isEmpty || colour != last.colour {
                        if let number = numbers[colour] {
                            last = (colour, number)
                        } else {
                            guard found.count < 256 else { return false }
                            last = (colour, UInt8(found.count))
                            numbers[colour] = last.number
                            found.append(colour)
                        }
                    }
                    bytes[y * width + x] = last.number
                }
            }
            return true
        }
        guard fits else { return nil }
        // A PNG lists the alpha of the first colours only.
        let order = found.indices.sorted { (found[$0].w == 255 ? 1 : 0, $0) < (found[$1].w == 255 ? 1 : 0, $1) }
        var place = [UInt8](repeating: 0, count: 256)
        for (new, old) in order.enumerated() { place[old] = UInt8(new) }
        for index in bytes.indices { bytes[index] = place[Int(bytes[index])] }
        colours = order.map { found[$0] }
        let plain = try Image.fromMemory(bytes, width: width, height: height, bands: 1, format: .uchar, interpretation: .bw)
        let comments = image.fieldNames().filter { $0.hasPrefix("png-comment-") }
        indexes = try plain.editingMetadata { editor in
            editor.setResolution(x: image.xResolution, y: image.yResolution)
            for name in comments { if let text = image.string(name) { editor.set(name, .string(text)) } }
        }
    }
}
