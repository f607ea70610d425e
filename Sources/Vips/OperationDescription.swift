import CVips
import Synchronization

/// What libvips says about one of its operations: the facts a caller needs before the call.
public struct OperationDescription: Sendable {
    /// e.g. `gaussblur`.
    public let nickname: String
    /// e.g. `gaussian blur`.
    public let summary: String
    /// libvips' class, e.g. `VipsGaussblur`: what a blocked operation is unblocked by.
    public let className: String
    /// Required ones first, in libvips' order; without deprecated ones.
    public let arguments: [OperationArgumentDescription]
    /// Loaders and savers.
    public let isForeign: Bool
    /// It reads its inputs once, from top to bottom.
    public let isSequential: Bool

    public subscript(name: String) -> OperationArgumentDescription? { arguments.first { $0.name == name } }
}

/// One argument or result of an operation.
public struct OperationArgumentDescription: Sendable {
    /// What a value must be.
    public enum Kind: Sendable, Equatable {
        case image
        case images
        case number(minimum: Double, maximum: Double, standard: Double)
        case integer(minimum: Int, maximum: Int, standard: Int)
        case boolean(standard: Bool)
        case text(standard: String?)
        /// One of these names.
        case choice(names: [String], standard: String)
        /// Any of these names.
        case flags(names: [String], standard: [String])
        case numbers
        case integers
        case bytes
        /// The name of a way to interpolate, such as `bicubic`.
        case interpolator
        case source
        case target
        /// Something that cannot be given here; libvips' name of the type.
        case other(String)
    }

    public let name: String
    public let blurb: String
    public let kind: Kind
    public let isRequired: Bool
    public let isInput: Bool
    public let isOutput: Bool
    /// The operation writes into it: draw operations and their like.
    public let isModified: Bool
    /// Its text is, or may be, the name of a file.
    public var namesFile: Bool {
        guard case .text = kind else { return false }
        return name.contains("file") || name.contains("profile") || name == "directory" || name == "dirname"
    }

    let type: GType
}

extension Operation {
    /// What libvips knows about `nickname`; nil if there is no such operation.
    /// **Cost**: introspection once for each name, then a look-up.
    public static func describe(_ nickname: String) throws -> OperationDescription? {
        try VipsRuntime.require()
        return descriptions.withLock { known in
            if let description = known[nickname] { return description }
            let type = vips_type_find("VipsOperation", nickname)
            guard type != 0, lpv_type_is_abstract(type) == 0 else { return nil }
            let description = OperationDescription(type: type, nickname: nickname)
            known[nickname] = description
            return description
        }
    }

    private static let descriptions = Mutex<[String: OperationDescription]>([:])

    /// Operations that make an image out of values and images, by name: no loaders and savers, nothing that runs commands,
    /// reads or writes files of its own accord, or draws into its input. Sorted.
    public static func all() throws -> [String] {
        try VipsRuntime.require()
        let list = TypeList(below: lpv_type_operation())
        // `system` runs commands, `globalbalance` and `remosaic` open the files that an image's history names, `text` with a
        // font file uses freed memory, caches belong to the executor.
        let excluded: Set<String> = [
            "system", "globalbalance", "remosaic", "text", "cache", "linecache", "tilecache", "sequential",
        ]
        let names = try list.types.filter { lpv_type_is_abstract($0) == 0 && lpv_type_is($0, lpv_type_foreign()) == 0 }
            .compactMap { type -> String? in
                guard let nickname = vips_nickname_find(type) else { return nil }
                let name = String(cString: nickname)
                guard !excluded.contains(name), let description = try describe(name) else { return nil }
                let makesImage = description.arguments.contains { $0.isOutput && $0.isRequired && $0.kind == .image }
                let isFit = description.arguments.allSatisfy { argument in
                    if argument.isModified { return false }
                    guard argument.isRequired, argument.isInput else { return true }
                    return switch argument.kind {
                    case .other, .source, .target, .bytes: false
                    default: !argument.namesFile
                    }
                }
                return makesImage && isFit ? name : nil
            }
        // A class without a name of its own answers to its parent's.
        return Set(names).sorted()
    }

    /// The names of the ways to interpolate, from the simplest.
    public static let interpolators: [String] = {
        guard (try? VipsRuntime.require()) != nil else { return [] }
        let order = ["nearest", "bilinear", "bicubic", "lbb", "nohalo", "vsqbs"]
        let names = TypeList(below: lpv_type_interpolate()).types.filter { lpv_type_is_abstract($0) == 0 }
            .compactMap { vips_nickname_find($0).map { String(cString: $0) } }
        return order.filter(names.contains) + names.filter { !order.contains($0) }.sorted()
    }()

    /// All types derived from one.
    private final class TypeList {
        var types: [GType] = []

        init(below parent: GType) {
            _ = vips_type_map_all(
                parent,
                { type, context in
                    Unmanaged<TypeList>.fromOpaque(context!).takeUnretainedValue().types.append(type)
                    return nil
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }
}

extension OperationDescription {
    fileprivate init(type: GType, nickname: String) {
        let instance = g_type_class_ref(type)!
        defer { g_type_class_unref(instance) }
        let objectClass = instance.assumingMemoryBound(to: VipsObjectClass.self)
        self.nickname = nickname
        summary = objectClass.pointee.description.map { String(cString: $0) } ?? ""
        className = String(cString: g_type_name(type))
        isForeign = lpv_type_is(type, lpv_type_foreign()) != 0
        let flags = instance.assumingMemoryBound(to: VipsOperationClass.self).pointee.flags.rawValue
        isSequential = flags & VIPS_OPERATION_SEQUENTIAL.rawValue != 0
        let list = ArgumentList()
        _ = vips_argument_class_map(
            objectClass,
            { _, spec, argument, context, _ in
                guard let spec, let argument, let context else { return nil }
                let list = Unmanaged<ArgumentList>.fromOpaque(context).takeUnretainedValue()
                if let description = OperationArgumentDescription(spec, flags: argument.pointee.flags.rawValue) {
                    list.arguments.append(description)
                }
                return nil
            }, Unmanaged.passUnretained(list).toOpaque(), nil)
        arguments = list.arguments.filter(\.isRequired) + list.arguments.filter { !$0.isRequired }
    }

    private final class ArgumentList { var arguments: [OperationArgumentDescription] = [] }
}

extension OperationArgumentDescription {
    /// Nil for what is no argument of the call: deprecated ones, and the base class' own properties.
    fileprivate init?(_ spec: UnsafeMutablePointer<GParamSpec>, flags: UInt32) {
        guard flags & VIPS_ARGUMENT_CONSTRUCT.rawValue != 0, flags & VIPS_ARGUMENT_DEPRECATED.rawValue == 0,
            flags & (VIPS_ARGUMENT_INPUT.rawValue | VIPS_ARGUMENT_OUTPUT.rawValue) != 0
        else { return nil }
        // GObject spells names with dashes, libvips' documentation and bindings with underscores; calls take both.
        name = String(String(cString: g_param_spec_get_name(spec)).map { $0 == "-" ? "_" : $0 })
        blurb = g_param_spec_get_blurb(spec).map { String(cString: $0) } ?? ""
        isRequired = flags & VIPS_ARGUMENT_REQUIRED.rawValue != 0
        isInput = flags & VIPS_ARGUMENT_INPUT.rawValue != 0
        isOutput = flags & VIPS_ARGUMENT_OUTPUT.rawValue != 0
        isModified = flags & VIPS_ARGUMENT_MODIFY.rawValue != 0
        type = spec.pointee.value_type
        kind = Kind(spec)
    }
}

extension OperationArgumentDescription.Kind {
    fileprivate init(_ spec: UnsafeMutablePointer<GParamSpec>) {
        let type = spec.pointee.value_type
        func isA(_ parent: GType) -> Bool { lpv_type_is(type, parent) != 0 }
        if isA(lpv_type_image()) {
            self = .image
        } else if isA(lpv_type_array_image()) {
            self = .images
        } else if type == lpv_type_double() {
            let facts = lpv_spec_double(spec)!.pointee
            self = .number(minimum: facts.minimum, maximum: facts.maximum, standard: facts.default_value)
        } else if type == lpv_type_int() {
            let facts = lpv_spec_int(spec)!.pointee
            self = .integer(
                minimum: Int(facts.minimum), maximum: Int(facts.maximum), standard: Int(facts.default_value))
        } else if type == lpv_type_uint64() {
            let facts = lpv_spec_uint64(spec)!.pointee
            self = .integer(
                minimum: Int(clamping: facts.minimum), maximum: Int(clamping: facts.maximum),
                standard: Int(clamping: facts.default_value))
        } else if type == lpv_type_boolean() {
            self = .boolean(standard: lpv_spec_boolean(spec)!.pointee.default_value != 0)
        } else if type == lpv_type_string() {
            self = .text(standard: lpv_spec_string(spec)!.pointee.default_value.map { String(cString: $0) })
        } else if isA(lpv_type_enum()) {
            let values = EnumValues.of(type)
            let standard = Int(lpv_spec_enum(spec)!.pointee.default_value)
            self = .choice(names: values.map(\.name), standard: values.first { $0.value == standard }?.name ?? "")
        } else if isA(lpv_type_flags()) {
            let values = FlagsValues.of(type)
            let standard = Int(lpv_spec_flags(spec)!.pointee.default_value)
            self = .flags(
                names: values.map(\.name),
                standard: values.filter { $0.value != 0 && standard & $0.value == $0.value }.map(\.name))
        } else if isA(lpv_type_array_double()) {
            self = .numbers
        } else if isA(lpv_type_array_int()) {
            self = .integers
        } else if isA(lpv_type_blob()) {
            self = .bytes
        } else if isA(lpv_type_interpolate()) {
            self = .interpolator
        } else if isA(lpv_type_source()) {
            self = .source
        } else if isA(lpv_type_target()) {
            self = .target
        } else {
            self = .other(String(cString: g_type_name(type)))
        }
    }
}

/// The names of a GEnum; `last` and the like, which only count the others, are left out.
enum EnumValues {
    static func of(_ type: GType) -> [(name: String, value: Int)] {
        let instance = g_type_class_ref(type)!
        defer { g_type_class_unref(instance) }
        let facts = instance.assumingMemoryBound(to: GEnumClass.self).pointee
        return (0..<Int(facts.n_values)).compactMap { index in
            guard let nickname = facts.values[index].value_nick else { return nil }
            let name = String(cString: nickname)
            return name == "last" || name == "error" && facts.values[index].value < 0
                ? nil : (name, Int(facts.values[index].value))
        }
    }
}

/// The names of a GFlags.
enum FlagsValues {
    static func of(_ type: GType) -> [(name: String, value: Int)] {
        let instance = g_type_class_ref(type)!
        defer { g_type_class_unref(instance) }
        let facts = instance.assumingMemoryBound(to: GFlagsClass.self).pointee
        return (0..<Int(facts.n_values)).compactMap { index in
            facts.values[index].value_nick.map { (String(cString: $0), Int(facts.values[index].value)) }
        }
    }
}
