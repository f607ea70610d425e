import Diagnostics

/// A path as the kernel knows it: bytes without NUL, of no encoding.
///
/// Names of files are never passed through `String` on their way to a system call, so `IMG (1)[Q=1].jpg`, `-d.png` and
/// names that are not UTF-8 stay what they are.
package struct BytePath: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    package init(_ text: String) {
        self.init(text.utf8)
    }

    package static let slashByte = UInt8(ascii: "/")
    package static let dotByte = UInt8(ascii: ".")

    package var isEmpty: Bool { bytes.isEmpty }
    package var isAbsolute: Bool { bytes.first == Self.slashByte }
    package var endsWithSlash: Bool { bytes.last == Self.slashByte }

    /// The parts between slashes that are not empty.
    package var components: [ArraySlice<UInt8>] {
        bytes.split(separator: Self.slashByte)
    }

    /// The last component; empty for `/`.
    package var name: BytePath { BytePath(components.last ?? []) }

    /// Everything before the last component, without a closing slash; empty where there is none, `/` below the root.
    package var folder: BytePath {
        var end = bytes.count
        while end > 0, bytes[end - 1] == Self.slashByte { end -= 1 }
        while end > 0, bytes[end - 1] != Self.slashByte { end -= 1 }
        guard end > 0 else { return BytePath("") }
        while end > 1, bytes[end - 1] == Self.slashByte { end -= 1 }
        return BytePath(bytes[..<end])
    }

    /// The name without its extension: of `a/IMG_1.JPG` the bytes `IMG_1`. A dot in front begins no extension.
    package var stem: BytePath {
        let name = self.name.bytes
        guard let dot = name.lastIndex(of: Self.dotByte), dot > 0 else { return BytePath(name) }
        return BytePath(name[..<dot])
    }

    /// The bytes after the name's last dot, as written; empty where there is none.
    package var ext: BytePath {
        let name = self.name.bytes
        guard let dot = name.lastIndex(of: Self.dotByte), dot > 0 else { return BytePath("") }
        return BytePath(name[(dot + 1)...])
    }

    /// This path with another below it.
    package func appending(_ other: BytePath) -> BytePath {
        if bytes.isEmpty { return other }
        if other.bytes.isEmpty { return self }
        return BytePath(endsWithSlash ? bytes + other.bytes : bytes + [Self.slashByte] + other.bytes)
    }

    /// Whether it is no path at all: a NUL would end it early, and name another file.
    package var hasNUL: Bool { bytes.contains(0) }

    /// Calls with the bytes closed by NUL, for system calls. What has a NUL of its own becomes the empty path, which exists nowhere
    /// and can be made nowhere.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        let bytes = hasNUL ? [] : self.bytes
        return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
            for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
            buffer[bytes.count] = 0
            return try body(UnsafePointer(buffer.baseAddress!))
        }
    }
}

extension BytePath: Comparable {
    /// Byte order, the order in which a folder's pictures are done.
    package static func < (left: BytePath, right: BytePath) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension BytePath: CustomStringConvertible {
    /// For people: bytes that are no UTF-8 as `\xNN`, control characters escaped, so a name can never move a terminal's cursor
    /// or add a line to a report.
    package var description: String {
        var text = ""
        for scalar in ByteString.text(of: bytes).unicodeScalars {
            switch scalar.value {
            case 0xEF80...0xEFFF: text += "\\x" + String(scalar.value & 0xFF, radix: 16, uppercase: true)
            case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                text += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension BytePath {
    /// The same bytes as text that `init(reversible:)` takes back exactly; see `ByteString`.
    package var reversibleText: String { ByteString.text(of: bytes) }

    package init(reversible text: String) {
        self.init(ByteString.bytes(of: text))
    }

    /// The text, if the bytes are UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }
}
