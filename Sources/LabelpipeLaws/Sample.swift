import LabelpipeEngine
public import LabelpipeKit
import Vips

/// The picture that documents are tried on, and what is known of it.
public enum Sample {
    /// 192 × 128 px of slow ramps, every page, counted from 1, another way round.
    public static func photo(page: Int = 1) throws -> Picture {
        let image = try Image.generated(
            width: 192, height: 128, bands: 3, format: .uchar, interpretation: .srgb, hint: .thinStrip
        ) { pixels in
            for row in 0..<pixels.box.height {
                let out = pixels.row(row, as: UInt8.self)
                for column in 0..<pixels.box.width {
                    let (x, y) = (pixels.box.left + column, pixels.box.top + row)
                    let channels = [40 + 180 * x / 192, 60 + 120 * y / 128, 200 - 150 * x / 192]
                    for band in 0..<3 { out[column * 3 + band] = UInt8(channels[(band + page - 1) % 3]) }
                }
            }
        }
        return Picture(image)
    }

    /// Fields of templates, the same in every time zone and year.
    static func field(_ name: String, _ settings: [String: String]) -> FieldValue? {
        switch name {
        case "name": .text("IMG_1.JPG")
        case "stem": .text("IMG_1")
        case "ext": .text("JPG")
        case "folder", "relative": .text("photos")
        case "index": .integer(7)
        case "count": .integer(12)
        case "width": .integer(192)
        case "height": .integer(128)
        case "date", "modified": .date(CalendarDate(year: 2024, month: 5, day: 6, hour: 7, minute: 8, second: 9))
        case "exif.Artist", "xmp.dc:creator", "iptc.Byline": .text("Ann Example")
        case "exif.DateTimeOriginal": .text("2023:04:05 06:07:08")
        case "exif.Model": .text("Model 5")
        default: settings[name].map { .text($0) }
        }
    }
}
