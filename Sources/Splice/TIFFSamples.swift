extension Patch {
    /// Whether any px with alpha above 0 lies in a part of the picture.
    func isVisible(in area: Area) -> Bool {
        for row in max(0, area.y - y)..<max(max(0, area.y - y), min(height, area.y + area.height - y)) {
            let first = max(0, area.x - x)
            let last = min(width, area.x + area.width - x)
            var at = first
            while at < last {
                let word = stamp.visible[row * stamp.visibleStride + at >> 6] & ~0 << UInt64(at & 63)
                let found = at & ~63 + word.trailingZeroBitCount
                if word != 0 && found < last { return true }
                at = at & ~63 + 64
            }
        }
        return false
    }
}

extension Stamp {
    var isFloat: Bool {
        if case .float = samples { true } else { false }
    }
}

extension TIFFFile.Directory {
    /// Colours a label needs: extra samples that nobody declared count as alpha.
    var colourChannels: Int { photometric == 2 || photometric == 6 ? 3 : photometric == 5 ? 4 : 1 }

    /// Decoded bytes of a tile, of one plane.
    var tileBytes: Int { tileWidth * tileHeight * (isPlanar ? 1 : samples) * (bits / 8) }

    /// The part of the picture that a tile shows.
    func area(_ column: Int, _ row: Int) -> Area {
        let (x, y) = (column * tileWidth, row * tileHeight)
        return Area(x: x, y: y, width: min(tileWidth, width - x), height: min(tileHeight, height - y))
    }

    /// Rows that are coded: the last strip has only those of the picture.
    func rows(of tile: Int) -> Int { isTiled ? tileHeight : area(0, tile % tilesPerPlane / across).height }

    /// Why a label cannot be drawn into the samples; `nil` when it can.
    func obstacle(isFloatLabel: Bool) -> String? {
        guard width > 0, height > 0, tileWidth > 0, tileHeight > 0, tileWidth <= 1 << 20, tileHeight <= 1 << 24, samples <= 64
        else {
            return "a size of \(width)×\(height)"
        }
        guard [1, 5, 7, 8, 32773, 32946, 34925, 50000].contains(compression) else { return "compression \(compression)" }
        guard [0, 1, 2, 5, 6].contains(photometric) else { return "photometric interpretation \(photometric)" }
        if photometric == 6 && compression != 7 { return "YCbCr that is not JPEG" }
        if samples < colourChannels { return "\(samples) samples a pixel" }
        let isFloat = sampleFormat == 3 && bits == 32
        guard isFloat || ((sampleFormat == 1 || sampleFormat == 4) && (bits == 8 || bits == 16)) else {
            return "\(bits) bits in sample format \(sampleFormat)"
        }
        if isFloat && !isFloatLabel { return "float samples" }
        if compression == 7 {
            return bits == 8 && !isPlanar && samples == colourChannels && photometric != 5 ? nil : "an odd kind of JPEG tile"
        }
        if isPlanar && alpha != nil && extraSamples.first != 1 { return "straight alpha in a plane of its own" }
        return nil
    }

    private var alpha: Int? { samples > colourChannels ? colourChannels : nil }

    func blend(plane: Int) -> TIFFBlend {
        TIFFBlend(
            samples: bits == 8 ? .u8 : bits == 16 ? .u16 : .float, step: isPlanar ? 1 : samples, channels: colourChannels,
            alpha: alpha, isAssociated: extraSamples.first == 1, isInverted: photometric == 0, plane: isPlanar ? plane : nil)
    }
}
