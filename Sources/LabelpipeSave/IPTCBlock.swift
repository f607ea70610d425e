import LabelpipeKit

/// IPTC-IIM: records, bare or inside Photoshop's resources.
///
/// **Source**: IPTC-NAA Information Interchange Model 4.2, chapter 3; Adobe's Photoshop file format, "Image Resource Blocks".
enum IPTCBlock {
    struct Record: Equatable {
        let section: UInt8
        let number: UInt8
        let value: [UInt8]
    }

    /// Names as templates and `set` use them, and their numbers in section 2.
    static let numbers: [String: UInt8] = [
        "ObjectName": 5, "Title": 5, "Urgency": 10, "Category": 15, "Keywords": 25, "SpecialInstructions": 40,
        "DateCreated": 55, "TimeCreated": 60, "Byline": 80, "By-line": 80, "BylineTitle": 85, "City": 90,
        "Sublocation": 92, "ProvinceState": 95, "CountryCode": 100, "Country": 101, "TransmissionReference": 103,
        "Headline": 105, "Credit": 110, "Source": 115, "CopyrightNotice": 116, "Copyright": 116, "Contact": 118,
        "Caption": 120, "Description": 120, "CaptionWriter": 122,
    ]
    private static let rights: Set<UInt8> = [80, 110, 116]
    private static let location: Set<UInt8> = [90, 92, 95, 100, 101]
    private static let resourceIPTC = 0x0404
    private static let photoshop = Array("Photoshop 3.0\0".utf8)

    /// The text of a field; the first where it is repeated.
    static func text(_ name: String, in block: [UInt8]) -> String? {
        guard let number = numbers[name] else { return nil }
        let found = records(in: records(of: block))
        guard let value = found.first(where: { $0.section == 2 && $0.number == number })?.value else { return nil }
        // Without a mark of the character set it may be Latin-1.
        return String(validating: value, as: UTF8.self) ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }

    static func edited(
        _ block: [UInt8]?, keep: OutputKeys.MetadataPolicy, set: [String: String], notes: inout [Note]
    ) -> [UInt8]? {
        // Without IPTC in the source none is made, unless the document names a field of it.
        if block == nil, set.isEmpty { return nil }
        var kept = block.map { records(in: records(of: $0)) } ?? []
        switch keep {
        case .keep: break
        case .strip: kept = []
        case .rights: kept.removeAll { $0.section != 1 && !($0.section == 2 && rights.contains($0.number)) }
        case .noLocation: kept.removeAll { $0.section == 2 && location.contains($0.number) }
        }
        for (name, text) in set.sorted(by: { $0.key < $1.key }) {
            guard let number = numbers[name] else {
                notes.append(Note(.warning, "metadata", "IPTC has no field \"\(name)\""))
                continue
            }
            kept.removeAll { $0.section == 2 && $0.number == number }
            kept.append(Record(section: 2, number: number, value: Array(text.utf8.prefix(32767))))
            // Section 1, number 90: the text is UTF-8.
            if !kept.contains(where: { $0.section == 1 && $0.number == 90 }) {
                kept.insert(Record(section: 1, number: 90, value: [0x1B, 0x25, 0x47]), at: 0)
            }
        }
        guard kept.contains(where: { $0.section == 2 }) else { return nil }
        kept.sort {
            ($0.section, $0.section == 2 && $0.number == 0 ? 0 : 1) < ($1.section, $1.section == 2 && $1.number == 0 ? 0 : 1)
        }
        return resources(around: kept.flatMap(bytes), in: keep == .keep || keep == .noLocation ? block : nil)
    }

    private static func bytes(_ record: Record) -> [UInt8] {
        [0x1C, record.section, record.number, UInt8(record.value.count >> 8), UInt8(record.value.count & 255)] + record.value
    }

    /// The IIM part of a block.
    private static func records(of block: [UInt8]) -> ArraySlice<UInt8> {
        for resource in photoshopResources(block) where resource.id == resourceIPTC { return block[resource.data] }
        return block.first == 0x1C ? block[...] : []
    }

    private static func records(in bytes: ArraySlice<UInt8>) -> [Record] {
        var records: [Record] = []
        var i = bytes.startIndex
        while i + 5 <= bytes.endIndex, bytes[i] == 0x1C {
            let count = Int(bytes[i + 3]) << 8 | Int(bytes[i + 4])
            // Lengths beyond 32767 are written another way, for pictures inside: not text.
            guard count < 32768, i + 5 + count <= bytes.endIndex else { break }
            records.append(Record(section: bytes[i + 1], number: bytes[i + 2], value: Array(bytes[(i + 5)..<(i + 5 + count)])))
            i += 5 + count
        }
        return records
    }

    private struct Resource {
        let id: Int
        let whole: Range<Int>
        let data: Range<Int>
    }

    private static func photoshopResources(_ block: [UInt8]) -> [Resource] {
        var i = block.starts(with: photoshop) ? photoshop.count : 0
        var resources: [Resource] = []
        while i + 12 <= block.count, block[i..<(i + 4)].elementsEqual("8BIM".utf8) {
            let name = (Int(block[i + 6]) + 2) & ~1
            let at = i + 6 + name
            guard at + 4 <= block.count else { break }
            let count = block[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            let end = at + 4 + count
            guard end <= block.count else { break }
            let next = min(block.count, end + (count & 1))
            resources.append(Resource(id: Int(block[i + 4]) << 8 | Int(block[i + 5]), whole: i..<next, data: (at + 4)..<end))
            i = next
        }
        return resources
    }

    /// Photoshop's other resources stay; the digest of the old records goes, and so do previews.
    private static func resources(around iim: [UInt8], in block: [UInt8]?) -> [UInt8] {
        let own: [UInt8] =
            Array("8BIM".utf8) + [0x04, 0x04, 0, 0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: iim.count >> $0) } + iim
            + (iim.count & 1 == 1 ? [0] : [])
        var result = photoshop
        var isWritten = false
        for resource in block.map(photoshopResources) ?? [] {
            switch resource.id {
            case resourceIPTC:
                result += own
                isWritten = true
            case 0x0425, 0x0409, 0x040C: continue
            default: result += block?[resource.whole] ?? []
            }
        }
        return isWritten ? result : result + own
    }
}
