import CLabelpipePlugin
import Diagnostics
import LabelpipeDrawing
import LabelpipeKit
import Outline
import Synchronization
import Vips

/// A call that came across the border, answered by an effect of this plugin.
struct ExportedCall {
    private typealias Kinds = [UnsafePointer<lp_effect>: EffectKind]
    // Filled before the first call can come, and never changed.
    nonisolated(unsafe) private static var kinds: Kinds = [:]

    static func register(_ more: [UnsafePointer<lp_effect>: EffectKind]) { kinds.merge(more) { $1 } }

    static func geometry(_ call: UnsafePointer<lp_call>?, _ result: UnsafeMutablePointer<lp_result>?) -> Int32 {
        answer(call, result) { layer, result in
            let box = layer.frame.roundedOut.union(layer.reach)
            result.frame = (layer.frame.x, layer.frame.y, layer.frame.width, layer.frame.height)
            result.reach = (Double(box.x), Double(box.y), Double(box.width), Double(box.height))
        }
    }

    static func apply(_ call: UnsafePointer<lp_call>?, _ result: UnsafeMutablePointer<lp_result>?) -> Int32 {
        answer(call, result) { layer, result in
            let box = layer.frame.roundedOut.union(layer.reach)
            if let call, let outline = layer.outline { result.outline = lent(outline.polygons(), call) }
            guard !layer.reach.isEmpty, !box.isEmpty else { return }
            var image = try layer.image(in: box)
            if layer.kind == .coverage { image = try image.extractBand(3).copy(interpretation: .bw) }
            result.alpha = LP_STRAIGHT
            (result.x, result.y) = (Double(box.x), Double(box.y))
            result.image = image.retained
        }
    }

    /// An outline in memory of the call's; nil where there is none to be had.
    private static func lent(_ polygons: Polygons, _ call: UnsafePointer<lp_call>) -> UnsafePointer<lp_outline>? {
        func copy<Element>(_ elements: [Element]) -> UnsafeMutablePointer<Element>? {
            let bytes = UInt64(MemoryLayout<Element>.stride * max(elements.count, 1))
            guard let block = call.pointee.host.pointee.memory(call, bytes) else { return nil }
            let typed = block.bindMemory(to: Element.self, capacity: max(elements.count, 1))
            typed.update(from: elements, count: elements.count)
            return typed
        }
        guard let counts = copy((0..<polygons.contourCount).map { UInt32(polygons.contour($0).count) }),
            let points = copy(polygons.coordinates)
        else { return nil }
        let outline = lp_outline(
            size: UInt32(MemoryLayout<lp_outline>.size), contour_count: UInt32(polygons.contourCount), point_counts: counts,
            points: points)
        return copy([outline]).map { UnsafePointer($0) }
    }

    private static func answer(
        _ call: UnsafePointer<lp_call>?, _ result: UnsafeMutablePointer<lp_result>?,
        _ give: (Layer, inout lp_result) throws -> Void
    ) -> Int32 {
        guard let call, let result, let host = call.pointee.host else { return -1 }
        func fail(_ key: String?, _ expected: String?, _ got: String, _ hint: String?) -> Int32 {
            host.pointee.fail(call, key, expected, got, hint)
        }
        guard let kind = call.pointee.effect.flatMap({ kinds[$0] }) else { return fail(nil, nil, "there is no such effect", nil) }
        let border = Border(call: call, declaration: kind.declaration)
        do {
            let layer = try kind.make(border.arguments())(try border.inputs(), border.context())
            try give(layer, &result.pointee)
            return 0
        } catch let finding as Diagnostic {
            let key = finding.pointer.flatMap { $0.isRoot ? nil : $0.description }
            return fail(key, finding.expected, finding.expected == nil ? finding.message : finding.got ?? "", finding.help.first)
        } catch let error as DrawingError {
            return fail(nil, nil, error.message, error.help)
        } catch {
            return fail(nil, nil, "\(error)", nil)
        }
    }
}

/// What a call brings, as the kit has it.
private struct Border {
    let call: UnsafePointer<lp_call>
    let declaration: EffectDeclaration

    func context() -> Context {
        let base = call.pointee.has_base != 0 ? Context.Base(width: call.pointee.base.0, height: call.pointee.base.1) : nil
        // The call outlives the effect's.
        nonisolated(unsafe) let call = call
        return Context(
            base: base,
            source: { _ in throw DrawingError("no-source", "a plugin's effect takes pictures by its inputs") },
            report: { note in call.pointee.host.pointee.note(call, note.weight == .warning ? 1 : 0, note.code, note.message) })
    }

    // MARK: Values

    func arguments() -> Arguments {
        var values: [String: Value] = [:]
        var written: Set<String> = []
        var kinds: [String: LayerKind] = [:]
        for (index, parameter) in declaration.parameters.map(\.declaration).enumerated() {
            guard let given = call.pointee.values[index]?.pointee, given.count > 0 || given.is_written != 0 else { continue }
            if given.is_written != 0 { written.insert(parameter.name) }
            if case .list(let kind) = parameter.kind {
                values[parameter.name] = .list((0..<Int(given.count)).map { value(given, kind, $0) })
            } else {
                values[parameter.name] = value(given, parameter.kind, 0)
            }
        }
        for (index, input) in declaration.inputs.enumerated() {
            guard let layers = call.pointee.inputs[index]?.pointee, layers.count > 0, let first = layers.layers[0] else {
                continue
            }
            kinds[input.name] = first.pointee.kind == LP_COVERAGE ? .coverage : .colour
        }
        return Arguments(values, written: written, inputs: kinds)
    }

    private func value(_ given: lp_value, _ kind: Kind, _ index: Int) -> Value {
        func number(_ place: Int, of count: Int) -> Double { given.numbers[index * count + place] }
        func length(_ place: Int) -> Double? {
            let n = number(place, of: 2)
            return n.isNaN ? nil : n
        }
        switch kind {
        case .boolean: return .boolean(number(0, of: 1) != 0)
        case .color:
            return .color(
                Color(red: number(0, of: 4), green: number(1, of: 4), blue: number(2, of: 4), alpha: number(3, of: 4)))
        case .point: return .point(x: number(0, of: 2), y: number(1, of: 2))
        case .offset: return .offset(Vector(dx: number(0, of: 2), dy: number(1, of: 2)))
        case .size: return .size(PartialSize(width: length(0), height: length(1)))
        case .insets:
            return .insets(
                Insets(top: number(0, of: 4), left: number(1, of: 4), bottom: number(2, of: 4), right: number(3, of: 4)))
        case .string, .choice, .anchor, .path: return .string(given.texts[index].map { String(cString: $0) } ?? "")
        default: return .number(number(0, of: 1))
        }
    }

    // MARK: Layers

    func inputs() throws -> Inputs {
        var entries: [String: [Inputs.Entry]] = [:]
        for (index, input) in declaration.inputs.enumerated() {
            guard let list = call.pointee.inputs[index]?.pointee else { continue }
            entries[input.name] = try (0..<Int(list.count)).compactMap { place in
                guard let layer = list.layers[place]?.pointee else { return nil }
                return Inputs.Entry(layer: try self.layer(layer), arguments: Arguments([:]))
            }
        }
        return Inputs(entries, first: declaration.inputs.first?.name ?? "")
    }

    private func layer(_ given: lp_layer) throws -> Layer {
        let frame = rect(given.frame)
        let outline = given.outline.map { self.outline($0.pointee) }
        let kind: LayerKind = given.kind == LP_COVERAGE ? .coverage : .colour
        var contents: [Content] = []
        if kind == .coverage, let outline {
            contents = [.fill(.outline(outline), nil)]
        } else if let image = try image(given) {
            let picture = Content.picture(Picture(image), .translation(dx: given.x, dy: given.y))
            let body = Body(contents: [picture], outline: nil, boxes: FillBoxes(text: frame))
            contents = kind == .colour ? [picture] : [.fill(.alpha([.body(body)]), nil)]
        }
        let body = Body(contents: contents, outline: outline, boxes: FillBoxes(text: frame))
        var layer = Layer(marks: contents.isEmpty ? [] : [.body(body)], kind: kind, frame: frame, outline: outline)
        if given.has_text != 0 {
            let baseline = Point(x: given.baseline.0, y: given.baseline.1)
            // What crosses is size and baseline; the rest is a common face's.
            layer.text = TextFacts(
                size: given.em, baseline: baseline, lastBaseline: baseline, capHeight: given.em * 0.7, xHeight: given.em * 0.5,
                direction: .leftToRight)
        }
        return layer
    }

    private func rect(_ numbers: (Double, Double, Double, Double)) -> Rect {
        Rect(x: numbers.0, y: numbers.1, width: numbers.2, height: numbers.3)
    }

    private func outline(_ given: lp_outline) -> Outline {
        var coordinates: [Double] = []
        var starts: [Int] = []
        for contour in 0..<Int(given.contour_count) {
            starts.append(coordinates.count / 2)
            let first = coordinates.count
            coordinates += (first..<(first + 2 * Int(given.point_counts[contour]))).map { given.points[$0] }
        }
        let polygons = Polygons(coordinates: coordinates, starts: starts)
        return .deferred(bounds: polygons.bounds) { _ in polygons }
    }

    /// Straight, 8 bit, or 16 where that is not enough. In geometry, where there are no pixels: as large, and transparent.
    private func image(_ given: lp_layer) throws -> Image? {
        if let image = Image(lentFrom: given.image) {
            let isDeep = given.depth > 8
            let format: PixelFormat = isDeep ? .ushort : .uchar
            let whole = try Operation("linear").set("in", image).set("a", [isDeep ? 257.0 : 1]).set("b", [0.5]).image().cast(
                format)
            if given.kind == LP_COLOUR { return try whole.copy(interpretation: isDeep ? .rgb16 : .srgb) }
            let black = try Operation("linear").set("in", whole).set("a", [0.0, 0, 0]).set("b", [0.0, 0, 0]).image().cast(format)
            return try Operation("bandjoin").set("in", [black, whole]).image().copy(interpretation: isDeep ? .rgb16 : .srgb)
        }
        let reach = rect(given.reach)
        guard !reach.isEmpty else { return nil }
        let box = rect(given.frame).roundedOut.union(reach.roundedOut)
        return try Image.filled([0, 0, 0, 0], width: box.width, height: box.height, format: .uchar, interpretation: .srgb)
    }
}
