public import Vips

/// A picture's samples in memory, 8 bit, any number of bands.
public struct Pixels: Equatable, Sendable {
    public let width, height, bands: Int
    public var samples: [UInt8]

    public init(width: Int, height: Int, bands: Int, samples: [UInt8]) {
        (self.width, self.height, self.bands, self.samples) = (width, height, bands, samples)
    }

    /// **Errors**: whatever reading the image throws.
    public init(_ image: Image) throws {
        let bytes = try image.cast(.uchar).writeToMemory()
        self.init(width: image.width, height: image.height, bands: image.bands, samples: bytes)
    }

    public subscript(x: Int, y: Int) -> [UInt8] {
        let start = (y * width + x) * bands
        return Array(samples[start..<start + bands])
    }

    /// With an alpha of 255 where there is none, and grey as three equal bands.
    public var rgba: Pixels {
        if bands == 4 { return self }
        var result = [UInt8]()
        result.reserveCapacity(width * height * 4)
        for i in 0..<width * height {
            let p = samples[i * bands..<i * bands + bands]
            let first = p.startIndex
            switch bands {
            case 1: result += [p[first], p[first], p[first], 255]
            case 2: result += [p[first], p[first], p[first], p[first + 1]]
            default: result += [p[first], p[first + 1], p[first + 2], 255]
            }
        }
        return Pixels(width: width, height: height, bands: 4, samples: result)
    }
}
