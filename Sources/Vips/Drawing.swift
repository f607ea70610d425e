import CVips

/// Pixels that a callback may read and write: one box of a picture, in its own format.
public struct MutablePixels {
    /// The first sample of the box's top left pixel.
    public let base: UnsafeMutableRawPointer
    /// Bytes from one row to the next.
    public let rowStride: Int
    /// Where these pixels lie in the picture.
    public let box: PixelBox
    public let bands: Int
    public let format: PixelFormat
    /// Which of the boxes this is a part of: its index in what was given to ``Image/drawing(over:_:)``; else 0.
    public let index: Int

    /// Bytes of one pixel.
    @inlinable public var bytesPerPixel: Int { bands &* format.bytesPerSample }

    /// A row of the box, counted from its top.
    @inlinable public func row(_ y: Int) -> UnsafeMutableRawPointer { base + y &* rowStride }

    /// A row of the box as samples of the picture's format.
    @inlinable public func row<Sample>(_ y: Int, as type: Sample.Type) -> UnsafeMutablePointer<Sample> {
        (base + y &* rowStride).assumingMemoryBound(to: type)
    }
}

/// In which pieces libvips should ask for pixels.
public enum DemandHint: Sendable {
    /// Strips of one line or a few.
    case thinStrip
    /// Strips of many lines.
    case fatStrip
    /// Tiles: for what is turned or looks at a neighbourhood.
    case smallTile
    /// Whatever the reader likes.
    case any

    var vips: VipsDemandStyle {
        switch self {
        case .thinStrip: VIPS_DEMAND_STYLE_THINSTRIP
        case .fatStrip: VIPS_DEMAND_STYLE_FATSTRIP
        case .smallTile: VIPS_DEMAND_STYLE_SMALLTILE
        case .any: VIPS_DEMAND_STYLE_ANY
        }
    }
}

extension Image {
    /// This picture with something drawn in some boxes; size, format, bands and metadata stay.
    ///
    /// Regions that touch no box pass through by pointer. Otherwise the region's pixels are copied and `draw` is called for
    /// each box it touches, in the order of `boxes`, with the part of that box inside the region. Boxes may overlap, and
    /// may leave the picture.
    /// - Parameter draw: called from libvips' threads, at times several at once, in any order of regions, never twice for
    ///   the same pixels of one evaluation's region. What it throws is the evaluation's error, as ``VipsError/cause``.
    /// - Cost: nothing measurable outside the boxes (a 24 MP JPEG copied with and without: the same CPU time).
    public func drawing(over boxes: [PixelBox], _ draw: @escaping @Sendable (MutablePixels) throws -> Void) throws -> Image {
        let bounds = self.bounds
        // Kept with their index, since `draw` is told which box it is drawing.
        let wanted = boxes.enumerated().filter { $0.element.intersects(bounds) }.map { (index: $0.offset, box: $0.element) }
        return try through(
            generateDrawing, of: DrawingContext(base: self, boxes: wanted, draw: draw), hint: .thinStrip, name: "drawing")
    }

    /// A picture of the same size and kind whose regions a callback makes from this one's.
    ///
    /// - Parameter context: what the callback is given; kept by the new picture. It has to keep this one alive: libvips' link from
    ///   output to input is no reference.
    func through(_ generate: @escaping VipsGenerateFn, of context: AnyObject, hint: DemandHint, name: String) throws -> Image {
        guard let output = vips_image_new() else { throw VipsError.taken(by: name) }
        attach(context, to: output)
        var inputs: [UnsafeMutablePointer<VipsImage>?] = [pointer, nil]
        guard vips_image_pipeline_array(output, hint.vips, &inputs) == 0,
            vips_image_generate(
                output, vips_start_one, generate, vips_stop_one, pointer, Unmanaged.passUnretained(context).toOpaque()) == 0
        else {
            g_object_unref(output)
            throw VipsError.taken(by: name)
        }
        return Image(adopting: output)
    }

    /// A picture that is calculated by a callback, region by region, only where somebody looks.
    /// - Parameter generate: writes every pixel of the box it is given; same rules as in ``drawing(over:_:)``.
    public static func generated(
        width: Int, height: Int, bands: Int, format: PixelFormat, interpretation: Interpretation,
        xResolution: Double = 1, yResolution: Double = 1, hint: DemandHint = .thinStrip,
        generate: @escaping @Sendable (MutablePixels) throws -> Void
    ) throws -> Image {
        try VipsRuntime.require()
        try checkSize(width: width, height: height, bands: bands)
        guard let output = vips_image_new() else { throw VipsError.taken(by: "generated") }
        let context = DrawingContext(base: nil, boxes: [], draw: generate)
        attach(context, to: output)
        vips_image_init_fields(
            output, Int32(width), Int32(height), Int32(bands), format.vips, VIPS_CODING_NONE, interpretation.vips,
            xResolution, yResolution)
        var inputs: [UnsafeMutablePointer<VipsImage>?] = [nil]
        guard vips_image_pipeline_array(output, hint.vips, &inputs) == 0,
            vips_image_generate(
                output, nil, generateAll, nil, nil, Unmanaged.passUnretained(context).toOpaque()) == 0
        else {
            g_object_unref(output)
            throw VipsError.taken(by: "generated")
        }
        return Image(adopting: output)
    }
}

/// What a region callback needs; kept by the image it belongs to.
private final class DrawingContext {
    /// Kept alive: libvips' link from output to input is no reference.
    let base: Image?
    let boxes: [(index: Int, box: PixelBox)]
    let draw: @Sendable (MutablePixels) throws -> Void

    init(base: Image?, boxes: [(index: Int, box: PixelBox)], draw: @escaping @Sendable (MutablePixels) throws -> Void) {
        self.base = base
        self.boxes = boxes
        self.draw = draw
    }

    func draw(_ box: PixelBox, of region: UnsafeMutablePointer<VipsRegion>, index: Int) throws {
        guard let base = lpv_region_address(region, Int32(box.left), Int32(box.top)),
            let format = PixelFormat(rawValue: region.pointee.im.pointee.BandFmt.rawValue)
        else { throw VipsError(operation: "drawing", message: "the region has no pixels") }
        try draw(
            MutablePixels(
                base: base, rowStride: lpv_region_stride(region), box: box, bands: Int(region.pointee.im.pointee.Bands),
                format: format, index: index))
    }
}

private let generateAll: VipsGenerateFn = { output, _, _, context, _ in
    guard let output, let context else { return -1 }
    let drawing = Unmanaged<DrawingContext>.fromOpaque(context).takeUnretainedValue()
    do {
        try drawing.draw(PixelBox(output.pointee.valid), of: output, index: 0)
        return 0
    } catch {
        ErrorBuffer.raise(error, in: "draw")
        return -1
    }
}

private let generateDrawing: VipsGenerateFn = { output, sequence, _, context, _ in
    guard let output, let sequence, let context else { return -1 }
    let drawing = Unmanaged<DrawingContext>.fromOpaque(context).takeUnretainedValue()
    let input = sequence.assumingMemoryBound(to: VipsRegion.self)
    var rect = output.pointee.valid
    let valid = PixelBox(rect)
    guard drawing.boxes.contains(where: { $0.box.intersects(valid) }) else {
        // The output region becomes a window onto the input's pixels.
        if vips_region_prepare(input, &rect) != 0 { return -1 }
        return vips_region_region(output, input, &rect, rect.left, rect.top)
    }
    if vips_region_prepare(input, &rect) != 0 { return -1 }
    vips_region_copy(input, output, &rect, rect.left, rect.top)
    do {
        for (index, box) in drawing.boxes where box.intersects(valid) {
            try drawing.draw(box.intersection(valid), of: output, index: index)
        }
        return 0
    } catch {
        ErrorBuffer.raise(error, in: "draw")
        return -1
    }
}
