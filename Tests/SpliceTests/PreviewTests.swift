import Splice
import Testing

/// Sources with previews of every kind; each must leave the splicer without the one it had.
@Suite struct PreviewTests {
    private static let width = 160
    private static let height = 120

    private func picture(_ segments: [JPEGSegment] = [], seed: Int = 5, progressive: Bool = false) throws -> [UInt8] {
        var random = Seeded(seed)
        var settings = JPEGSettings.quality(85, subsampling: .s420)
        settings.isProgressive = progressive
        let scene = Scene(width: Self.width, height: Self.height, channels: 3, random: &random)
        return try scene.encoded(settings, segments: segments)
    }

    private func label() throws -> [Patch] {
        let pixels = Array(repeatElement([65535, 0, 0, 50000] as [UInt16], count: 30 * 20).joined())
        return [Patch(x: 100, y: 90, stamp: try Stamp(width: 30, height: 20, channels: 3, samples: .u16(pixels)))]
    }

    private func number(_ value: Int, _ count: Int, _ big: Bool) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return big ? bytes.reversed() : bytes
    }

    private func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int, _ big: Bool) -> [UInt8] {
        let field = type == 3 && count == 1 ? number(value, 2, big) + [0, 0] : number(value, 4, big)
        return number(tag, 2, big) + number(type, 2, big) + number(count, 4, big) + field
    }

    /// EXIF with an orientation, a thumbnail in IFD1, and bytes behind it.
    private func exif(_ thumbnail: [UInt8], big: Bool, behind: [UInt8]) -> JPEGSegment {
        var tiff: [UInt8] = (big ? [0x4D, 0x4D] : [0x49, 0x49]) + number(42, 2, big) + number(8, 4, big)
        tiff += number(1, 2, big) + entry(0x112, 3, 1, 6, big) + number(26, 4, big)
        let data = 26 + 2 + 3 * 12 + 4
        tiff += number(3, 2, big) + entry(0x103, 3, 1, 6, big) + entry(0x201, 4, 1, data, big)
        tiff += entry(0x202, 4, 1, thumbnail.count, big) + number(0, 4, big)
        return JPEGSegment(marker: 0xE1, payload: Array("Exif\0\0".utf8) + tiff + thumbnail + behind)
    }

    /// An MPF segment that, with `before` bytes of file in front of its payload, points at pictures behind the first.
    private func multiPicture(_ types: [Int], sizes: [Int], before: Int, first: Int, big: Bool) -> JPEGSegment {
        var tiff: [UInt8] = (big ? [0x4D, 0x4D] : [0x49, 0x49]) + number(42, 2, big) + number(8, 4, big)
        tiff += number(3, 2, big) + entry(0xB000, 7, 4, 0x3031_3030, big) + entry(0xB001, 4, 1, types.count, big)
        tiff += entry(0xB002, 7, 16 * types.count, 50, big) + number(0, 4, big)
        var at = first
        for (index, type) in types.enumerated() {
            tiff += number(type, 4, big) + number(sizes[index], 4, big) + number(index == 0 ? 0 : at - before - 4, 4, big)
            tiff += number(0, 2, big) + number(0, 2, big)
            if index > 0 { at += sizes[index] }
        }
        return JPEGSegment(marker: 0xE2, payload: Array("MPF\0".utf8) + tiff)
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        part.count <= bytes.count
            && (0...bytes.count - part.count).contains { bytes[$0] == part[0] && bytes[$0..<$0 + part.count].elementsEqual(part) }
    }

    private func notes(_ outcome: JPEGSpliceOutcome) -> [String] {
        if case .spliced(_, _, _, let notes) = outcome { notes } else { [] }
    }

    @Test(arguments: [false, true], [false, true]) func exifThumbnailIsGone(big: Bool, progressive: Bool) throws {
        let thumbnail = try picture(seed: 9)
        for behind in [[], Array("behind the thumbnail".utf8)] {
            let source = try picture([exif(thumbnail, big: big, behind: behind)], progressive: progressive)
            let (outcome, bytes) = try splice(source, label())
            #expect(notes(outcome).contains("EXIF thumbnail dropped"))
            #expect(!contains(bytes, Array(thumbnail[(thumbnail.count / 2)...].prefix(40))))
            #expect(outsideIsUntouched(source, bytes, try label()) == nil)
            let segment = try segments(bytes).first { $0.marker == 0xE1 }!
            // The orientation is where it was, and there is no second directory.
            #expect(Array(segment.payload[6..<24]) == Array(exif(thumbnail, big: big, behind: behind).payload[6..<24]))
            #expect(Array(segment.payload[28..<32]) == [0, 0, 0, 0])
            #expect(behind.isEmpty || contains(segment.payload, behind))
            #expect(try splice(source, []).bytes == source)
        }
    }

    @Test(arguments: [false, true], [40, 3000]) func exifThumbnailIsRenewed(big: Bool, size: Int) throws {
        let thumbnail = try picture(seed: 9)
        let renewed = [0xFF, 0xD8] + (0..<size).map { UInt8($0 * 7 & 0x7F) } + [0xFF, 0xD9]
        for behind in [[], Array("behind the thumbnail".utf8)] {
            let source = try picture([exif(thumbnail, big: big, behind: behind)])
            var options = JPEGSplicer.Options()
            options.thumbnail = renewed
            let (outcome, bytes) = try splice(source, label(), options)
            #expect(notes(outcome).contains("EXIF thumbnail renewed"))
            #expect(!contains(bytes, Array(thumbnail[(thumbnail.count / 2)...].prefix(40))))
            let payload = try segments(bytes).first { $0.marker == 0xE1 }!.payload
            func value(_ at: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(payload[6 + (big ? at + $1 : at + 3 - $1)]) } }
            let (offset, count) = (value(26 + 2 + 12 + 8), value(26 + 2 + 24 + 8))
            #expect(count == renewed.count)
            #expect(Array(payload[6 + offset..<6 + offset + count]) == renewed)
        }
    }

    @Test(arguments: [false, true], [false, true]) func anExifThumbnailGetsTheLabelInItsSize(big: Bool, progressive: Bool) throws
    {
        var random = Seeded(3)
        let small = Scene(width: Self.width / 2, height: Self.height / 2, channels: 3, random: &random)
        let thumbnail = try small.encoded(.quality(80, subsampling: .s420))
        let source = try picture([exif(thumbnail, big: big, behind: [])], progressive: progressive)
        let (outcome, bytes) = try splice(source, label())
        #expect(notes(outcome).contains("EXIF thumbnail renewed"))
        #expect(outsideIsUntouched(source, bytes, try label()) == nil)
        let payload = try segments(bytes).first { $0.marker == 0xE1 }!.payload
        let start = try #require(payload.firstRange(of: [0xFF, 0xD8])).lowerBound
        let found = Array(payload[start...])
        let half = Array(repeatElement([1, 0, 0, 50000 / 65535] as [Float], count: 15 * 10).joined())
        var options = JPEGSplicer.Options()
        options.limit = 1
        let patch = Patch(x: 50, y: 45, stamp: try Stamp(width: 15, height: 10, channels: 3, samples: .float(half)))
        #expect(found == (try splice(thumbnail, [patch], options).bytes))
        #expect(found != thumbnail && !contains(bytes, thumbnail))
        // What shows something else than the picture goes.
        let other = try Scene(width: 80, height: 80, channels: 3, random: &random).encoded(.quality(80, subsampling: .s420))
        let odd = try splice(try picture([exif(other, big: big, behind: [])], progressive: progressive), label())
        #expect(notes(odd.outcome).contains("EXIF thumbnail dropped") && !contains(odd.bytes, Array(other.suffix(60))))
    }

    @Test func jfifThumbnailsAreGone() throws {
        let pixels = (0..<4 * 3 * 3).map { UInt8(100 + $0) }
        let jfif = JPEGSegment(marker: 0xE0, payload: Array("JFIF\0".utf8) + [1, 2, 1, 0, 72, 0, 72, 4, 3] + pixels)
        let extended = JPEGSegment(marker: 0xE0, payload: Array("JFXX\0".utf8) + [0x13, 4, 3] + pixels)
        let source = try picture([jfif, extended])
        let (outcome, bytes) = try splice(source, label())
        #expect(notes(outcome) == ["JFIF thumbnail dropped"])
        #expect(!contains(bytes, pixels))
        #expect(try header(bytes).hasJFIF)
        #expect(outsideIsUntouched(source, bytes, try label()) == nil)
    }

    @Test func photoshopThumbnailIsGone() throws {
        func resource(_ id: Int, _ data: [UInt8]) -> [UInt8] {
            Array("8BIM".utf8) + number(id, 2, true) + [0, 0] + number(data.count, 4, true) + data
                + (data.count % 2 == 1 ? [0] : [])
        }
        let preview = (0..<333).map { UInt8($0 & 0x7F) }
        let rights = resource(1028, Array("the rights".utf8))
        let segment = JPEGSegment(
            marker: 0xED, payload: Array("Photoshop 3.0\0".utf8) + rights + resource(1036, preview) + resource(1034, [1]))
        let source = try picture([segment])
        let (outcome, bytes) = try splice(source, label())
        #expect(notes(outcome) == ["Photoshop thumbnail dropped"])
        let kept = try segments(bytes).first { $0.marker == 0xED }!.payload
        #expect(kept == Array("Photoshop 3.0\0".utf8) + rights + resource(1034, [1]))
    }

    @Test func xmpThumbnailIsBlank() throws {
        let text = "http://ns.adobe.com/xap/1.0/\0<x><xmpGImg:image>/9j/4AAQ</xmpGImg:image><y xmpGImg:image=\"/9j/4AAR\"/></x>"
        let source = try picture([JPEGSegment(marker: 0xE1, payload: Array(text.utf8))])
        let (outcome, bytes) = try splice(source, label())
        #expect(notes(outcome) == ["XMP thumbnail dropped"])
        let expected = text.replacing("/9j/4AAQ", with: "        ").replacing("/9j/4AAR", with: "        ")
        #expect(try segments(bytes).contains { $0.payload == Array(expected.utf8) })
    }

    @Test(arguments: [false, true], [false, true]) func furtherPicturesKeepTheirPlace(big: Bool, progressive: Bool) throws {
        let preview = try picture(seed: 11)
        let second = try picture(seed: 12)
        let types = [0x2003_0000, 0x0001_0001, 0x0002_0002]
        let sizes = [0, preview.count, second.count]
        // Once to know where everything lies, once with the right offsets.
        var first = try picture([multiPicture(types, sizes: sizes, before: 0, first: 0, big: big)], progressive: progressive)
        let before = try header(first).segments.first { $0.marker == 0xE2 }!.payload.lowerBound
        first = try picture(
            [multiPicture(types, sizes: [first.count] + sizes[1...], before: before, first: first.count, big: big)],
            progressive: progressive)
        let source = first + preview + second
        let (outcome, bytes) = try splice(source, label())
        #expect(notes(outcome).contains("previews behind the picture (MPF) dropped"))
        #expect(notes(outcome).contains("pictures behind the first are kept, without the label"))
        #expect(outsideIsUntouched(source, bytes, try label()) == nil)
        let result = try header(bytes)
        #expect(Array(bytes[result.trailer]) == second)
        let segment = result.segments.first { $0.marker == 0xE2 }!.payload
        let tiff = Array(bytes[segment].dropFirst(4))
        func value(_ at: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(tiff[big ? at + $1 : at + 3 - $1]) } }
        #expect(value(8 + 2 + 12 + 8) == 2)
        #expect(value(8 + 2 + 24 + 4) == 32)
        #expect(value(54) == result.trailer.lowerBound)
        #expect(value(66) == types[2])
        #expect(value(70) == second.count)
        #expect(value(74) + segment.lowerBound + 4 == result.trailer.lowerBound)
        #expect(tiff[82..<98].allSatisfy { $0 == 0 })
        #expect(try splice(source, []).bytes == source)
    }

    @Test func gainMapsAreNoted() throws {
        let xmp = JPEGSegment(
            marker: 0xE1,
            payload: Array("http://ns.adobe.com/xap/1.0/\0<x xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"/>".utf8))
        let source = try picture([xmp]) + picture(seed: 13)
        let (outcome, bytes) = try splice(source, label())
        #expect(notes(outcome) == ["a gain map is kept: HDR displays scale the label by it"])
        #expect(Array(bytes[try header(bytes).trailer]) == Array(source[try header(source).trailer]))
    }
}
