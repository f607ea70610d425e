import Outline

/// What a layer is made of, counted.
package struct Census {
    /// Marks, those inside other marks included.
    package private(set) var marks = 0
    /// What they hold in memory, roughly, pictures' pixels left out: those are libvips' own.
    package private(set) var bytes = MemoryLayout<Layer>.stride
    private let limit: Int

    private enum Item {
        case marks([Mark])
        case coverage(Coverage)
    }
    private var rest: [Item] = []

    /// Counts until there are more than `limit` marks.
    package init(_ layer: Layer, limit: Int) {
        self.limit = limit
        if let outline = layer.outline { bytes += outline.footprint }
        rest.append(.marks(layer.marks))
        while let item = rest.popLast(), marks <= limit {
            switch item {
            case .marks(let marks): for mark in marks { count(mark) }
            case .coverage(let coverage): count(coverage)
            }
        }
    }

    private mutating func count(_ mark: Mark) {
        guard marks <= limit else { return }
        marks += 1
        bytes += 64
        switch mark {
        case .body(let body):
            bytes += MemoryLayout<Body>.stride + body.finishes.count * MemoryLayout<Finish>.stride
            bytes += (body.boxes.lines.count + body.boxes.glyphs.count) * 64
            if let outline = body.outline { bytes += outline.footprint }
            for case .stroke(let stroke) in body.finishes { bytes += stroke.edge?.footprint ?? 0 }
            for content in body.contents {
                switch content {
                case .fill(let coverage, let paint):
                    rest.append(.coverage(coverage))
                    if let paint { count(paint) }
                case .picture: bytes += 256
                case .marks(let marks): rest.append(.marks(marks))
                }
            }
        case .shadow(let shadow):
            bytes += MemoryLayout<Shadow>.stride
            rest.append(.marks(shadow.casters))
        case .group(let group):
            bytes += MemoryLayout<Group>.stride
            rest.append(.marks(group.marks))
            if let clip = group.clip { rest.append(.coverage(clip)) }
        }
    }

    private mutating func count(_ coverage: Coverage) {
        marks += 1
        bytes += 64
        switch coverage {
        case .outline(let outline): bytes += outline.footprint
        case .alpha(let marks), .luminance(let marks): rest.append(.marks(marks))
        case .combined(let a, let b, _): rest += [.coverage(a), .coverage(b)]
        case .grown(let coverage, _), .transformed(let coverage, _): rest.append(.coverage(coverage))
        }
    }

    private mutating func count(_ paint: Paint) {
        bytes += 64
        switch paint {
        case .color: break
        case .gradient(let gradient): bytes += gradient.stops.count * MemoryLayout<Gradient.Stop>.stride
        case .pattern(let pattern): rest.append(.marks(pattern.marks))
        case .parts(let parts): bytes += parts.reduce(0) { $0 + 64 + $1.outline.footprint }
        }
    }
}
