import LabelpipeDrawing
import LabelpipeKit
import Outline
import Vips

/// One node of an operation: its written arguments, applied to layers.
struct OperationNode: Sendable {
    private let effect: OperationEffect
    private let values: [(name: String, value: OperationValue)]
    private let output: String

    init(_ effect: OperationEffect, _ arguments: Arguments) {
        self.effect = effect
        values = effect.settings.compactMap { setting in
            guard arguments.isWritten(setting.parameter), let value = arguments[setting.parameter] else { return nil }
            return (setting.argument.name, value.operationValue(for: setting.argument.kind))
        }
        output = effect.output.flatMap { if case .string(let name) = arguments[$0] { name } else { nil } } ?? effect.outputs[0]
    }

    func apply(to inputs: Inputs) throws -> Layer {
        var call = Operation(effect.operation.nickname)
        var first: (layer: Layer, pixels: PixelLayer)?
        for input in effect.inputs {
            let pixels = try inputs.list(input.name).map { entry in
                let pixels = try PixelLayer(entry.layer)
                if first == nil { first = (entry.layer, pixels) }
                return try readable(pixels.image)
            }
            if input.kind == .images {
                call = call.set(input.name, pixels)
            } else if let image = pixels.first {
                call = call.set(input.name, image)
            }
        }
        for (name, value) in values { call = call.set(name, value) }
        let image = try call.run().image(output)
        guard let first, image.width == first.pixels.image.width, image.height == first.pixels.image.height else {
            return Layer(Picture(image))
        }
        var layer = PixelLayer(image, x: first.pixels.x, y: first.pixels.y).layer(frame: first.layer.frame)
        layer.text = first.layer.text
        return layer
    }

    /// A file that is read once from top to bottom has to be in memory for what looks back.
    private func readable(_ image: Image) throws -> Image {
        image.isSequential && !effect.operation.isSequential ? try image.materialised() : image
    }
}

extension Value {
    /// As libvips takes it. The declaration has fixed the value's kind.
    fileprivate func operationValue(for kind: OperationArgumentDescription.Kind) -> OperationValue {
        switch (self, kind) {
        case (.number(let n), .integer): .integer(Int(n))
        case (.number(let n), _): .double(n)
        case (.boolean(let flag), _): .boolean(flag)
        case (.string(let text), _): .string(text)
        case (.list(let values), .integers): .integers(values.map { if case .number(let n) = $0 { Int(n) } else { 0 } })
        case (.list(let values), .flags):
            .string(values.compactMap { if case .string(let s) = $0 { s } else { nil } }.joined(separator: ","))
        case (.list(let values), _): .doubles(values.map { if case .number(let n) = $0 { n } else { 0 } })
        default: preconditionFailure("unchecked value \(self)")
        }
    }
}
