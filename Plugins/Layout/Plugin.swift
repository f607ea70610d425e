public import LabelpipeKit

/// Where things stand, and how layers lie on each other.
public let layoutPlugin = Plugin(
    id: "labelpipe.layout",
    effects: [
        Place.self, Inset.self, Box.self, Clip.self, Rotate.self, Scale.self, Stack.self, Row.self, Tile.self,
    ])
