/// A page with places to be filled.
package struct ByteTemplate {
    private var parts: [[UInt8]] = []

    /// - Parameter marks: each once, in this order.
    package init(_ bytes: [UInt8], marks: [String]) {
        var rest = bytes[...]
        for mark in marks {
            let wanted = Array(mark.utf8)
            var place = rest.startIndex
            while place < rest.endIndex, !rest[place...].starts(with: wanted) { place += 1 }
            precondition(place < rest.endIndex, "the page has its marks")
            parts.append(Array(rest[..<place]))
            rest = rest[(place + wanted.count)...]
        }
        parts.append(Array(rest))
    }

    package subscript(index: Int) -> [UInt8] { parts[index] }

    /// The page with its places filled, in their order.
    package func filled(_ contents: [[UInt8]]) -> [UInt8] {
        var page = parts[0]
        for (content, part) in zip(contents, parts.dropFirst()) { page += content + part }
        return page
    }
}
