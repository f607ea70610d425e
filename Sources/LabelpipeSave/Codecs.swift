import Glibc
import LabelpipeKit
import Vips

/// What the installed libraries can write.
package enum Codecs {
    /// Whether an output can be written, asked before anything is drawn.
    ///
    /// **Errors**: `DrawingError`; with the cause `missing` where the document wants the format, so that no picture can be done.
    package static func require(_ settings: OutputSettings, name: [UInt8], source: FileKind?) throws {
        guard let format = OutputFormat.chosen(settings, name: name, source: source) else { return }
        do {
            try require(format)
        } catch let error as DrawingError where settings.format == nil && source.flatMap(OutputFormat.of) == format {
            // A picture that stays what it is: others may be of another kind.
            throw DrawingError(error.code, error.message, help: error.help)
        }
    }

    /// Whether what a document says can be written, asked before any picture is opened.
    ///
    /// **Errors**: `DrawingError` with the cause `missing`.
    package static func require(format: String?, name: [UInt8]) throws {
        guard let format = OutputFormat.chosen(format, name: name, source: nil) else { return }
        try require(format)
    }

    /// **Errors**: `DrawingError` with the cause `missing`.
    ///
    /// **Cost**: for AVIF and HEIC a picture of a few pixels is coded once a process: their savers are there without encoders too.
    package static func require(_ format: SaveFormat) throws {
        guard exists(format) else {
            throw DrawingError(
                "codec-missing", .missing, "the installed libvips cannot write \(format.rawValue)",
                help: "install an encoder for it, or choose another format")
        }
    }

    private static func exists(_ format: SaveFormat) -> Bool {
        switch format {
        // JPEG is written by libjpeg itself.
        case .jpeg: true
        case .avif: canEncodeAVIF
        case .heic: canEncodeHEIC
        default: Saver.exists(format)
        }
    }

    private static let canEncodeAVIF = canEncode(.avif())
    private static let canEncodeHEIC = canEncode(.heic())

    private static func canEncode(_ options: SaveOptions) -> Bool {
        guard Saver.exists(options.format),
            let image = try? Image.black(width: 16, height: 16, bands: 3).copy(interpretation: .srgb)
        else { return false }
        let file = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return true }
        defer { close(file) }
        return (try? Saver.save(image, to: file, options)) != nil
    }
}
