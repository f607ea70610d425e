import LabelpipeWorker

/// A pattern of `--include` and `--exclude`: `*` and `?` within a name, `**` across folders, `[a-z]`, `[!a-z]`, `\` before a
/// character that is meant itself.
///
/// A pattern without a slash is compared with the name, one with a slash with the path below the folder argument. Bytes, case
/// matters, and a leading dot is nothing special (dot-files are no inputs anyway).
package struct Glob: Sendable {
    private let pattern: [UInt8]
    private let hasSlash: Bool

    package init(_ pattern: BytePath) {
        self.pattern = pattern.bytes
        hasSlash = pattern.bytes.contains(BytePath.slashByte)
    }

    /// Whether a file is meant; `relative` is its path below the folder argument.
    package func matches(_ relative: BytePath) -> Bool {
        Self.match(pattern[...], (hasSlash ? relative : relative.name).bytes[...])
    }

    private typealias Place = (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)

    /// Backtracks to the latest star of each sort only: quadratic at worst.
    private static func match(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        var pattern = pattern
        var text = text
        var inName: Place?
        var acrossFolders: Place?
        while true {
            if pattern.first == UInt8(ascii: "*") {
                let stars = pattern.prefix { $0 == UInt8(ascii: "*") }.count
                pattern = pattern.dropFirst(stars)
                if stars > 1 {
                    // `**/` is also no folder at all.
                    if pattern.first == BytePath.slashByte, match(pattern.dropFirst(), text) { return true }
                    acrossFolders = (pattern, text)
                    inName = nil
                } else {
                    inName = (pattern, text)
                }
                continue
            }
            if pattern.isEmpty && text.isEmpty { return true }
            if let (rest, tail) = step(pattern, text) {
                pattern = rest
                text = tail
            } else if let place = inName, let skipped = place.text.first, skipped != BytePath.slashByte {
                inName = (place.pattern, place.text.dropFirst())
                (pattern, text) = (place.pattern, place.text.dropFirst())
            } else if let place = acrossFolders, !place.text.isEmpty {
                acrossFolders = (place.pattern, place.text.dropFirst())
                inName = nil
                (pattern, text) = (place.pattern, place.text.dropFirst())
            } else {
                return false
            }
        }
    }

    /// Matches one character; nil where it does not.
    private static func step(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        guard let wanted = pattern.first, let byte = text.first else { return nil }
        switch wanted {
        case UInt8(ascii: "?"): return byte == BytePath.slashByte ? nil : (pattern.dropFirst(), text.dropFirst())
        case UInt8(ascii: "["):
            guard let (isIn, rest) = set(pattern, byte) else { fallthrough }
            return isIn && byte != BytePath.slashByte ? (rest, text.dropFirst()) : nil
        default:
            var literal = pattern
            if wanted == UInt8(ascii: "\\"), pattern.count > 1 { literal = pattern.dropFirst() }
            return literal.first == byte ? (literal.dropFirst(), text.dropFirst()) : nil
        }
    }

    /// Whether a byte is in the set that the pattern begins with; nil if the bracket is never closed and so is a character.
    private static func set(_ pattern: ArraySlice<UInt8>, _ byte: UInt8) -> (Bool, ArraySlice<UInt8>)? {
        var rest = pattern.dropFirst()
        let isNegated = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
        if isNegated { rest = rest.dropFirst() }
        var isIn = false
        var isFirst = true
        while let low = rest.first {
            rest = rest.dropFirst()
            if low == UInt8(ascii: "]"), !isFirst { return (isIn != isNegated, rest) }
            isFirst = false
            if rest.first == UInt8(ascii: "-"), let high = rest.dropFirst().first, high != UInt8(ascii: "]") {
                rest = rest.dropFirst(2)
                if low <= byte && byte <= high { isIn = true }
            } else if low == byte {
                isIn = true
            }
        }
        return nil
    }
}
