/// The chunks of a WebP.
///
/// **Source**: WebP Container Specification.
enum RIFFChunks {
    static func wholeness(_ file: Window) throws -> Wholeness {
        guard let length = try file.littleEndian(4, 4), length + 8 <= file.size else {
            return Wholeness(damage: Wholeness.cutOff)
        }
        let end = length + 8
        var frames = 0
        var at = 12
        while at + 8 <= end, let name = try file.read(at, 4), let count = try file.littleEndian(at + 4, 4) {
            let text = String(decoding: name, as: UTF8.self)
            guard at + 8 + count <= end else { return Wholeness(damage: "its part \"\(text)\" reaches beyond the picture's end") }
            if text == "ANMF" {
                frames += 1
                if let damage = try damage(ofFrame: at + 8 + 16, end: at + 8 + count, file) { return Wholeness(damage: damage) }
            }
            at += 8 + count + count & 1
        }
        return Wholeness(frames: frames > 0 ? frames : nil)
    }

    private static func damage(ofFrame start: Int, end: Int, _ file: Window) throws -> String? {
        var at = start
        while at + 8 <= end, let count = try file.littleEndian(at + 4, 4) {
            if at + 8 + count > end { return "a part of a frame reaches beyond the frame's end" }
            at += 8 + count + count & 1
        }
        return nil
    }
}
