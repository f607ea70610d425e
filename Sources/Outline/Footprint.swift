extension Outline {
    /// Roughly what it holds in memory now: what it was made from, and the polygons it has kept.
    ///
    /// **Units**: bytes. **Cost**: looks at no more than 1000 of the outlines it was made from.
    package var footprint: Int {
        var bytes = 0
        var rest = [self]
        var looked = 0
        while let outline = rest.popLast(), looked < 1000 {
            looked += 1
            bytes += 160 + outline.keptBytes
            switch outline.recipe {
            case .paths(let paths): bytes += paths.reduce(0) { $0 + $1.elements.count * MemoryLayout<Path.Element>.stride }
            case .ellipse: break
            case .deferred: bytes += 1024
            case .transformed(let source, _), .grown(let source, _, _, _), .withoutHoles(let source): rest.append(source)
            case .combined(let a, let b, _): rest += [a, b]
            case .union(let all): rest += all
            }
        }
        return bytes
    }
}
