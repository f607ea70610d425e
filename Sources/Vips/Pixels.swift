import CVips

extension Image {
    /// Calculates a box of pixels and copies it to `destination`, whose rows are `rowStride` bytes apart.
    ///
    /// May be called inside a drawing callback. **Errors**: the box leaves the picture, the calculation fails.
    /// **Cost**: one region; of a lazy picture, what the box depends on.
    public func read(_ box: PixelBox, into destination: UnsafeMutableRawPointer, rowStride: Int) throws {
        let rowBytes = max(0, box.width) * bytesPerPixel
        try withRegion(box) { pixels, stride in
            for row in 0..<box.height {
                (destination + row * rowStride).copyMemory(from: pixels + row * stride, byteCount: rowBytes)
            }
        }
    }

    /// Calculates a box of pixels and shows them where libvips has them, valid inside `body` alone.
    ///
    /// `body` is not called for an empty box. Same rules as in ``read(_:into:rowStride:)``, without its copy.
    public func withRegion(_ box: PixelBox, _ body: (_ pixels: UnsafeRawPointer, _ rowStride: Int) throws -> Void) throws {
        guard bounds.contains(box) else {
            throw VipsError(operation: "read", message: "box \(box) is not inside \(width)x\(height)")
        }
        if box.isEmpty { return }
        guard let region = vips_region_new(pointer) else { throw VipsError.taken(by: "read") }
        defer { g_object_unref(region) }
        var rect = box.vips
        guard vips_region_prepare(region, &rect) == 0 else { throw VipsError.taken(by: "read") }
        guard let pixels = lpv_region_address(region, rect.left, rect.top) else {
            throw VipsError(operation: "read", message: "the region has no pixels")
        }
        try body(pixels, lpv_region_stride(region))
    }

    /// A box of pixels, rows without gaps.
    public func read(_ box: PixelBox) throws -> [UInt8] {
        let rowBytes = max(0, box.width) * bytesPerPixel
        let count = rowBytes * max(0, box.height)
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialised in
            if let base = buffer.baseAddress, count > 0 { try read(box, into: base, rowStride: rowBytes) }
            initialised = count
        }
    }

    /// Calculates the whole picture, rows without gaps.
    /// **Cost**: width × height × bytes of a pixel.
    public func writeToMemory() throws -> [UInt8] {
        let count = width * height * bytesPerPixel
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialised in
            guard let base = buffer.baseAddress,
                let memory = vips_image_new_from_memory(
                    base, count, Int32(width), Int32(height), Int32(bands), format.vips)
            else { throw VipsError.taken(by: "writeToMemory") }
            defer { g_object_unref(memory) }
            guard vips_image_write(pointer, memory) == 0 else { throw VipsError.taken(by: "writeToMemory") }
            initialised = count
        }
    }

    /// The pixels of a picture that is, or is put, in memory.
    /// **Cost**: ``materialised()`` where ``isInMemory`` is false.
    public func withPixels<Result>(_ body: (_ pixels: UnsafeRawPointer, _ rowStride: Int) throws -> Result) throws -> Result {
        let memory = isInMemory ? self : try materialised()
        guard let data = memory.pointer.pointee.data else {
            throw VipsError(operation: "withPixels", message: "the picture has no pixels in memory")
        }
        return try withExtendedLifetime(memory) { try body(UnsafeRawPointer(data), width * bytesPerPixel) }
    }

    /// A picture of pixels that are copied: rows without gaps, `bytes.count` = width × height × bands × bytes of a sample.
    public static func fromMemory(
        _ bytes: [UInt8], width: Int, height: Int, bands: Int, format: PixelFormat, interpretation: Interpretation
    ) throws -> Image {
        try VipsRuntime.require()
        try checkSize(width: width, height: height, bands: bands)
        let image = try bytes.withUnsafeBytes { buffer in
            guard
                let image = vips_image_new_from_memory_copy(
                    buffer.baseAddress, buffer.count, Int32(width), Int32(height), Int32(bands), format.vips)
            else { throw VipsError.taken(by: "fromMemory") }
            return image
        }
        image.pointee.Type = interpretation.vips
        return Image(adopting: image)
    }

    /// A picture of pixels that stay where they are, such as a mapped file; `release` is called when nobody needs them.
    package static func borrowingMemory(
        _ pixels: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int, format: PixelFormat,
        interpretation: Interpretation, release: @escaping @Sendable () -> Void
    ) throws -> Image {
        try VipsRuntime.require()
        try checkSize(width: width, height: height, bands: bands)
        guard
            let image = vips_image_new_from_memory(
                pixels.baseAddress, pixels.count, Int32(width), Int32(height), Int32(bands), format.vips)
        else { throw VipsError.taken(by: "borrowingMemory") }
        image.pointee.Type = interpretation.vips
        attach(ReleaseBox(release), to: image)
        return Image(adopting: image)
    }

    /// The same picture with its pixels in memory.
    /// **Cost**: width × height × bytes of a pixel; the chain of operations behind it is let go.
    public func materialised() throws -> Image {
        guard let memory = vips_image_new_memory() else { throw VipsError.taken(by: "materialised") }
        guard vips_image_write(pointer, memory) == 0 else {
            g_object_unref(memory)
            throw VipsError.taken(by: "materialised")
        }
        return Image(adopting: memory)
    }

    /// Calculates every pixel and keeps none, from top to bottom.
    public func sinkDiscard() throws {
        guard vips_sink(pointer, nil, { _, _, _, _, _ in 0 }, nil, nil, nil) == 0 else {
            throw VipsError.taken(by: "sinkDiscard")
        }
    }

    /// libvips counts in Int32, and fails late or not at all beyond.
    static func checkSize(width: Int, height: Int, bands: Int) throws {
        let limit = 100_000_000  // VIPS_MAX_COORD of 8.14 is 10,000,000 in most operations; the header takes more
        guard (1...limit).contains(width), (1...limit).contains(height), (1...10_000).contains(bands) else {
            throw VipsError(operation: "image", message: "a picture of \(width)x\(height) px with \(bands) bands cannot be")
        }
    }
}

/// Keeps a Swift object alive as long as a libvips image is: released when that is finalised, after its last region.
func attach(_ object: AnyObject, to image: UnsafeMutablePointer<VipsImage>) {
    g_object_set_data_full(
        lpv_gobject(image), "labelpipe-context", Unmanaged.passRetained(object).toOpaque(),
        { Unmanaged<AnyObject>.fromOpaque($0!).release() })
}

private final class ReleaseBox {
    let release: @Sendable () -> Void
    init(_ release: @escaping @Sendable () -> Void) { self.release = release }
    deinit { release() }
}
