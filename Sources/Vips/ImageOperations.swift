import CVips

/// The operations that are needed all the time; every other one by ``Operation``.
extension Image {
    /// The same pixels with another header. **Cost**: none.
    public func copy(interpretation: Interpretation? = nil) throws -> Image {
        try Operation("copy").set("in", self).set("interpretation", ifPresent: interpretation?.nickname).image()
    }

    /// A part of the picture. **Errors**: the box leaves the picture.
    public func extractArea(_ box: PixelBox) throws -> Image {
        try Operation("extract_area").set("input", self).set("left", box.left).set("top", box.top)
            .set("width", box.width).set("height", box.height).image()
    }

    /// Some neighbouring bands.
    public func extractBand(_ band: Int, count: Int = 1) throws -> Image {
        try Operation("extract_band").set("in", self).set("band", band).set("n", count).image()
    }

    /// Turned upright by its orientation, which is 1 afterwards.
    /// **Cost**: pictures that were opened for sequential reading must be in memory first, see ``materialised()``.
    public func upright() throws -> Image {
        try Operation("autorot").set("in", self).image()
    }

    /// Turned clockwise by a multiple of 90°.
    public func rotated(quarterTurns: Int) throws -> Image {
        let turns = ((quarterTurns % 4) + 4) % 4
        if turns == 0 { return self }
        return try Operation("rot").set("in", self).set("angle", ["d0", "d90", "d180", "d270"][turns]).image()
    }

    /// Mirrored left to right, or top to bottom.
    public func flipped(horizontally: Bool) throws -> Image {
        try Operation("flip").set("in", self).set("direction", horizontally ? "horizontal" : "vertical").image()
    }

    /// Another sample format; values are clipped, not scaled. `shifting` scales between integer formats.
    public func cast(_ format: PixelFormat, shifting: Bool = false) throws -> Image {
        if format == self.format { return self }
        return try Operation("cast").set("in", self).set("format", "\(format)").set("shift", shifting).image()
    }

    /// Converted by libvips' formulas, without profiles.
    public func colourspace(_ space: Interpretation) throws -> Image {
        try Operation("colourspace").set("in", self).set("space", space.nickname).image()
    }

    /// Converted from its embedded profile to one of libvips' own: `srgb`, `p3` or `cmyk`.
    /// - Parameter assumed: one of the same names, where nothing is embedded.
    /// - Shape: alpha passes through. `depth` is 8 or 16.
    public func iccTransform(to profile: String, assumed: String? = nil, intent: String = "relative", depth: Int? = nil)
        throws -> Image
    {
        // A name that is none of these is taken for a file's.
        for name in [profile, assumed].compactMap(\.self) where !["srgb", "p3", "cmyk"].contains(name) {
            throw VipsError(operation: "icc_transform", message: "no built-in profile \"\(name)\"; there are srgb, p3, cmyk")
        }
        return try Operation("icc_transform").set("in", self).set("output_profile", profile).set("embedded", true)
            .set("input_profile", ifPresent: assumed).set("intent", intent)
            .set("depth", ifPresent: depth ?? (format == .ushort ? 16 : nil)).image()
    }

    /// On a larger (or smaller) canvas, at a place.
    /// - Parameter background: one value, or one a band; nil: black, transparent where there is alpha.
    public func embed(left: Int, top: Int, width: Int, height: Int, background: [Double]? = nil) throws -> Image {
        try Operation("embed").set("in", self).set("x", left).set("y", top).set("width", width).set("height", height)
            .set("extend", background == nil ? "black" : "background").set("background", ifPresent: background).image()
    }

    /// Made smaller or larger by a factor. Alpha, if any, must be premultiplied (``premultiplied()``).
    public func resized(horizontally: Double, vertically: Double? = nil, kernel: String = "lanczos3") throws -> Image {
        try Operation("resize").set("in", self).set("scale", horizontally).set("vscale", ifPresent: vertically)
            .set("kernel", kernel).image()
    }

    /// Made smaller or larger with straight alpha: premultiplied on the way, so that colours of transparent pixels do not
    /// bleed. **Shape**: format and interpretation stay.
    public func resizedStraight(horizontally: Double, vertically: Double? = nil, kernel: String = "lanczos3") throws -> Image {
        guard hasAlpha else { return try resized(horizontally: horizontally, vertically: vertically, kernel: kernel) }
        return try premultiplied().resized(horizontally: horizontally, vertically: vertically, kernel: kernel)
            .unpremultiplied().rounded(to: format).copy(interpretation: interpretation)
    }

    /// Another sample format; integers are rounded to, where ``cast(_:shifting:)`` cuts off.
    public func rounded(to format: PixelFormat) throws -> Image {
        if format == self.format { return self }
        let isFraction = [.float, .double].contains(self.format)
        let isInteger = ![.float, .double, .complex, .dpcomplex].contains(format)
        return try (isFraction && isInteger ? Operation("round").set("in", self).set("round", "rint").image() : self).cast(format)
    }

    /// Mapped by a 2×2 matrix (rows: x' = a·x + b·y, y' = c·x + d·y) about the origin; alpha must be premultiplied.
    /// - Parameter area: the part of the output's plane that becomes the picture; nil: what the input covers.
    public func affine(
        a: Double, b: Double, c: Double, d: Double, offsetX: Double = 0, offsetY: Double = 0, area: PixelBox? = nil,
        interpolator: String = "bicubic", background: [Double]? = nil
    ) throws -> Image {
        try Operation("affine").set("in", self).set("matrix", [a, b, c, d]).set("odx", offsetX).set("ody", offsetY)
            .set("oarea", ifPresent: area.map { [$0.left, $0.top, $0.width, $0.height] })
            .set("interpolate", interpolator).set("background", ifPresent: background)
            .set("extend", "background").set("premultiplied", true).image()
    }

    /// Bands of this, then of the others.
    public func joiningBands(_ others: [Image]) throws -> Image {
        if others.isEmpty { return self }
        return try Operation("bandjoin").set("in", [self] + others).image()
    }

    /// This with constant bands added, such as an opaque alpha.
    public func joiningBands(constants: [Double]) throws -> Image {
        if constants.isEmpty { return self }
        return try Operation("bandjoin_const").set("in", self).set("c", constants).image()
    }

    /// Straight alpha drawn onto a background (one value, or one a band, in the picture's own units); no alpha: unchanged.
    public func flattened(background: [Double]) throws -> Image {
        guard hasAlpha else { return self }
        return try Operation("flatten").set("in", self).set("background", background).set("max_alpha", fullIntensity).image()
    }

    /// Colour × alpha. **Shape**: float; no alpha: unchanged.
    public func premultiplied() throws -> Image {
        guard hasAlpha else { return self }
        return try Operation("premultiply").set("in", self).set("max_alpha", fullIntensity).image()
    }

    /// Colour / alpha. **Shape**: float; no alpha: unchanged.
    public func unpremultiplied() throws -> Image {
        guard hasAlpha else { return self }
        return try Operation("unpremultiply").set("in", self).set("max_alpha", fullIntensity).image()
    }

    /// Pictures side by side and below one another; the pages of an animation are `across: 1`.
    public static func arrayjoin(_ images: [Image], across: Int = 1, shim: Int = 0, background: [Double]? = nil) throws -> Image {
        try Operation("arrayjoin").set("in", images).set("across", across).set("shim", shim)
            .set("background", ifPresent: background).image()
    }

    /// A picture of zeros.
    public static func black(width: Int, height: Int, bands: Int = 1) throws -> Image {
        try Operation("black").set("width", width).set("height", height).set("bands", bands).image()
    }

    /// A picture of one colour in a given format. **Cost**: none until it is read.
    public static func filled(
        _ pixel: [Double], width: Int, height: Int, format: PixelFormat, interpretation: Interpretation
    ) throws -> Image {
        let black = try black(width: width, height: height)
        return try Operation("linear").set("in", black).set("a", [1.0]).set("b", pixel).image().cast(format)
            .copy(interpretation: interpretation)
    }
}
