import Diagnostics

/// Says what is installed: `labelpipe doctor`.
package struct ExamineRequest: Sendable {
    package var key: Int
    /// A document to be tried: what it needs is installed, or not.
    package var document: [UInt8] = []

    package init(key: Int = 0) { self.key = key }

    func write(to writer: inout JSONWriter) {
        writer.member("request", "examine")
        writer.member("key", key)
        writer.member("document", bytes: document)
    }

    init(key: Int, _ message: JSONValue) {
        self.key = key
        document = message.path("document")?.bytes ?? []
    }
}

/// What a worker process finds on this machine.
package struct ExamineReply: Sendable {
    /// What a format can be used for here.
    package struct Codec: Sendable, Equatable {
        package var format: String
        package var reads: Bool
        package var writes: Bool
        /// Read only when `--allow` names it.
        package var isAsked: Bool
    }

    /// Names and versions as the libraries say them.
    package var libraries: [(name: String, version: String)] = []
    package var codecs: [Codec] = []
    /// What is known to be wrong with these versions, and what is done about it.
    package var faults: [(library: String, text: String)] = []
    /// What the document lacks.
    package var findings: [Diagnostic] = []

    package init() {}

    package func write(to writer: inout JSONWriter) {
        writer.key("libraries")
        writer.object { for library in libraries { $0.member(library.name, library.version) } }
        writer.key("codecs")
        writer.array { list in
            for codec in codecs {
                list.object {
                    $0.member("format", codec.format)
                    $0.member("reads", codec.reads)
                    $0.member("writes", codec.writes)
                    $0.member("asked", codec.isAsked)
                }
            }
        }
        writer.key("faults")
        writer.array { list in
            for fault in faults {
                list.object {
                    $0.member("library", fault.library)
                    $0.member("text", fault.text)
                }
            }
        }
        writer.member("found", findings: findings)
    }

    init(_ message: JSONValue) {
        libraries = message["libraries"]?.members?.map { ($0.key, $0.value.string ?? "") } ?? []
        codecs =
            message["codecs"]?.elements?.map {
                Codec(
                    format: $0["format"]?.string ?? "", reads: $0["reads"]?.bool ?? false, writes: $0["writes"]?.bool ?? false,
                    isAsked: $0["asked"]?.bool ?? false)
            } ?? []
        faults = message["faults"]?.elements?.map { ($0["library"]?.string ?? "", $0["text"]?.string ?? "") } ?? []
        findings = message.findings("found")
    }
}
