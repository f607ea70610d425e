import Outline

/// One of the nine points of a box, or a point on a label's first baseline.
public enum Anchor: String, CaseIterable, Hashable, Sendable {
    case topLeft = "top-left"
    case top
    case topRight = "top-right"
    case left
    case center
    case right
    case bottomLeft = "bottom-left"
    case bottom
    case bottomRight = "bottom-right"
    case baselineLeft = "baseline-left"
    case baselineCenter = "baseline-center"
    case baselineRight = "baseline-right"

    /// 0 at the left edge of a box, 1 at the right.
    public var horizontal: Double {
        switch self {
        case .topLeft, .left, .bottomLeft, .baselineLeft: 0
        case .top, .center, .bottom, .baselineCenter: 0.5
        case .topRight, .right, .bottomRight, .baselineRight: 1
        }
    }

    /// 0 at the top edge of a box, 1 at the bottom; nil on the baseline.
    public var vertical: Double? {
        switch self {
        case .topLeft, .top, .topRight: 0
        case .left, .center, .right: 0.5
        case .bottomLeft, .bottom, .bottomRight: 1
        case .baselineLeft, .baselineCenter, .baselineRight: nil
        }
    }

    public var isOnBaseline: Bool { vertical == nil }
}

/// Distances from the four edges of a box, inwards. **Units**: px.
public struct Insets: Hashable, Sendable {
    public var top, left, bottom, right: Double

    public init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }

    public init(all distance: Double) { self.init(top: distance, left: distance, bottom: distance, right: distance) }

    public static let zero = Insets()
}

/// Width and height of which either may be left open. **Units**: px.
public struct PartialSize: Hashable, Sendable {
    public var width, height: Double?

    public init(width: Double?, height: Double?) { (self.width, self.height) = (width, height) }
}

/// How the pixels of an upper layer meet those below, by their CSS names.
///
/// **Source**: W3C Compositing and Blending Level 1.
public enum BlendMode: String, CaseIterable, Hashable, Sendable {
    case normal, multiply, screen, overlay, darken, lighten
    case colorDodge = "color-dodge"
    case colorBurn = "color-burn"
    case hardLight = "hard-light"
    case softLight = "soft-light"
    case difference, exclusion, hue, saturation, color, luminosity
    case plusLighter = "plus-lighter"
}

/// What a blend works on.
public enum BlendSpace: String, CaseIterable, Hashable, Sendable {
    /// The encoded values, as browsers and photo editors do.
    case srgb
    /// Light itself: values with their transfer curve undone.
    case linear
}

/// The value of a parameter when an effect is made: checked, in range, lengths in px.
public indirect enum Value: Hashable, Sendable {
    case string(String)
    case number(Double)
    case length(OwnLength)
    case boolean(Bool)
    case color(Color)
    case paint(PaintValue)
    case insets(Insets)
    /// Two fractions of a box.
    case point(x: Double, y: Double)
    case offset(Vector)
    case size(PartialSize)
    case list([Value])
    case object([String: Value])
}

/// A paint as it is written: a colour, or a gradient whose geometry is still a fraction of a box.
public enum PaintValue: Hashable, Sendable {
    case color(Color)
    case gradient(GradientValue)

    /// Nothing would be seen of it.
    public var isTransparent: Bool {
        switch self {
        case .color(let color): color.isTransparent
        case .gradient(let gradient): gradient.colors.allSatisfy(\.isTransparent) && gradient.over?.isTransparent ?? true
        }
    }
}
