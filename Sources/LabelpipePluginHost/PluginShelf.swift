/// The plugins that a process can use, and those it cannot.
public struct PluginShelf: Sendable {
    public struct Found: Sendable {
        public let place: PluginSearch.Place
        public let plugin: ForeignPlugin
    }

    public private(set) var found: [Found] = []
    public private(set) var refusals: [(place: PluginSearch.Place, refusal: Refusal)] = []

    /// Looks at every place; what is wrong with one is no reason not to look at the others.
    ///
    /// **Cost**: a file that was looked at before costs reading its note and its kept declarations.
    public init(_ places: [PluginSearch.Place], scan: PluginScan) {
        for place in places {
            do throws(Refusal) {
                let facts = try scan.facts(place.file)
                if let other = found.first(where: { $0.plugin.facts.id == facts.id }) {
                    throw Refusal(
                        "duplicate-plugin", file: place.file, plugin: facts.id, "\(other.place.file) is the same plugin",
                        help: "remove one of the two files")
                }
                found.append(Found(place: place, plugin: ForeignPlugin(file: place.file, facts: facts)))
            } catch {
                refusals.append((place, error))
            }
        }
    }
}
