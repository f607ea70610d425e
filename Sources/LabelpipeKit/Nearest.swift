import Diagnostics

/// The name that was probably meant, for an effect's own "did you mean": a font family, a channel; nil when none is near.
public func nearestName(to name: String, in names: some Sequence<String>) -> String? {
    Suggestions.nearest(to: name, in: names)
}
