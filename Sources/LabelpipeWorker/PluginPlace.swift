import Diagnostics

/// Where in other people's code a worker is.
package struct PluginPlace: Sendable, Hashable {
    package let plugin: String
    package let file: String
    package let effect: String
    /// The node's JSON pointer.
    package let node: String

    package init(plugin: String, file: String, effect: String, node: String) {
        (self.plugin, self.file, self.effect, self.node) = (plugin, file, effect, node)
    }

    func write(to writer: inout JSONWriter) {
        writer.member("plugin", plugin)
        writer.member("file", file)
        writer.member("effect", effect)
        writer.member("node", node)
    }

    init?(_ message: JSONValue) {
        guard let plugin = message["plugin"]?.string, let file = message["file"]?.string, let effect = message["effect"]?.string,
            let node = message["node"]?.string
        else { return nil }
        self.init(plugin: plugin, file: file, effect: effect, node: node)
    }

    /// As it stands in a sentence.
    package var text: String { "plugin \(plugin) (\(file)), \(effect) at \(node)" }
}

extension SupervisedWorker {
    /// Tells the supervisor that a plugin's code is about to run, or that it is over. Nothing without a supervisor.
    package static func announce(_ place: PluginPlace?) {
        guard supervisor != nil else { return }
        var writer = JSONWriter()
        Reply.inside(place).write(to: &writer)
        // A supervisor that has gone is noticed where a verdict is sent.
        try? Channel(socket: socket).send(writer.bytes)
    }
}
