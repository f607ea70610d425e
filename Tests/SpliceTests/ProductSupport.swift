import Foundation
import Splice

/// A folder of a test's own.
final class Folder {
    let path: String

    init() {
        var template = Array("/tmp/splice-product-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&template)!)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: "\(path)/\(name)")) }
    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)"))) }
}

/// The program as it is delivered, which Scripts/test names.
struct Product {
    /// What a report says of one picture.
    struct Line {
        let input: String
        let mode: String
        let boxes: [Area]
        let warnings: [String]
    }

    let program: String

    init?() {
        guard let program = getenv("LABELPIPE") else { return nil }
        self.program = String(cString: program)
    }

    /// Runs a document over pictures or rows.
    ///
    /// - Returns: a line for each picture, by the input's name; throws what the program says when it does not end well.
    func run(_ document: String, _ arguments: [String], in folder: Folder) throws -> [String: Line] {
        let report = "\(folder.path)/report"
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["run", document] + arguments + ["--report", report, "--quiet", "--progress", "none", "--overwrite"]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ProductFailure(text: text) }
        var lines: [String: Line] = [:]
        for line in try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n") {
            guard let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let input = fields["input"] as? String
            else { continue }
            let boxes = (fields["boxes"] as? [[Int]] ?? []).map { Area(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) }
            let warnings = (fields["warnings"] as? [[String: Any]] ?? []).compactMap { $0["message"] as? String }
            lines[URL(filePath: input).lastPathComponent] = Line(
                input: input, mode: fields["mode"] as? String ?? "", boxes: boxes, warnings: warnings)
        }
        return lines
    }
}

struct ProductFailure: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}

/// A PPM or PGM of 8 bits, as the program writes them.
struct PlainPicture {
    let width: Int
    let height: Int
    let channels: Int
    let pixels: [UInt8]

    init?(_ bytes: [UInt8]) {
        var words: [String] = []
        var at = 0
        while words.count < 4, at < bytes.count {
            if bytes[at] == UInt8(ascii: "#") { while at < bytes.count, bytes[at] != 10 { at += 1 } }
            var word = ""
            while at < bytes.count, bytes[at] > 32 {
                word.unicodeScalars.append(Unicode.Scalar(bytes[at]))
                at += 1
            }
            if !word.isEmpty { words.append(word) }
            at += 1
        }
        guard words.count == 4, let width = Int(words[1]), let height = Int(words[2]), words[3] == "255" else { return nil }
        channels = words[0] == "P6" ? 3 : 1
        (self.width, self.height) = (width, height)
        pixels = Array(bytes[at...])
        guard pixels.count == width * height * channels else { return nil }
    }
}

/// An EXIF segment that says nothing but how the picture is turned.
func orientationSegment(_ orientation: Int) -> JPEGSegment {
    let tiff: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
    return JPEGSegment(marker: 0xE1, payload: Array("Exif\0\0".utf8) + tiff)
}

/// Where a box of the upright picture lies as it is stored.
func stored(_ box: Area, orientation: Int, width: Int, height: Int) -> Area {
    func map(_ x: Int, _ y: Int) -> (Int, Int) {
        switch orientation {
        case 2: (width - 1 - x, y)
        case 3: (width - 1 - x, height - 1 - y)
        case 4: (x, height - 1 - y)
        case 5: (y, x)
        case 6: (y, height - 1 - x)
        case 7: (width - 1 - y, height - 1 - x)
        case 8: (width - 1 - y, x)
        default: (x, y)
        }
    }
    let (a, b) = (map(box.x, box.y), map(box.x + box.width - 1, box.y + box.height - 1))
    return Area(x: min(a.0, b.0), y: min(a.1, b.1), width: abs(a.0 - b.0) + 1, height: abs(a.1 - b.1) + 1)
}
