public import LabelpipeKit

/// Text.
public let textPlugin = Plugin(id: "labelpipe.text", effects: [TextMask.self])
