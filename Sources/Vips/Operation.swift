import CVips

/// One call of a libvips operation, by its nickname.
///
///     let blurred = try Operation("gaussblur").set("in", image).set("sigma", 3.0).image()
///
/// Names, kinds and ranges are checked against libvips' own declaration before the call: libvips itself drops optional
/// arguments that are out of range without a word.
public struct Operation: Sendable {
    public let nickname: String
    private var arguments: [(name: String, value: OperationValue)] = []

    public init(_ nickname: String) { self.nickname = nickname }

    /// Sets an argument; a later value replaces an earlier one.
    public func set(_ name: String, _ value: some OperationArgument) -> Operation {
        var copy = self
        copy.arguments.removeAll { $0.name == name }
        copy.arguments.append((name, value.operationValue))
        return copy
    }

    /// Sets an argument if there is a value; libvips' own default holds otherwise.
    public func set(_ name: String, ifPresent value: (some OperationArgument)?) -> Operation {
        guard let value else { return self }
        return set(name, value)
    }

    /// Builds the operation. Pixels are calculated later, when the result is read, unless the result is a number.
    /// - Errors: unknown operation or argument, a value of the wrong kind or out of its range, a required argument missing,
    ///   an operation that is blocked or changes its input in place, and what libvips says.
    public func run() throws -> OperationResults {
        try VipsRuntime.require()
        guard let description = try Operation.describe(nickname) else {
            throw VipsError(operation: nickname, message: "no such operation")
        }
        try checkCompleteness(description)
        guard let operation = vips_operation_new(nickname) else { throw VipsError.taken(by: nickname) }
        defer { g_object_unref(operation) }
        for (name, value) in arguments {
            guard let argument = description[name], argument.isInput else {
                let known = description.arguments.filter(\.isInput).map(\.name).joined(separator: ", ")
                throw VipsError(operation: nickname, message: "no argument \"\(name)\"; there are \(known)")
            }
            do {
                try argument.assign(value, to: operation)
            } catch let mismatch as ArgumentMismatch {
                throw VipsError(operation: nickname, message: "\(name): expected \(mismatch.expected), got \(mismatch.got)")
            }
        }
        // Not vips_cache_operation_build(): the caches are at 0, and its key would hash every blob.
        guard vips_object_build(lpv_object(operation)) == 0 else {
            let error = VipsError.taken(by: nickname)
            vips_object_unref_outputs(lpv_object(operation))
            throw error
        }
        defer { vips_object_unref_outputs(lpv_object(operation)) }
        var values: [String: OperationValue] = [:]
        for argument in description.arguments where argument.isOutput {
            if vips_object_argument_isset(lpv_object(operation), argument.name) != 0,
                let value = argument.value(of: operation)
            {
                values[argument.name] = value
            }
        }
        return OperationResults(nickname: nickname, values: values)
    }

    /// Builds the operation and returns one of its images.
    public func image(_ output: String = "out") throws -> Image { try run().image(output) }

    private func checkCompleteness(_ description: OperationDescription) throws {
        for argument in description.arguments where argument.isInput {
            if argument.isModified {
                throw VipsError(operation: nickname, message: "changes its input in place")
            }
            if argument.isRequired, !arguments.contains(where: { $0.name == argument.name }) {
                throw VipsError(operation: nickname, message: "\(argument.name) is missing (\(argument.blurb))")
            }
        }
    }
}

/// What an operation has made.
public struct OperationResults: Sendable {
    let nickname: String
    /// By the output's name.
    public let values: [String: OperationValue]

    public func image(_ name: String = "out") throws -> Image {
        guard case .image(let image)? = values[name] else { throw missing(name, "image") }
        return image
    }

    public func double(_ name: String = "out") throws -> Double {
        switch values[name] {
        case .double(let number)?: return number
        case .integer(let number)?: return Double(number)
        default: throw missing(name, "number")
        }
    }

    public func integer(_ name: String = "out") throws -> Int {
        guard case .integer(let number)? = values[name] else { throw missing(name, "whole number") }
        return number
    }

    public func doubles(_ name: String = "out_array") throws -> [Double] {
        guard case .doubles(let numbers)? = values[name] else { throw missing(name, "list of numbers") }
        return numbers
    }

    public func bytes(_ name: String = "buffer") throws -> [UInt8] {
        guard case .bytes(let bytes)? = values[name] else { throw missing(name, "bytes") }
        return bytes
    }

    private func missing(_ name: String, _ kind: String) -> VipsError {
        VipsError(operation: nickname, message: "gives no \(kind) \"\(name)\"")
    }
}
