import Vips

/// What a picture is expected to need, from its header.
enum MemoryEstimate {
    /// **Units**: bytes. Rows for what streams; the whole picture for what a decoder holds whole.
    static func bytes(_ file: PictureFile) -> Int {
        let image = file.image
        let row = image.width * image.bytesPerPixel
        let whole = row * image.height
        let isHeldWhole: Bool
        switch file.kind {
        case .jpeg, .png: isHeldWhole = image.integer("interlaced") == 1
        case .webp, .gif, .heic, .avif, .jxl: isHeldWhole = true
        default: isHeldWhole = false
        }
        // A base for the process, a few hundred rows in flight.
        return (48 << 20) + (isHeldWhole ? 2 * whole : min(whole, row * 512))
    }
}
