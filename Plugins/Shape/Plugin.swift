public import LabelpipeKit

/// Shapes and masks.
public let shapePlugin = Plugin(id: "labelpipe.shape", effects: [Rectangle.self])
