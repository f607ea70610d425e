/// Draws patches into the decoded samples of one tile.
///
/// Sources without alpha: `sample += (label - sample) * alpha`. Straight alpha: the label is laid over, and what was transparent
/// takes its colour. Associated alpha: both premultiplied. Integers are rounded to the nearest.
struct TIFFBlend {
    /// What a sample of the picture is.
    enum Samples { case u8, u16, float }

    let samples: Samples
    /// Samples a pixel in the buffer: all of them, or one of a plane.
    let step: Int
    let channels: Int
    /// Of the alpha sample in a pixel; `nil` without one.
    let alpha: Int?
    let isAssociated: Bool
    /// 0 is white.
    let isInverted: Bool
    /// Which colour a plane of its own holds; `nil` when all are interleaved.
    let plane: Int?

    /// - Parameters:
    ///   - buffer: rows of the tile, `stride` px apart.
    ///   - x: the tile's place in the picture; `y` likewise.
    ///   - width: how much of the tile lies in the picture; `height` likewise.
    func draw(_ patches: [Patch], _ buffer: UnsafeMutableRawPointer, stride: Int, x: Int, y: Int, width: Int, height: Int) {
        for patch in patches {
            let columns = max(0, patch.x - x)..<max(max(0, patch.x - x), min(width, patch.x + patch.width - x))
            let rows = max(0, patch.y - y)..<max(max(0, patch.y - y), min(height, patch.y + patch.height - y))
            if columns.isEmpty || rows.isEmpty { continue }
            switch patch.stamp.samples {
            case .u16(let values):
                values.withUnsafeBufferPointer {
                    draw(patch, $0.baseAddress!, 1 / 65535, buffer, stride, x, y, columns, rows)
                }
            case .float(let values):
                values.withUnsafeBufferPointer { draw(patch, $0.baseAddress!, 1, buffer, stride, x, y, columns, rows) }
            }
        }
    }

    private func draw<S: StampSample>(
        _ patch: Patch, _ label: UnsafePointer<S>, _ scale: Float, _ buffer: UnsafeMutableRawPointer, _ stride: Int, _ x: Int,
        _ y: Int,
        _ columns: Range<Int>, _ rows: Range<Int>
    ) {
        switch samples {
        case .u8:
            draw(patch, label, scale, buffer.assumingMemoryBound(to: UInt8.self), 255, stride, x, y, columns, rows)
        case .u16:
            draw(patch, label, scale, buffer.assumingMemoryBound(to: UInt16.self), 65535, stride, x, y, columns, rows)
        case .float:
            draw(patch, label, scale, buffer.assumingMemoryBound(to: Float.self), 1, stride, x, y, columns, rows)
        }
    }

    private func draw<S: StampSample, P: PictureSample>(
        _ patch: Patch, _ label: UnsafePointer<S>, _ scale: Float, _ buffer: UnsafeMutablePointer<P>, _ unit: Float,
        _ stride: Int,
        _ x: Int, _ y: Int, _ columns: Range<Int>, _ rows: Range<Int>
    ) {
        let stamp = patch.stamp
        let labelStep = stamp.channels + 1
        for row in rows {
            var from = label + ((row + y - patch.y) * stamp.width + columns.lowerBound + x - patch.x) * labelStep
            var to = buffer + (row * stride + columns.lowerBound) * step
            for _ in columns {
                let opacity = min(from[stamp.channels].float * scale, 1)
                if opacity > 0 { blend(from, stamp.channels, scale * unit, opacity, to, unit) }
                from += labelStep
                to += step
            }
        }
    }

    @inline(__always)
    private func blend<S: StampSample, P: PictureSample>(
        _ label: UnsafePointer<S>, _ labelChannels: Int, _ scale: Float, _ opacity: Float, _ pixel: UnsafeMutablePointer<P>,
        _ unit: Float
    ) {
        @inline(__always) func colour(_ channel: Int) -> Float {
            let value: Float
            if labelChannels == channels {
                value = label[channel].float * scale
            } else if labelChannels == 1 {
                value = label[0].float * scale
            } else {
                value = (0.299 * label[0].float + 0.587 * label[1].float + 0.114 * label[2].float) * scale
            }
            return isInverted ? unit - value : value
        }
        if let plane {
            // A plane of the colour, or of the alpha, which no other plane depends on.
            let value = plane < channels ? colour(plane) : unit
            pixel[0] = P(rounding: pixel[0].float + (value - pixel[0].float) * opacity)
            return
        }
        guard let alpha else {
            for channel in 0..<channels {
                pixel[channel] = P(rounding: pixel[channel].float + (colour(channel) - pixel[channel].float) * opacity)
            }
            return
        }
        let before = pixel[alpha].float / unit
        let after = opacity + before * (1 - opacity)
        for channel in 0..<channels {
            let value =
                isAssociated
                ? pixel[channel].float * (1 - opacity) + colour(channel) * opacity
                : (pixel[channel].float * before * (1 - opacity) + colour(channel) * opacity) / after
            pixel[channel] = P(rounding: value)
        }
        pixel[alpha] = P(rounding: after * unit)
    }
}

/// A type that picture samples come in.
protocol PictureSample {
    var float: Float { get }
    init(rounding value: Float)
}

extension UInt8: PictureSample {
    @inline(__always) var float: Float { Float(self) }
    @inline(__always) init(rounding value: Float) { self = UInt8(value > 0 ? Swift.min(255, value + 0.5) : 0) }
}

extension UInt16: PictureSample {
    @inline(__always) init(rounding value: Float) { self = UInt16(value > 0 ? Swift.min(65535, value + 0.5) : 0) }
}

extension Float: PictureSample {
    @inline(__always) init(rounding value: Float) { self = value }
}
