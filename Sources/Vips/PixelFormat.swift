import CVips

/// The type of one sample of a picture.
public enum PixelFormat: Int32, Sendable, CaseIterable {
    case uchar = 0
    case char = 1
    case ushort = 2
    case short = 3
    case uint = 4
    case int = 5
    case float = 6
    case complex = 7
    case double = 8
    case dpcomplex = 9

    /// Bytes of one sample of one band.
    public var bytesPerSample: Int {
        switch self {
        case .uchar, .char: 1
        case .ushort, .short: 2
        case .uint, .int, .float: 4
        case .complex, .double: 8
        case .dpcomplex: 16
        }
    }

    /// The value of full intensity: the largest integer, or 1 for formats with a fraction.
    /// A picture's own full intensity also depends on its interpretation, see ``Image/fullIntensity``.
    public var maximum: Double {
        switch self {
        case .uchar: 255
        case .char: 127
        case .ushort: 65535
        case .short: 32767
        case .uint: 4_294_967_295
        case .int: 2_147_483_647
        case .float, .complex, .double, .dpcomplex: 1
        }
    }

    /// Whole numbers that instruments write and no photo has: signed ones and those of 32 bits.
    public var isMeasured: Bool {
        switch self {
        case .char, .short, .uint, .int: true
        default: false
        }
    }

    var vips: VipsBandFormat { VipsBandFormat(rawValue: rawValue) }
}

/// What the bands of a picture mean.
public enum Interpretation: Int32, Sendable, CaseIterable {
    case multiband = 0
    /// Grey, 8 bit.
    case bw = 1
    case histogram = 10
    case xyz = 12
    case lab = 13
    case cmyk = 15
    case labq = 16
    /// Some RGB, not known which.
    case rgb = 17
    case cmc = 18
    case lch = 19
    case labs = 21
    case srgb = 22
    case yxy = 23
    case fourier = 24
    case rgb16 = 25
    case grey16 = 26
    case matrix = 27
    /// Linear light, 0 to 1, sRGB's primaries.
    case scrgb = 28
    case hsv = 29

    var vips: VipsInterpretation { VipsInterpretation(rawValue: rawValue) }

    /// libvips' own name of it, as operations take it.
    var nickname: String {
        switch self {
        case .bw: "b-w"
        default: "\(self)"
        }
    }
}
