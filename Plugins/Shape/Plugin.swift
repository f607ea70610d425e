public import LabelpipeKit

/// Shapes and masks.
public let shapePlugin = Plugin(
    id: "labelpipe.shape",
    effects: [
        Rectangle.self, Ellipse.self, Star.self, PathShape.self, AlphaMask.self, LuminanceMask.self, CombinedMask.self,
        GrownMask.self,
    ])
