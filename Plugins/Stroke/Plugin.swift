public import LabelpipeKit

/// Lines along silhouettes.
public let strokePlugin = Plugin(id: "labelpipe.stroke", effects: [OutlineStroke.self])
