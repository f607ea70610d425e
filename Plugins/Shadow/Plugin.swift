public import LabelpipeKit

/// Shadows.
public let shadowPlugin = Plugin(id: "labelpipe.shadow", effects: [DropShadow.self, InnerShadow.self])
