import Testing
import Vips

extension VipsTests {
    @Suite struct Formats {
        static let all: [SaveOptions] = [
            .jpeg(), .png(), .webp(), .tiff(), .avif(), .heic(), .gif(), .jxl(), .ppm,
        ]

        /// What is claimed of a format, and nothing else, comes back.
        @Test(arguments: all) func carriesWhatIsClaimed(_ options: SaveOptions) throws {
            try #require(Saver.exists(options.format))
            var found: FormatAbilities = []
            func tries(_ ability: FormatAbilities, _ image: Image, _ isKept: (Image) -> Bool) throws {
                let back = try Image.opened(try image.saved(options)) {
                    $0.allowed = [.jxl, .ppm]
                    $0.pages = .all
                }.image
                if isKept(back) { found.insert(ability) }
            }
            let plain = try Image.sample(32, 32)
            let artist = try plain.editingMetadata { $0.set("exif-ifd0-Artist", .string("Ann")) }.saved(.jpeg())
            let exif = try #require(try Image.opened(artist).image.bytes("exif-data"))
            let iptc =
                Array("Photoshop 3.0\0".utf8) + Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, 8, 0x1C, 2, 80, 0, 3]
                + Array("Ann".utf8)
            let profile = try plain.iccTransform(to: "p3", assumed: "srgb")
            // JXL keeps the colours a profile means, and gives a profile of its own making.
            try tries(.profile, profile) { options.format == .jxl ? $0.hasProfile : $0.profile == profile.profile }
            try tries(.orientation, try plain.setting("orientation", to: .integer(6))) { $0.orientation == 6 && $0.width == 32 }
            try tries(.exif, try plain.setting("exif-data", to: .bytes(exif))) {
                $0.string("exif-ifd0-Artist")?.hasPrefix("Ann") == true
            }
            try tries(.xmp, try plain.setting("xmp-data", to: .bytes(Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)))) {
                $0.has("xmp-data")
            }
            try tries(.iptc, try plain.setting("iptc-data", to: .bytes(iptc))) { $0.has("iptc-data") }
            try tries(.resolution, try plain.editingMetadata { $0.setResolution(x: 10, y: 10) }) {
                abs($0.xResolution - 10) < 0.1
            }
            try tries(.alpha, try plain.joiningBands(constants: [100])) { $0.hasAlpha }
            try tries(.sixteenBits, try Image.sample(32, 32, format: .ushort, interpretation: .rgb16)) { $0.format == .ushort }
            try tries(.float, try Image.sample(32, 32, format: .float, interpretation: .scrgb)) { $0.format == .float }
            try tries(.cmyk, try Image.sample(32, 32, bands: 4, interpretation: .cmyk)) { $0.interpretation == .cmyk }
            try tries(.pages, try plain.setting("page-height", to: .integer(16))) { $0.pageCount == 2 }
            #expect(
                found == options.format.abilities, "\(options.format): \(found.symmetricDifference(options.format.abilities))")
        }

        /// Turned and set to 1, or set to another value: the old tag in the EXIF block must not come through.
        @Test(arguments: [SaveOptions.jpeg(), .png(), .webp(), .tiff()]) func theOrientationIsTheImages(
            _ options: SaveOptions
        ) throws {
            let tagged = try Image.sample(30, 20).editingMetadata { $0.setOrientation(6) }.saved(.jpeg())
            let stored = try Image.opened(tagged) { $0.access = .random }.image
            #expect(stored.orientation == 6 && stored.has("exif-data"))
            #expect(try Image.opened(try stored.saved(options)).image.orientation == 6)
            let upright = try Image.opened(try stored.upright().saved(options)).image
            #expect(upright.orientation == 1 && upright.width == 20)
            let other = try stored.editingMetadata { $0.setOrientation(3) }
            #expect(try Image.opened(try other.saved(options)).image.orientation == 3)
        }

        @Test func whatCodersCannotTakeIsRefused() throws {
            let five = try Image.sample(8, 8, bands: 5, interpretation: .cmyk)
            #expect(throws: VipsError.self) { try five.saved(.jxl()) }
        }
    }
}
