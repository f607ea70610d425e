import Diagnostics

/// Why a plugin file is not used: names the file, the plugin, both versions, and what to do.
public struct Refusal: Error, Sendable, Hashable {
    /// Stable, kebab-case.
    public let code: String
    public let file: String
    /// nil: the file does not say.
    public let plugin: String?
    public let reason: String
    public let help: String

    init(_ code: String, file: String, plugin: String? = nil, _ reason: String, help: String) {
        (self.code, self.file, self.plugin, self.reason, self.help) = (code, file, plugin, reason, help)
    }

    public var message: String { "plugin \(plugin.map { "\($0) (\(file))" } ?? file) is refused: \(reason)" }
    public var diagnostic: Diagnostic { Diagnostic(code, message: message, help: [help]) }

    init(_ failure: PluginNote.Failure, file: String) {
        switch failure {
        case .unreadable(let why): self.init("plugin-unreadable", file: file, why, help: "check the path and its permissions")
        case .foreign(let why):
            self.init("not-a-plugin", file: file, why, help: "build it as a shared object for this machine")
        case .noNote:
            self.init(
                "no-note", file: file, "it carries no plugin note",
                help: "put LABELPIPE_PLUGIN_NOTE of labelpipe_plugin.h into it; without, none of its code is run")
        }
    }

    init(abi: UInt32, file: String, plugin: String) {
        self.init(
            "wrong-abi", file: file, plugin: plugin,
            "it is built for plugin ABI \(versionText(abi)), and this labelpipe has \(versionText(ownABI))",
            help: abi > ownABI
                ? "use a newer labelpipe, or build it with this labelpipe's header" : "build it with this labelpipe's header"
        )
    }

    /// What the table says does not hold together.
    init(bad what: String, file: String, plugin: String?) {
        self.init(
            "bad-plugin", file: file, plugin: plugin, what, help: "its author has to correct it: labelpipe plugins check \(file)")
    }
}
