public import LabelpipeKit

/// Where pictures come from, and their size.
public let imagePlugin = Plugin(
    id: "labelpipe.image", effects: [ImageSource.self, ImageLoad.self, ImageCanvas.self, ImageResize.self])
