import CVips

/// A value of a picture's metadata.
public enum MetadataValue: Hashable, Sendable {
    case integer(Int)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    /// e.g. `delay`, the milliseconds of each frame.
    case integers([Int])
    /// e.g. `background`.
    case doubles([Double])
}

extension Image {
    /// Names of all metadata fields, in the order of the file; without the header's own (width, format and so on).
    public func fieldNames() -> [String] {
        guard let list = vips_image_get_fields(pointer) else { return [] }
        defer { g_strfreev(list) }
        var names: [String] = []
        var index = 0
        while let name = list[index] {
            index += 1
            let text = String(cString: name)
            if !Image.headerFields.contains(text) { names.append(text) }
        }
        return names
    }

    private static let headerFields: Set<String> = [
        "width", "height", "bands", "format", "coding", "interpretation", "xoffset", "yoffset", "xres", "yres", "filename",
    ]

    /// Is there a field of this name?
    public func has(_ field: String) -> Bool { vips_image_get_typeof(pointer, field) != 0 }

    /// A field's value; nil where it is missing or of a kind that is none of these.
    public func metadata(_ field: String) -> MetadataValue? {
        // Asked first, since vips_image_get() writes into the process' error buffer where a field is missing.
        guard has(field) else { return nil }
        var value = GValue()
        guard vips_image_get(pointer, field, &value) == 0 else {
            _ = ErrorBuffer.takeText()
            return nil
        }
        defer { g_value_unset(&value) }
        return MetadataValue(value)
    }

    public func string(_ field: String) -> String? {
        if case .string(let text)? = metadata(field) { text } else { nil }
    }

    public func integer(_ field: String) -> Int? {
        if case .integer(let number)? = metadata(field) { number } else { nil }
    }

    /// A number; whole ones too.
    public func double(_ field: String) -> Double? {
        switch metadata(field) {
        case .double(let number)?: number
        case .integer(let number)?: Double(number)
        default: nil
        }
    }

    /// A blob: `exif-data`, `xmp-data`, `iptc-data`, `icc-profile-data`.
    public func bytes(_ field: String) -> [UInt8]? {
        if case .bytes(let bytes)? = metadata(field) { bytes } else { nil }
    }

    public func integers(_ field: String) -> [Int]? {
        if case .integers(let numbers)? = metadata(field) { numbers } else { nil }
    }

    /// The same picture with other metadata.
    /// **Errors**: an EXIF block that cannot be read. **Cost**: no pixel is copied.
    public func editingMetadata(_ edit: (MetadataEditor) throws -> Void) throws -> Image {
        let copy = try self.copy()
        let editor = MetadataEditor(pointer: copy.pointer)
        try edit(editor)
        if let complaint = editor.complaints.text { throw VipsError(operation: "metadata", message: complaint) }
        return copy
    }

    /// The same picture with one field set.
    public func setting(_ field: String, to value: MetadataValue) throws -> Image {
        try editingMetadata { $0.set(field, value) }
    }

    /// The same picture without these fields.
    public func removing(_ fields: [String]) throws -> Image {
        try editingMetadata { editor in
            for field in fields { editor.remove(field) }
        }
    }
}

/// Sets and removes fields of a picture that nobody else has yet.
public struct MetadataEditor {
    let pointer: UnsafeMutablePointer<VipsImage>
    /// libvips' first word on a block that it could not read.
    let complaints = Complaints()

    final class Complaints { var text: String? }

    public func set(_ field: String, _ value: MetadataValue) {
        switch value {
        case .integer(let number): vips_image_set_int(pointer, field, Int32(clamping: number))
        case .double(let number): vips_image_set_double(pointer, field, number)
        case .string(let text): vips_image_set_string(pointer, field, text)
        case .bytes(let bytes):
            // Setting EXIF also reads it; libvips says what was wrong in the error buffer alone.
            let text = ErrorBuffer.written {
                bytes.withUnsafeBytes { vips_image_set_blob_copy(pointer, field, $0.baseAddress, $0.count) }
            }
            if !text.isEmpty, complaints.text == nil { complaints.text = text }
        case .integers(let numbers):
            numbers.map { Int32(clamping: $0) }.withUnsafeBufferPointer {
                if let first = $0.baseAddress { vips_image_set_array_int(pointer, field, first, Int32($0.count)) }
            }
        case .doubles(let numbers):
            numbers.withUnsafeBufferPointer {
                if let first = $0.baseAddress { vips_image_set_array_double(pointer, field, first, Int32($0.count)) }
            }
        }
    }

    public func remove(_ field: String) { _ = vips_image_remove(pointer, field) }

    /// EXIF's orientation, 1 to 8, in the tag as well as where libvips keeps it.
    public func setOrientation(_ orientation: Int) {
        set("orientation", .integer(orientation))
        // The saver writes this EXIF text back into the blob; a stale one would win over the field above.
        if vips_image_get_typeof(pointer, "exif-ifd0-Orientation") != 0 { remove("exif-ifd0-Orientation") }
    }

    /// **Units**: px/mm.
    public func setResolution(x: Double, y: Double) {
        pointer.pointee.Xres = x
        pointer.pointee.Yres = y
    }
}

extension MetadataValue {
    init?(_ value: GValue) {
        var value = value
        let type = lpv_value_type(&value)
        if type == lpv_type_int() {
            self = .integer(Int(g_value_get_int(&value)))
        } else if type == lpv_type_boolean() {
            self = .integer(Int(g_value_get_boolean(&value)))
        } else if type == lpv_type_double() {
            self = .double(g_value_get_double(&value))
        } else if type == lpv_type_string() {
            guard let text = g_value_get_string(&value) else { return nil }
            self = .string(String(cString: text))
        } else if type == lpv_type_ref_string() {
            guard let text = vips_value_get_ref_string(&value, nil) else { return nil }
            self = .string(String(cString: text))
        } else if type == lpv_type_blob() {
            var length = 0
            let data = vips_value_get_blob(&value, &length)
            self = .bytes([UInt8](UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : length)))
        } else if type == lpv_type_array_int() {
            var count: Int32 = 0
            let data = vips_value_get_array_int(&value, &count)
            self = .integers(UnsafeBufferPointer(start: data, count: data == nil ? 0 : Int(count)).map { Int($0) })
        } else if type == lpv_type_array_double() {
            var count: Int32 = 0
            let data = vips_value_get_array_double(&value, &count)
            self = .doubles([Double](UnsafeBufferPointer(start: data, count: data == nil ? 0 : Int(count))))
        } else {
            return nil
        }
    }
}
