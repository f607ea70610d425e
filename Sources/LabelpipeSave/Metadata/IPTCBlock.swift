import LabelpipeKit

/// IPTC-IIM: records, bare or inside Photoshop's resources.
///
/// **Source**: IPTC-NAA Information Interchange Model 4.2, chapter 3; Adobe's Photoshop file format, "Image Resource Blocks".
package enum IPTCBlock {
    struct Record: Equatable {
        let section: UInt8
        let number: UInt8
        var value: [UInt8]
    }

    /// Names as templates and `set` use them, and their numbers in section 2.
    static let numbers: [String: UInt8] = [
        "ObjectName": 5, "Title": 5, "EditStatus": 7, "Urgency": 10, "Category": 15, "SupplementalCategories": 20,
        "FixtureIdentifier": 22, "Keywords": 25, "SpecialInstructions": 40, "DateCreated": 55, "TimeCreated": 60,
        "OriginatingProgram": 65, "Byline": 80, "By-line": 80, "BylineTitle": 85, "By-lineTitle": 85, "City": 90,
        "Sublocation": 92, "Sub-location": 92, "ProvinceState": 95, "Province-State": 95, "CountryCode": 100,
        "Country": 101, "TransmissionReference": 103, "Headline": 105, "Credit": 110, "Source": 115,
        "CopyrightNotice": 116, "Copyright": 116, "Contact": 118, "Caption": 120, "Caption-Abstract": 120,
        "Description": 120, "CaptionWriter": 122, "Writer-Editor": 122,
    ]
    /// Byline, credit, copyright.
    private static let rights: Set<UInt8> = [80, 110, 116]
    private static let resourceIPTC = 0x0404
    /// Resources that go: previews without the label, and the digest of records that may have changed.
    private static let stale: Set<Int> = [0x0409, 0x040C, 0x0425]
    private static let photoshop = Array("Photoshop 3.0\0".utf8)
    /// Section 1, number 90: the text is UTF-8.
    private static let utf8Mark = Record(section: 1, number: 90, value: [0x1B, 0x25, 0x47])

    /// The text of a field; the first where it is repeated.
    package static func text(_ name: String, in block: [UInt8]) -> String? {
        guard let number = numbers[name] else { return nil }
        let found = records(in: records(of: block))
        return found.first { $0.section == 2 && $0.number == number }.map { text($0.value) }
    }

    /// Without a mark of the character set it may be Latin-1.
    private static func text(_ value: [UInt8]) -> String {
        String(validating: value, as: UTF8.self) ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }

    /// A block without previews of the picture as it was.
    static func normalised(_ iptc: [UInt8]?, resources: [UInt8]? = nil) -> [UInt8]? {
        guard iptc != nil || resources != nil else { return nil }
        let iim = (iptc.map { Array(records(of: $0)) }) ?? resources.map { Array(records(of: $0)) } ?? []
        let around = resources ?? iptc
        return block(around: records(in: iim[...]).flatMap(bytes), in: around)
    }

    static func edited(
        _ block: [UInt8]?, keep: OutputKeys.MetadataPolicy, set: [String: String], notes: inout [Note]
    ) -> [UInt8]? {
        if block == nil, set.isEmpty { return nil }
        var kept = block.map { records(in: records(of: $0)) } ?? []
        switch keep {
        case .keep, .noLocation: break
        case .strip: kept = []
        case .rights: kept.removeAll { $0.section != 1 && !($0.section == 2 && rights.contains($0.number)) }
        }
        for (name, text) in set.sorted(by: { $0.key < $1.key }) {
            guard let number = numbers[name] else {
                notes.append(Note(.warning, "metadata", "IPTC has no field \"\(name)\""))
                continue
            }
            kept.removeAll { $0.section == 2 && $0.number == number }
            kept.append(Record(section: 2, number: number, value: bytes(of: text)))
            if !text.utf8.allSatisfy({ $0 < 128 }) { markUTF8(&kept) }
        }
        let hasRecords = kept.contains { $0.section == 2 && $0.number != 0 }
        let all = hasRecords ? kept : []
        if hasRecords, !all.contains(where: { $0.section == 2 && $0.number == 0 }) {
            kept.append(Record(section: 2, number: 0, value: [0, 4]))
        }
        let ordered = (hasRecords ? kept : []).enumerated().sorted {
            let (a, b) = ($0.element, $1.element)
            let ranks = ((a.section, a.number == 0 ? 0 : 1), (b.section, b.number == 0 ? 0 : 1))
            return ranks.0 == ranks.1 ? $0.offset < $1.offset : ranks.0 < ranks.1
        }
        return self.block(
            around: ordered.flatMap { bytes($0.element) }, in: keep == .keep || keep == .noLocation ? block : nil)
    }

    /// UTF-8, at most what a record holds, never half a character.
    private static func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let next = Array(String(scalar).utf8)
            if bytes.count + next.count > 32767 { break }
            bytes += next
        }
        return bytes
    }

    /// Says that texts are UTF-8, and makes those that were not.
    private static func markUTF8(_ records: inout [Record]) {
        guard !records.contains(utf8Mark) else { return }
        records.removeAll { $0.section == 1 && $0.number == 90 }
        records = records.map { record in
            // Numbers above 199 are previews, 0 is a version.
            guard record.section == 2, (1..<200).contains(record.number) else { return record }
            return Record(section: 2, number: record.number, value: Array(text(record.value).utf8))
        }
        records.insert(utf8Mark, at: 0)
    }

    private static func bytes(_ record: Record) -> [UInt8] {
        [0x1C, record.section, record.number, UInt8(record.value.count >> 8), UInt8(record.value.count & 255)] + record.value
    }

    // MARK: Containers

    /// The records alone, as a TIFF has them; nil where there are none.
    static func bare(_ block: [UInt8]) -> [UInt8]? {
        let found = records(of: block)
        return found.isEmpty ? nil : Array(found)
    }

    /// The resources without their heading, as a TIFF and a PNG have them; nil where there is none but the records.
    static func resources(_ block: [UInt8], withRecordsAlone: Bool = false) -> [UInt8]? {
        let found = photoshopResources(block)
        guard withRecordsAlone ? !found.isEmpty : found.contains(where: { $0.id != resourceIPTC }) else { return nil }
        return found.flatMap { Array(block[$0.whole]) }
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

    /// Records among Photoshop's other resources, which stay but for stale ones; nil where nothing is left.
    private static func block(around iim: [UInt8], in old: [UInt8]?) -> [UInt8]? {
        let own: [UInt8] =
            iim.isEmpty
            ? []
            : Array("8BIM".utf8) + [0x04, 0x04, 0, 0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: iim.count >> $0) } + iim
                + (iim.count & 1 == 1 ? [0] : [])
        var result: [UInt8] = []
        var isWritten = false
        for resource in old.map(photoshopResources) ?? [] where !stale.contains(resource.id) {
            if resource.id != resourceIPTC {
                result += old?[resource.whole] ?? []
            } else if !isWritten {
                result += own
                isWritten = true
            }
        }
        if !isWritten { result += own }
        return result.isEmpty ? nil : photoshop + result
    }
}
