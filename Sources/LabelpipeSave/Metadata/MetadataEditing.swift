import LabelpipeKit

/// Drops and writes metadata as a document's `metadata` and `set` ask.
struct MetadataEditing {
    let settings: OutputSettings
    /// The tag that the output carries, whatever is dropped: without it the picture lies on its side.
    let orientation: Int
    /// The output's size as stored, where it is not the source's.
    let resized: (width: Int, height: Int)?

    /// Where there is no place for IPTC, what it alone says of rights goes into the XMP.
    var holdsIPTC = true

    /// By their names in XMP.
    func rightsOnlyInIPTC(of blocks: MetadataBlocks) -> [String: String] {
        guard !holdsIPTC, settings.metadata != .strip, let iptc = blocks.iptc else { return [:] }
        var texts: [String: String] = [:]
        for field in Common.allCases where field != .description || settings.metadata != .rights {
            guard let text = IPTCBlock.text(field.iptcName, in: iptc), !text.isEmpty,
                blocks.xmp.flatMap({ XMPBlock.text(field.xmpName, in: $0) }) == nil
            else { continue }
            texts[field.xmpName] = text
        }
        return texts
    }

    /// The fields that are written under one name to each block that has them.
    enum Common: String, CaseIterable {
        case copyright = "Copyright"
        case artist = "Artist"
        case credit = "Credit"
        case description = "Description"
    }

    func edited(_ blocks: MetadataBlocks) -> (blocks: MetadataBlocks, notes: [Note]) {
        var notes: [Note] = []
        var exif: [String: String] = [:]
        var xmp = rightsOnlyInIPTC(of: blocks)
        var iptc: [String: String] = [:]
        // A name with its family is more exact than a common one.
        for (name, text) in settings.set.sorted(by: { $0.key < $1.key }) {
            guard let common = Common(rawValue: name) else { continue }
            if let name = common.exifName { exif[name] = text }
            xmp[common.xmpName] = text
            iptc[common.iptcName] = text
        }
        for (name, text) in settings.set.sorted(by: { $0.key < $1.key }) where Common(rawValue: name) == nil {
            if name.hasPrefix("exif.") {
                exif[String(name.dropFirst(5))] = text
            } else if name.hasPrefix("xmp.") {
                xmp[String(name.dropFirst(4))] = text
            } else if name.hasPrefix("iptc.") {
                iptc[String(name.dropFirst(5))] = text
            } else {
                notes.append(
                    Note(
                        .warning, "metadata",
                        "\"\(name)\" is no metadata field: Copyright, Artist, Credit, Description, or exif., iptc., xmp. and a name"
                    ))
            }
        }
        var result = MetadataBlocks()
        result.exif = ExifBlock.edited(
            blocks.exif, keep: settings.metadata, set: exif, orientation: orientation, resized: resized, notes: &notes)
        result.xmp = XMPBlock.edited(
            blocks.xmp, keep: settings.metadata, set: xmp, orientation: orientation, notes: &notes)
        result.iptc = IPTCBlock.edited(blocks.iptc, keep: settings.metadata, set: iptc, notes: &notes)
        return (result, notes)
    }
}

extension MetadataEditing.Common {
    var exifName: String? {
        switch self {
        case .copyright: "Copyright"
        case .artist: "Artist"
        case .credit: nil
        case .description: "ImageDescription"
        }
    }

    var xmpName: String {
        switch self {
        case .copyright: "dc:rights"
        case .artist: "dc:creator"
        case .credit: "photoshop:Credit"
        case .description: "dc:description"
        }
    }

    var iptcName: String {
        switch self {
        case .copyright: "CopyrightNotice"
        case .artist: "Byline"
        case .credit: "Credit"
        case .description: "Caption"
        }
    }
}
