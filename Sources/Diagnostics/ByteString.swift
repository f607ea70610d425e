/// Bytes that are usually UTF-8 but need not be (paths, environment, metadata), carried in a JSON text without loss.
///
/// What is well-formed UTF-8 stays as it is. Every other byte *b*, always 0x80 or above, becomes the private-use character
/// U+EF00 + *b*, and is written as an escape so that it can be seen: `IMG_\uefe9.jpg` is `IMG_`, the byte E9, `.jpg`.
/// U+EF80 to U+EFFF that were there before are taken as three such bytes each, so two different byte strings never become the
/// same text. Every JSON reader accepts it, unlike lone surrogates, and a database does, unlike U+0000.
///
/// **Source.** The range is that of MirBSD's OPTU encodings.
public enum ByteString {
    /// The text that carries these bytes.
    public static func text(of bytes: [UInt8]) -> String {
        var result = ""
        forEachRun(bytes) { run, isText in
            if isText {
                result += String(decoding: run, as: UTF8.self)
            } else {
                for byte in run { result.unicodeScalars.append(character(for: byte)) }
            }
        }
        return result
    }

    /// The bytes that a text made by `text(of:)` or `JSONWriter.string(bytes:)` carries.
    public static func bytes(of text: String) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if 0xEF80...0xEFFF ~= scalar.value {
                result.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                result.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
        return result
    }

    static func write(_ bytes: [UInt8], to writer: inout JSONWriter) {
        forEachRun(bytes) { run, isText in
            if isText {
                writer.escape(run)
            } else {
                for byte in run { writer.unicodeEscape(0xEF00 + UInt16(byte)) }
            }
        }
    }

    private static func character(for byte: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(0xEF00 + UInt16(byte))!
    }

    /// Cuts into runs that stay as they are and runs of bytes to be replaced.
    private static func forEachRun(_ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>, _ isText: Bool) -> Void) {
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var start = 0
            var isText = true
            var at = 0
            func cut(_ nextIsText: Bool) {
                guard nextIsText != isText else { return }
                if start < at { body(UnsafeBufferPointer(rebasing: buffer[start..<at]), isText) }
                (start, isText) = (at, nextIsText)
            }
            while at < buffer.count {
                let length = base[at] < 0x80 ? 1 : UTF8Sequence.length(base, at: at, end: buffer.count)
                // EE BE 80 to EE BF BF are the characters that stand for bytes.
                let isOurs = length == 3 && base[at] == 0xEE && base[at + 1] >= 0xBE
                cut(length > 0 && !isOurs)
                at += max(length, 1)
            }
            if start < at { body(UnsafeBufferPointer(rebasing: buffer[start..<at]), isText) }
        }
    }
}
