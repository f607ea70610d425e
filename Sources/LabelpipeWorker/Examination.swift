import Diagnostics
import LabelpipeEngine
import Vips

extension PipelineWork {
    package func examine(_ request: ExamineRequest) throws(Diagnostics) -> ExamineReply {
        var reply = ExamineReply()
        reply.libraries = [("libvips", VipsRuntime.version)] + LoadedLibraries.versions
        reply.codecs = Codecs.all
        reply.faults = KnownFaults.of(reply.libraries)
        guard !request.document.isEmpty else { return reply }
        do {
            let pipeline = try Pipeline(bytes: request.document, name: "document", folder: ".", registry: registry)
            try Executor(try pipeline.plan(allowsOpen: true)).rehearse()
        } catch let findings as Diagnostics {
            reply.findings = findings.all
        } catch {
            reply.findings = [Findings.finding(error)]
        }
        return reply
    }
}

/// Formats, and what this libvips can do with each.
private enum Codecs {
    static var all: [ExamineReply.Codec] {
        let reading: [(FileKind, String)] = [
            (.jpeg, "jpegload_source"), (.png, "pngload_source"), (.webp, "webpload_source"), (.tiff, "tiffload_source"),
            (.gif, "gifload_source"), (.heic, "heifload_source"), (.avif, "heifload_source"), (.jxl, "jxlload_source"),
            (.ppm, "ppmload_source"), (.svg, "svgload_buffer"), (.pdf, "pdfload_source"), (.openslide, "openslideload"),
        ]
        return reading.map { kind, loader in
            ExamineReply.Codec(
                format: kind.rawValue, reads: ((try? Operation.describe(loader)) ?? nil) != nil,
                writes: SaveFormat(rawValue: kind.rawValue).map(Saver.exists) ?? false,
                isAsked: !PictureFile.alwaysAllowed.contains(kind))
        }
    }
}

/// What is known to be wrong with versions of libraries, and what is done about it here.
private enum KnownFaults {
    private struct Fault {
        let library: String
        /// The first version without it; nil: none yet.
        let fixed: [Int]?
        let text: String
    }

    private static let all = [
        Fault(
            library: "libvips", fixed: [8, 15, 4],
            text: "with more than one thread, truncated files can pass for whole: workers use one thread each"),
        Fault(
            library: "libvips", fixed: nil,
            text: "the text operation uses freed memory with a font file: text is laid out without it"),
        Fault(
            library: "libvips", fixed: nil,
            text: "its loaders go on after errors unless told not to: every picture is read with fail_on=error"),
        Fault(
            library: "libvips", fixed: nil,
            text: "its savers truncate the final name, follow links and never sync: outputs are published by labelpipe itself"),
        Fault(
            library: "libvips", fixed: nil,
            text: "a chain of some 2000 operations overflows the stack: long chains are drawn to memory on the way"),
        Fault(
            library: "librsvg", fixed: nil,
            text: "a few bytes of SVG can ask for gigabytes: SVG is off unless allowed, and its canvas is limited"),
        Fault(library: "libjxl", fixed: [0, 8, 0], text: "more than four bands end the process: they are refused beforehand"),
    ]

    static func of(_ libraries: [(name: String, version: String)]) -> [(library: String, text: String)] {
        all.compactMap { fault in
            guard let version = libraries.first(where: { $0.name == fault.library })?.version else { return nil }
            let numbers = version.split { !$0.isNumber }.prefix(3).compactMap { Int($0) }
            if let fixed = fault.fixed, !numbers.lexicographicallyPrecedes(fixed) { return nil }
            return (fault.library, fault.text)
        }
    }
}
