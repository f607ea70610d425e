import CVips

extension Image {
    /// The same picture, which tells when pixels of it are computed: `enter` is called before each region and `leave` behind
    /// it, with what `enter` gave, on the thread that computes.
    ///
    /// - Parameter failing: where errors come from, added to what was said of one.
    /// **Cost**: two calls a region; pixels pass by pointer.
    package func watched(
        failing: String?, enter: @escaping @Sendable () -> UInt32, leave: @escaping @Sendable (UInt32) -> Void
    ) throws -> Image {
        try through(
            generateWatched, of: Watch(base: self, failing: failing, enter: enter, leave: leave), hint: .any, name: "watched")
    }
}

/// Kept by the image it belongs to.
private final class Watch {
    /// Kept alive.
    let base: Image
    let failing: String?
    let enter: @Sendable () -> UInt32
    let leave: @Sendable (UInt32) -> Void

    init(
        base: Image, failing: String?, enter: @escaping @Sendable () -> UInt32, leave: @escaping @Sendable (UInt32) -> Void
    ) {
        (self.base, self.failing, self.enter, self.leave) = (base, failing, enter, leave)
    }
}

private let generateWatched: VipsGenerateFn = { output, sequence, _, context, _ in
    guard let output, let sequence, let context else { return -1 }
    let watch = Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue()
    let input = sequence.assumingMemoryBound(to: VipsRegion.self)
    var rect = output.pointee.valid
    let before = watch.enter()
    let status = vips_region_prepare(input, &rect)
    watch.leave(before)
    if status != 0, let failing = watch.failing { lpv_error(failing, "they cannot be computed") }
    return status != 0 ? -1 : vips_region_region(output, input, &rect, rect.left, rect.top)
}
