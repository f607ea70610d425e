import Outline

// What layout needs of rectangles and ways.

extension Rect {
    /// One of the nine points of the rectangle; a baseline is none of them.
    public func point(_ anchor: Anchor) -> Point {
        Point(x: x + anchor.horizontal * width, y: y + (anchor.vertical ?? 1) * height)
    }

    /// Smaller by what the insets take from each side; larger where they are negative.
    ///
    /// **Shape**: width and height are negative where the insets take more than there is.
    public func inset(by insets: Insets) -> Rect {
        Rect(
            x: x + insets.left, y: y + insets.top, width: width - insets.left - insets.right,
            height: height - insets.top - insets.bottom)
    }

    /// Whether all four edges lie between pixels.
    public var isWhole: Bool { [x, y, width, height].allSatisfy { $0 == $0.rounded() } }
}

extension Insets {
    /// The same distances outwards.
    public static prefix func - (insets: Insets) -> Insets {
        Insets(top: -insets.top, left: -insets.left, bottom: -insets.bottom, right: -insets.right)
    }
}

extension Vector {
    /// Rounded to whole px, halves away from zero. A millionth of a px is rounding noise, not less than a half.
    public var wholePixels: Vector {
        func whole(_ value: Double) -> Double { ((value * 1e6).rounded() / 1e6).rounded() }
        return Vector(dx: whole(dx), dy: whole(dy))
    }
}

extension FillBoxes {
    /// The boxes on another plane; of turned ones the boxes around them.
    public func transformed(by affine: Affine) -> FillBoxes {
        if affine.isIdentity { return self }
        func moved(_ part: Part) -> Part {
            Part(outline: part.outline.transformed(by: affine), box: part.box.applying(affine))
        }
        return FillBoxes(text: text.applying(affine), lines: lines.map(moved), glyphs: glyphs.map(moved))
    }
}

extension Coverage {
    /// The coverage on another plane.
    public func transformed(by affine: Affine) -> Coverage {
        if affine.isIdentity { return self }
        if case .outline(let outline) = self { return .outline(outline.transformed(by: affine)) }
        return .transformed(self, affine)
    }
}
