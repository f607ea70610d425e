import CVips

/// A value that does not fit an argument's declaration.
struct ArgumentMismatch: Error {
    let expected: String
    let got: String
}

extension OperationArgumentDescription {
    /// Sets the property of this name, checked first: g_object_set_property() only warns.
    func assign(_ value: OperationValue, to operation: UnsafeMutablePointer<VipsOperation>) throws {
        var property = GValue()
        g_value_init(&property, type)
        defer { g_value_unset(&property) }
        switch (kind, value) {
        case (.image, .image(let image)):
            g_value_set_object(&property, image.pointer)
        case (.images, .image(let image)):
            assign([image], to: &property)
        case (.images, .images(let images)):
            try checkCount(images.count)
            assign(images, to: &property)
        case (.number(let minimum, let maximum, _), .double(let number)):
            try checkRange(number, minimum, maximum)
            g_value_set_double(&property, number)
        case (.number(let minimum, let maximum, _), .integer(let number)):
            try checkRange(Double(number), minimum, maximum)
            g_value_set_double(&property, Double(number))
        case (.integer(let minimum, let maximum, _), .integer(let number)):
            guard (minimum...maximum).contains(number) else {
                throw ArgumentMismatch(expected: "a whole number from \(minimum) to \(maximum)", got: "\(number)")
            }
            if type == lpv_type_uint64() {
                g_value_set_uint64(&property, UInt(number))
            } else {
                g_value_set_int(&property, Int32(number))
            }
        case (.boolean, .boolean(let flag)):
            g_value_set_boolean(&property, flag ? 1 : 0)
        case (.text, .string(let text)):
            guard !text.utf8.contains(0) else { throw ArgumentMismatch(expected: "text without NUL", got: "NUL") }
            g_value_set_string(&property, text)
        case (.text, .path(let bytes)):
            guard !bytes.contains(0) else { throw ArgumentMismatch(expected: "a path without NUL", got: "NUL") }
            (bytes + [0]).withUnsafeBytes {
                g_value_set_string(&property, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
            }
        case (.choice(let names, _), .string(let name)):
            guard let found = EnumValues.of(type).first(where: { $0.name == name }) else {
                throw ArgumentMismatch(expected: "one of \(names.joined(separator: ", "))", got: "\"\(name)\"")
            }
            g_value_set_enum(&property, gint(found.value))
        case (.flags(let names, _), .string(let list)):
            let values = FlagsValues.of(type)
            let flags = try list.split(separator: ",").reduce(0) { flags, name in
                guard let found = values.first(where: { $0.name == name }) else {
                    throw ArgumentMismatch(expected: "any of \(names.joined(separator: ", "))", got: "\"\(name)\"")
                }
                return flags | found.value
            }
            g_value_set_flags(&property, guint(flags))
        case (.numbers, .doubles(let numbers)):
            try assign(numbers, to: &property)
        case (.numbers, .integers(let numbers)):
            try assign(numbers.map(Double.init), to: &property)
        case (.numbers, .double(let number)):
            try assign([number], to: &property)
        case (.numbers, .integer(let number)):
            try assign([Double(number)], to: &property)
        case (.integers, .integers(let numbers)):
            try assign(numbers, to: &property)
        case (.integers, .integer(let number)):
            try assign([number], to: &property)
        case (.bytes, .bytes(let bytes)):
            assign(bytes, to: &property)
        case (.interpolator, .string(let name)):
            guard let interpolate = vips_interpolate_new(name) else {
                _ = ErrorBuffer.takeText()
                throw ArgumentMismatch(expected: "the name of an interpolator", got: "\"\(name)\"")
            }
            g_value_set_object(&property, interpolate)
            g_object_unref(interpolate)
        case (.source, .source(let source)):
            g_value_set_object(&property, source.pointer)
        case (.target, .target(let target)):
            g_value_set_object(&property, target.pointer)
        default:
            throw ArgumentMismatch(expected: kind.words, got: value.words)
        }
        g_object_set_property(lpv_gobject(operation), name, &property)
    }

    /// An output's value; nil where it is empty or of a kind that is no ``OperationValue``.
    func value(of operation: UnsafeMutablePointer<VipsOperation>) -> OperationValue? {
        var property = GValue()
        g_value_init(&property, type)
        defer { g_value_unset(&property) }
        g_object_get_property(lpv_gobject(operation), name, &property)
        switch kind {
        case .image:
            guard let object = g_value_get_object(&property) else { return nil }
            return .image(Image(borrowing: object.assumingMemoryBound(to: VipsImage.self)))
        case .images:
            var count: Int32 = 0
            guard let images = vips_value_get_array_image(&property, &count) else { return nil }
            return .images((0..<Int(count)).compactMap { index in images[index].map { Image(borrowing: $0) } })
        case .number: return .double(g_value_get_double(&property))
        case .integer:
            return .integer(
                type == lpv_type_uint64() ? Int(clamping: g_value_get_uint64(&property)) : Int(g_value_get_int(&property)))
        case .boolean: return .boolean(g_value_get_boolean(&property) != 0)
        case .text: return g_value_get_string(&property).map { .string(String(cString: $0)) }
        case .choice:
            let number = Int(g_value_get_enum(&property))
            return EnumValues.of(type).first { $0.value == number }.map { .string($0.name) }
        case .numbers, .integers, .bytes:
            switch MetadataValue(property) {
            case .doubles(let numbers)?: return .doubles(numbers)
            case .integers(let numbers)?: return .integers(numbers)
            case .bytes(let bytes)?: return .bytes(bytes)
            default: return nil
            }
        case .flags, .interpolator, .source, .target, .other: return nil
        }
    }

    private func checkRange(_ number: Double, _ minimum: Double, _ maximum: Double) throws {
        // NaN is in no range.
        guard number >= minimum, number <= maximum else {
            throw ArgumentMismatch(expected: "a number from \(minimum) to \(maximum)", got: "\(number)")
        }
    }

    /// libvips reads the first element of an empty array.
    private func checkCount(_ count: Int) throws {
        guard count > 0 else { throw ArgumentMismatch(expected: kind.words, got: "an empty list") }
    }

    private func assign(_ images: [Image], to property: inout GValue) {
        vips_value_set_array_image(&property, Int32(images.count))
        guard let slots = vips_value_get_array_image(&property, nil) else { return }
        for (index, image) in images.enumerated() {
            // The array owns a reference to each.
            g_object_ref(image.pointer)
            slots[index] = image.pointer
        }
    }

    private func assign(_ numbers: [Double], to property: inout GValue) throws {
        try checkCount(numbers.count)
        guard numbers.allSatisfy(\.isFinite) else {
            throw ArgumentMismatch(expected: "finite numbers", got: "\(numbers)")
        }
        vips_value_set_array_double(&property, numbers, Int32(numbers.count))
    }

    private func assign(_ numbers: [Int], to property: inout GValue) throws {
        try checkCount(numbers.count)
        let values = try numbers.map { number in
            guard let value = Int32(exactly: number) else {
                throw ArgumentMismatch(expected: "whole numbers of 32 bits", got: "\(number)")
            }
            return value
        }
        vips_value_set_array_int(&property, values, Int32(values.count))
    }

    private func assign(_ bytes: [UInt8], to property: inout GValue) {
        let blob = bytes.withUnsafeBytes { vips_blob_copy($0.baseAddress, $0.count) }
        g_value_set_boxed(&property, blob)
        vips_area_unref(lpv_area(blob))
    }
}

extension OperationArgumentDescription.Kind {
    /// What is expected, for an error's text.
    var words: String {
        switch self {
        case .image: "an image"
        case .images: "a list of images"
        case .number(let minimum, let maximum, _): "a number from \(minimum) to \(maximum)"
        case .integer(let minimum, let maximum, _): "a whole number from \(minimum) to \(maximum)"
        case .boolean: "true or false"
        case .text: "text"
        case .choice(let names, _): "one of \(names.joined(separator: ", "))"
        case .flags(let names, _): "any of \(names.joined(separator: ", "))"
        case .numbers: "a list of numbers"
        case .integers: "a list of whole numbers"
        case .bytes: "bytes"
        case .interpolator: "the name of an interpolator"
        case .source: "a source"
        case .target: "a target"
        case .other(let type): "a \(type), which cannot be given"
        }
    }
}

extension OperationValue {
    /// What was given, for an error's text.
    var words: String {
        switch self {
        case .image: "an image"
        case .images(let images): "a list of \(images.count) images"
        case .double(let number): "\(number)"
        case .doubles(let numbers): "\(numbers)"
        case .integer(let number): "\(number)"
        case .integers(let numbers): "\(numbers)"
        case .boolean(let flag): "\(flag)"
        case .string(let text): "\"\(text)\""
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .path: "a path"
        case .source: "a source"
        case .target: "a target"
        }
    }
}
