import CVips

/// A value that an operation takes or gives.
public enum OperationValue: Sendable {
    case image(Image)
    case images([Image])
    case double(Double)
    case doubles([Double])
    case integer(Int)
    case integers([Int])
    case boolean(Bool)
    /// Text, the name of a choice, names of flags separated by commas, or the name of an interpolator.
    case string(String)
    case bytes([UInt8])
    case source(Source)
    case target(Target)
    /// The name of a file as bytes: never parsed for options, need not be UTF-8.
    case path([UInt8])
}

/// What ``Operation/set(_:_:)`` takes.
public protocol OperationArgument {
    var operationValue: OperationValue { get }
}

extension OperationValue: OperationArgument { public var operationValue: OperationValue { self } }
extension Image: OperationArgument { public var operationValue: OperationValue { .image(self) } }
extension Double: OperationArgument { public var operationValue: OperationValue { .double(self) } }
extension Int: OperationArgument { public var operationValue: OperationValue { .integer(self) } }
extension Bool: OperationArgument { public var operationValue: OperationValue { .boolean(self) } }
extension String: OperationArgument { public var operationValue: OperationValue { .string(self) } }
extension Source: OperationArgument { public var operationValue: OperationValue { .source(self) } }
extension Target: OperationArgument { public var operationValue: OperationValue { .target(self) } }

/// What may stand in an array argument.
public protocol OperationElement {
    static func operationValue(of elements: [Self]) -> OperationValue
}

extension Image: OperationElement {
    public static func operationValue(of elements: [Image]) -> OperationValue { .images(elements) }
}
extension Double: OperationElement {
    public static func operationValue(of elements: [Double]) -> OperationValue { .doubles(elements) }
}
extension Int: OperationElement {
    public static func operationValue(of elements: [Int]) -> OperationValue { .integers(elements) }
}
extension UInt8: OperationElement {
    public static func operationValue(of elements: [UInt8]) -> OperationValue { .bytes(elements) }
}
extension Array: OperationArgument where Element: OperationElement {
    public var operationValue: OperationValue { Element.operationValue(of: self) }
}

/// Bytes that libvips reads from a descriptor.
// @unchecked Sendable: only handed to libvips, which locks it itself.
public final class Source: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<VipsSource>

    /// Duplicates the descriptor; reading starts at the beginning of the file, and moves the file's position.
    package init(descriptor: Int32) throws {
        try VipsRuntime.require()
        guard let source = vips_source_new_from_descriptor(descriptor) else { throw VipsError.taken(by: "source") }
        pointer = source
    }

    deinit { g_object_unref(pointer) }
}

/// A descriptor that libvips writes to.
// @unchecked Sendable: only handed to libvips, which locks it itself.
public final class Target: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<VipsTarget>

    /// Duplicates the descriptor; writing goes on at the file's position.
    package init(descriptor: Int32) throws {
        try VipsRuntime.require()
        guard let target = vips_target_new_to_descriptor(descriptor) else { throw VipsError.taken(by: "target") }
        pointer = target
    }

    deinit { g_object_unref(pointer) }
}
