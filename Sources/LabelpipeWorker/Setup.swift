import Diagnostics

/// What a worker has to know once, before its first picture: the document and what is the same for all pictures of a run.
package struct Setup: Sendable {
    /// The document's text, as the supervisor read it: one that changes during a run changes nothing.
    package var document: [UInt8] = []
    /// The documents that it uses, read by the supervisor too.
    package var documents: [(file: String, bytes: [UInt8])] = []
    /// The file it came from, for messages.
    package var file = BytePath("")
    /// The folder that its paths are relative to.
    package var folder = BytePath(".")
    /// What `--set` says, in its order; the texts as written.
    package var settings: [(name: String, text: String)] = []
    /// `--scale`.
    package var scale = 1.0
    /// `--missing-field empty`.
    package var emptyMissingFields = false
    /// `--tolerant`.
    package var isTolerant = false
    /// `--strict`.
    package var isStrict = false
    /// `--limit-pixels`; nil: the default.
    package var limitPixels: Int?
    /// `--limit-frames`; nil: the default.
    package var limitFrames: Int?
    /// `--allow`: classes of input that are blocked by default.
    package var allowed: [String] = []
    /// The run's start, **seconds** since 1970: `{date}`.
    package var date: Int64 = 0
    /// Whether rows set parameters.
    package var hasRows = false
    /// Whether anything is asked of the document but to be drawn as it is: an editor's controls, another row's plan.
    package var keepsText = true
    /// The program's version, for the journal.
    package var version = ""
    /// How many pictures there are: `{count}`.
    package var count = 0

    package init() {}

    package func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("request", "setup")
            $0.member("file", bytes: file.bytes)
            $0.member("folder", bytes: folder.bytes)
            $0.member("document", bytes: document)
            $0.key("documents")
            $0.array { list in
                for document in documents {
                    list.array {
                        $0.string(bytes: Array(document.file.utf8))
                        $0.string(bytes: document.bytes)
                    }
                }
            }
            $0.key("set")
            $0.array { list in
                for setting in settings { list.member(pair: setting.name, setting.text) }
            }
            $0.member("scale", scale)
            $0.member("emptyMissingFields", emptyMissingFields)
            $0.member("tolerant", isTolerant)
            $0.member("strict", isStrict)
            $0.member("rows", hasRows)
            $0.member("keepsText", keepsText)
            if let limitPixels { $0.member("limitPixels", limitPixels) }
            if let limitFrames { $0.member("limitFrames", limitFrames) }
            $0.member("allow", allowed)
            $0.member("date", Int(date))
            $0.member("count", count)
        }
    }

    package init(_ message: JSONValue) {
        file = message.path("file") ?? file
        folder = message.path("folder") ?? folder
        document = message.path("document")?.bytes ?? document
        documents = message.pairs("documents").map {
            (String(decoding: ByteString.bytes(of: $0.name), as: UTF8.self), ByteString.bytes(of: $0.text))
        }
        settings = message.pairs("set")
        scale = message["scale"]?.double ?? scale
        emptyMissingFields = message["emptyMissingFields"]?.bool ?? false
        isTolerant = message["tolerant"]?.bool ?? false
        isStrict = message["strict"]?.bool ?? false
        hasRows = message["rows"]?.bool ?? false
        keepsText = message["keepsText"]?.bool ?? true
        limitPixels = message["limitPixels"]?.integer
        limitFrames = message["limitFrames"]?.integer
        allowed = message.texts("allow")
        date = Int64(message["date"]?.integer ?? 0)
        count = message["count"]?.integer ?? 0
    }
}
