import Testing
import Vips

extension VipsTests {
    @Suite struct Kinds {
        static let heads: [(String, [UInt8], FileKind)] = [
            ("JPEG", [0xFF, 0xD8, 0xFF, 0xE0], .jpeg), ("not quite JPEG", [0xFF, 0xD8, 0xFE], .unknown),
            ("PNG", [0x89] + "PNG\r\n\u{1A}\n".utf8, .png), ("WebP", "RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8 + [], .webp),
            ("a wave file", Array("RIFF1234WAVEfmt ".utf8), .unknown), ("GIF", Array("GIF89a".utf8), .gif),
            ("TIFF", [0x49, 0x49, 42, 0, 8, 0, 0, 0], .tiff), ("big TIFF", [0x4D, 0x4D, 0, 43, 0, 8, 0, 0], .tiff),
            ("CR2", [0x49, 0x49, 42, 0, 16, 0, 0, 0, 0x43, 0x52, 2, 0], .raw),
            ("a TIFF whose first pixels are CR", [0x49, 0x49, 42, 0, 0x20, 3, 0, 0, 0x43, 0x52, 0x43, 0x52], .tiff),
            ("a TIFF whose first pixels are I", [0x49, 0x49, 42, 0, 0x20, 3, 0, 0] + [UInt8](repeating: 0x49, count: 8), .tiff),
            ("RAF", Array("FUJIFILMCCD-RAW 0201".utf8), .raw), ("ORF", Array("IIRO\u{8}".utf8), .raw),
            ("RW2", [0x49, 0x49, 0x55, 0, 8, 0, 0, 0], .raw),
            ("CR3", [0, 0, 0, 24] + "ftypcrx \u{0}\u{0}\u{0}\u{1}crx isom".utf8, .raw),
            ("HEIC", [0, 0, 0, 24] + "ftypheic\u{0}\u{0}\u{0}\u{0}mif1heic".utf8, .heic),
            ("AVIF behind a general brand", [0, 0, 0, 28] + "ftypmif1\u{0}\u{0}\u{0}\u{0}mif1avifmiaf".utf8, .avif),
            ("a film", [0, 0, 0, 24] + "ftypisom\u{0}\u{0}\u{2}\u{0}isommp41".utf8, .unknown),
            ("JXL", [0xFF, 0x0A, 1], .jxl), ("PPM", Array("P6\n1 1\n255\n".utf8), .ppm), ("PFM", Array("Pf\n".utf8), .ppm),
            ("a text", Array("P6rhaps".utf8), .unknown), ("PDF", Array("%PDF-1.7".utf8), .pdf),
            ("SVG", Array("<svg xmlns=''/>".utf8), .svg),
            (
                "SVG with all before it",
                Array("\u{FEFF}<?xml version='1.0'?>\n<!-- <svg> -->\n<!DOCTYPE svg [<!ENTITY a '>'>]>\n<s:svg>".utf8), .svg
            ),
            ("HTML", Array("<!DOCTYPE html><html><svg/></html>".utf8), .unknown),
            ("a tag like SVG", Array("<svgx/>".utf8), .unknown), ("nothing", [], .unknown),
            ("a comment without end", Array("<!-- <svg>".utf8), .unknown),
        ]

        @Test(arguments: heads) func isTold(_ name: String, _ head: [UInt8], _ expected: FileKind) {
            #expect(FileKind.identify(head: head) == expected, "\(name)")
        }

        /// A TIFF of one directory: entries of type, count 1 and an inline value.
        static func tiff(_ entries: [(tag: UInt16, value: UInt32)], little: Bool = true) -> [UInt8] {
            func bytes(_ value: UInt32, _ count: Int) -> [UInt8] {
                let list = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
                return little ? list : list.reversed()
            }
            var file: [UInt8] = (little ? [0x49, 0x49] : [0x4D, 0x4D]) + bytes(42, 2) + bytes(8, 4)
            file += bytes(UInt32(entries.count), 2)
            for (tag, value) in entries { file += bytes(UInt32(tag), 2) + bytes(4, 2) + bytes(1, 4) + bytes(value, 4) }
            return file + bytes(0, 4)
        }

        static let tiffs: [(String, [(tag: UInt16, value: UInt32)], String, FileKind)] = [
            ("a scan by a maker of cameras", [(254, 0), (262, 2), (271, 0)], "scan.tif", .tiff),
            ("DNG", [(254, 1), (262, 2), (50706, 0x0401)], "a", .raw),
            ("PEF: a filter array", [(254, 0), (262, 32803)], "a", .raw), ("NEF: its compression", [(259, 34713)], "a", .raw),
            ("a preview with more behind", [(254, 1), (330, 0)], "DSC_1.ARW", .raw),
            ("the same by another name", [(254, 1), (330, 0)], "DSC_1.tif", .tiff),
            ("a picture by a raw file's name", [(254, 0), (262, 2)], "DSC_1.nef", .tiff),
            ("a directory that points to itself", [(254, 0), (330, 8)], "ring.tif", .tiff),
            ("NDPI", [(254, 0), (65420, 1)], "a.ndpi", .openslide),
        ]

        @Test(arguments: tiffs) func rawIsToldFromTIFF(
            _ what: String, _ entries: [(tag: UInt16, value: UInt32)], _ name: String, _ expected: FileKind
        ) throws {
            for little in [true, false] {
                let file = try UnnamedFile(Kinds.tiff(entries, little: little))
                #expect(try FileKind.identify(descriptor: file.descriptor, name: Array(name.utf8)) == expected, "\(what)")
            }
        }

        @Test func damagedTIFFsAreOnlyTIFFs() throws {
            let whole = Kinds.tiff([(254, 0), (262, 2), (330, 0xFFFF_FFFF)])
            for length in 4..<whole.count {
                let file = try UnnamedFile(Array(whole.prefix(length)))
                #expect(try FileKind.identify(descriptor: file.descriptor) == .tiff)
            }
        }
    }
}
