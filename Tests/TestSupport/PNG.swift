import Glibc
import Vips

extension Pixels {
    /// Writes a PNG, making the folders it lies in.
    public func write(to path: String) throws {
        let (samples, width, bands) = (self.samples, self.width, self.bands)
        let image = try Image.generated(
            width: width, height: height, bands: bands, format: .uchar, interpretation: bands < 3 ? .bw : .srgb
        ) { pixels in
            for row in 0..<pixels.box.height {
                let start = ((pixels.box.top + row) * width + pixels.box.left) * bands
                let out = pixels.row(row, as: UInt8.self)
                for i in 0..<pixels.box.width * bands { out[i] = samples[start + i] }
            }
        }
        let bytes = try Operation("pngsave_buffer").set("in", image).set("compression", 9).set("filter", "paeth").run().bytes()
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o755)
        }
        guard let file = fopen(path, "w") else { throw CannotWrite(path: path) }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw CannotWrite(path: path) }
    }

    struct CannotWrite: Error { let path: String }

    /// Not larger than `side` in either direction: the mean of blocks of whole px, by what is seen of them.
    public func reduced(to side: Int) -> Pixels {
        let factor = (max(width, height) + side - 1) / side
        if factor <= 1 { return self }
        let source = rgba
        let (columns, rows) = ((width + factor - 1) / factor, (height + factor - 1) / factor)
        var result: [UInt8] = []
        result.reserveCapacity(columns * rows * 4)
        for row in 0..<rows {
            for column in 0..<columns {
                var (sum, count) = (SIMD4<Int>(), 0)
                for y in row * factor..<min((row + 1) * factor, height) {
                    for x in column * factor..<min((column + 1) * factor, width) {
                        let p = source[x, y].map(Int.init)
                        sum &+= SIMD4(p[0] * p[3], p[1] * p[3], p[2] * p[3], p[3])
                        count += 1
                    }
                }
                for band in 0..<3 { result.append(UInt8(sum[3] == 0 ? 0 : (sum[band] + sum[3] / 2) / sum[3])) }
                result.append(UInt8((sum[3] + count / 2) / count))
            }
        }
        return Pixels(width: columns, height: rows, bands: 4, samples: result)
    }
}
