public import LabelpipeKit

/// Where pictures come from.
public let imagePlugin = Plugin(id: "labelpipe.image", effects: [ImageSource.self, ImageCanvas.self])
