import Diagnostics

/// Asks what flows along edges: a PNG, into the descriptor that comes with the request, or frames.
package struct ViewRequest: Sendable {
    package enum Subject: Sendable, Equatable {
        /// A node, by its place in the plan.
        case node(Int)
        /// All of them on one sheet.
        case all
        /// Frames alone, no picture.
        case frames
        /// No document is needed: the photo that previews without an input draw on, a JPEG.
        case sample
    }

    package var key: Int
    package var source: Source
    package var subject: Subject
    /// The name that templates see, for a picture that came as a descriptor.
    package var name: BytePath?
    /// The longest side of a node's view. px
    package var longest = 2400
    /// Whether a small layer is shown larger.
    package var magnifies = false

    package init(key: Int, source: Source, _ subject: Subject) {
        self.key = key
        self.source = source
        self.subject = subject
    }
}

/// What was drawn.
package struct ViewReply: Sendable {
    /// What flows along an edge. px, on the layer's plane
    package struct Node: Sendable {
        package var index: Int
        package var frame: [Double]
        /// Where anything can be visible: x, y, width, height.
        package var reach: [Int]
        /// Of its drawing, with all that is before it in the plan.
        package var milliseconds: Double
    }

    package var width = 0
    package var height = 0
    package var nodes: [Node] = []
    /// Of what was drawn on, upright.
    package var picture: PictureSize?
    package var warnings: [Diagnostic] = []

    package init() {}
}

extension ViewRequest {
    func write(to writer: inout JSONWriter) {
        writer.member("request", "view")
        writer.member("key", key)
        source.write(to: &writer)
        if let name { writer.member("name", bytes: name.bytes) }
        writer.member("longest", longest)
        if magnifies { writer.member("magnifies", true) }
        switch subject {
        case .node(let index): writer.member("node", index)
        case .all: writer.member("subject", "all")
        case .frames: writer.member("subject", "frames")
        case .sample: writer.member("subject", "sample")
        }
    }

    init?(key: Int, _ message: JSONValue) {
        self.key = key
        source = Source(message)
        name = message.path("name")
        longest = message["longest"]?.integer ?? 2400
        magnifies = message["magnifies"]?.bool ?? false
        if let index = message["node"]?.integer {
            subject = .node(index)
        } else {
            switch message["subject"]?.string {
            case "all": subject = .all
            case "frames": subject = .frames
            case "sample": subject = .sample
            default: return nil
            }
        }
    }
}

extension ViewReply {
    func write(to writer: inout JSONWriter) {
        writer.member("width", width)
        writer.member("height", height)
        if let picture {
            writer.key("picture")
            writer.object { picture.write(to: &$0) }
        }
        writer.key("nodes")
        writer.array { list in
            for node in nodes {
                list.object {
                    $0.member("index", node.index)
                    $0.key("frame")
                    $0.array { frame in for side in node.frame { frame.number(side) } }
                    $0.member("reach", numbers: node.reach)
                    $0.member("milliseconds", node.milliseconds)
                }
            }
        }
        if !warnings.isEmpty { writer.member("warnings", findings: warnings) }
    }

    init(_ message: JSONValue) {
        width = message["width"]?.integer ?? 0
        height = message["height"]?.integer ?? 0
        nodes =
            message["nodes"]?.elements?.map {
                Node(
                    index: $0["index"]?.integer ?? 0, frame: $0["frame"]?.elements?.compactMap(\.double) ?? [],
                    reach: $0.numbers("reach"), milliseconds: $0["milliseconds"]?.double ?? 0)
            } ?? []
        picture = message["picture"].flatMap(PictureSize.init)
        warnings = message.findings("warnings")
    }
}
