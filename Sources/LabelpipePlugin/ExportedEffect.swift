import CLabelpipePlugin
import Diagnostics
import LabelpipeKit

/// What of a declaration the border has no words for.
struct CannotCross: Error {
    let reason: String
}

/// A declaration as the border has it.
enum ExportedEffect {
    static func entry(_ declaration: EffectDeclaration) throws(CannotCross) -> UnsafePointer<lp_effect> {
        var inputs: [UnsafePointer<lp_input>?] = []
        for input in declaration.inputs { inputs.append(try self.input(input, declaration)) }
        var parameters: [UnsafePointer<lp_parameter>?] = []
        for parameter in declaration.parameters { parameters.append(try self.parameter(parameter.declaration, declaration)) }
        let output: UInt32 =
            switch declaration.output {
            case .coverage: LP_COVERAGE
            case .colour: LP_COLOUR
            case .sameAsInput: LP_EITHER
            }
        let effect = lp_effect(
            size: UInt32(MemoryLayout<lp_effect>.size), output: output, input_count: UInt32(inputs.count),
            parameter_count: UInt32(parameters.count), id: Forever.text(declaration.id),
            summary: Forever.text(declaration.summary), example: Forever.text(declaration.example),
            inputs: UnsafePointer(Forever.copy(inputs)), parameters: UnsafePointer(Forever.copy(parameters)),
            geometry: { call, result in ExportedCall.geometry(call, result) },
            apply: { call, result in ExportedCall.apply(call, result) },
            idle: declaration.idle.map { Forever.text(JSONValue(.array($0)).compact) })
        return UnsafePointer(Forever.copy([effect]))
    }

    private static func input(
        _ input: Input, _ effect: EffectDeclaration
    ) throws(CannotCross) -> UnsafePointer<lp_input> {
        let accepts: UInt32 =
            switch input.accepts {
            case .coverage: LP_COVERAGE
            case .colour: LP_COLOUR
            case .either: LP_EITHER
            }
        let form: UInt32
        switch input.form {
        case .one: form = LP_ONE
        case .optional: form = LP_ONE_OR_NONE
        case .many: form = LP_MANY
        case .entries:
            throw CannotCross(reason: "\(effect.id), input \(input.name): lists with keys of their own do not cross")
        }
        let entry = lp_input(
            size: UInt32(MemoryLayout<lp_input>.size), accepts: accepts, form: form, alpha: LP_STRAIGHT,
            name: Forever.text(input.name), doc: Forever.text(input.doc))
        return UnsafePointer(Forever.copy([entry]))
    }

    private static func parameter(
        _ parameter: ParameterDeclaration, _ effect: EffectDeclaration
    ) throws(CannotCross) -> UnsafePointer<lp_parameter> {
        var flags: UInt32 = parameter.isRequired ? LP_REQUIRED : 0
        var kind = parameter.kind
        if case .list(let element) = kind {
            flags |= LP_LIST
            kind = element
        }
        if parameter.range != nil { flags |= LP_RANGE }
        var choices: [String] = []
        if case .choice(let names) = kind { choices = names }
        guard let code = code(of: kind) else {
            throw CannotCross(
                reason: "\(effect.id), parameter \(parameter.name): values of the kind \(parameter.kind.name) do not cross")
        }
        let entry = lp_parameter(
            size: UInt32(MemoryLayout<lp_parameter>.size), kind: code, flags: flags, choice_count: UInt32(choices.count),
            name: Forever.text(parameter.name), doc: Forever.text(parameter.doc),
            initial: parameter.defaultValue.map { Forever.text($0.compact) },
            choices: UnsafePointer(Forever.copy(choices.map { Optional(Forever.text($0)) })),
            minimum: parameter.range?.lowerBound ?? 0, maximum: parameter.range?.upperBound ?? 0)
        return UnsafePointer(Forever.copy([entry]))
    }

    private static func code(of kind: Kind) -> UInt32? {
        switch kind {
        case .number: LP_NUMBER
        case .integer: LP_INTEGER
        case .boolean: LP_BOOLEAN
        case .length: LP_LENGTH
        case .angle: LP_ANGLE
        case .color: LP_COLOR
        case .point: LP_POINT
        case .offset: LP_OFFSET
        case .size: LP_SIZE
        case .insets: LP_INSETS
        case .string: LP_STRING
        case .choice: LP_CHOICE
        case .anchor: LP_ANCHOR
        case .path: LP_PATH
        case .template, .ownLength, .paint, .list, .numbers, .templates, .either: nil
        }
    }
}
