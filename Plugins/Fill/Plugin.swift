public import LabelpipeKit

/// What gives masks and shapes their colours.
public let fillPlugin = Plugin(id: "labelpipe.fill", effects: [SolidFill.self, GradientFill.self, ImageFill.self])
