import CLabelpipePlugin
import Diagnostics
import Glibc
import LabelpipeKit
import Outline
import Vips

/// One node's call into a plugin: what crosses, and what is made of what comes back.
final class PluginCall {
    private let arena = Arena()
    private let facts: PluginFacts.EffectFacts
    private let arguments: Arguments
    private let context: Context
    private let plugin: String
    private let pixels: PluginPixels
    private var failure: Diagnostic?
    /// Kept until the call is over: images are borrowed.
    private var images: [Image] = []

    init(
        _ facts: PluginFacts.EffectFacts, of plugin: String, _ arguments: Arguments, _ context: Context, pixels: PluginPixels
    ) {
        (self.facts, self.plugin, self.arguments, self.context, self.pixels) = (facts, plugin, arguments, context, pixels)
    }

    /// The layer that the effect gives for what reaches it.
    func layer(_ effect: UnsafePointer<lp_effect>, _ inputs: Inputs) throws -> Layer {
        let layers = facts.inputs.map { input in inputs.list(input.name).map { CallLayer($0.layer, input) } }
        let first = layers.first?.first?.layer
        var result = lp_result()
        result.size = UInt32(MemoryLayout<lp_result>.size)
        if let first = layers.first?.first { (result.frame, result.reach) = (first.layer.frame.numbers, first.box.numbers) }
        if let geometry = effect.pointee.geometry {
            try run("geometry", effect, geometry, with: layers, images: false, &result)
            if result.image != nil || result.outline != nil { throw broken("geometry() gives an image or an outline") }
        }
        guard result.keep <= LP_ABOVE, result.keep == LP_REPLACE || first != nil else { throw broken("keep is \(result.keep)") }
        let reach = try box(result.reach, "reach")
        let frame = try box(result.frame, "frame")
        try run("apply", effect, effect.pointee.apply, with: layers, images: true, &result)
        return try PluginResult(
            facts: facts, result: result, image: try Image(adoptingFrom: result.image).map(pixels.ofPlugin), frame: frame,
            reach: reach, first: first, isDeep: layers.first?.first?.isDeep ?? false, broken: { self.broken($0) }
        ).layer()
    }

    private func run(
        _ name: String, _ effect: UnsafePointer<lp_effect>,
        _ function: @convention(c) (UnsafePointer<lp_call>?, UnsafeMutablePointer<lp_result>?) -> Int32,
        with layers: [[CallLayer]], images: Bool, _ result: inout lp_result
    ) throws {
        var call = lp_call()
        call.size = UInt32(MemoryLayout<lp_call>.size)
        call.host = Self.host
        call.effect = effect
        call.value_count = UInt32(facts.parameters.count)
        call.values = UnsafePointer(arena.copy(facts.parameters.map { Optional(arena.value($0, arguments)) }))
        call.input_count = UInt32(layers.count)
        var inputs: [UnsafePointer<lp_layers>?] = []
        for input in layers {
            var list = lp_layers()
            list.size = UInt32(MemoryLayout<lp_layers>.size)
            list.count = UInt32(input.count)
            var described: [UnsafePointer<lp_layer>?] = []
            for layer in input {
                var one = layer.described(arena)
                if images, let image = try layer.image().map(pixels.ofHost) {
                    self.images.append(image)
                    one.image = image.pointer
                }
                described.append(UnsafePointer(arena.copy([one])))
            }
            list.layers = UnsafePointer(arena.copy(described))
            inputs.append(UnsafePointer(arena.copy([list])))
        }
        call.inputs = UnsafePointer(arena.copy(inputs))
        if let base = context.base {
            call.has_base = 1
            call.base = (base.width, base.height)
        }
        call.context = Unmanaged.passUnretained(self).toOpaque()
        let before = ProcessState()
        var status: Int32 = 0
        let words = ErrorBuffer.written { status = function(&call, &result) }
        // A child that the plugin has forked is no second worker.
        if getpid() != before.process { _exit(1) }
        let changes = before.restored()
        if let failure { throw failure }
        if !changes.isEmpty { throw broken("\(name)() changed the process's \(changes.joined(separator: ", "))") }
        guard status == 0 else { throw broken("\(name)() returned \(status) and said nothing") }
        if !words.isEmpty { throw broken("\(name)() succeeded, and libvips says: \(words)") }
    }

    private func box(_ numbers: (Double, Double, Double, Double), _ name: String) throws -> Rect {
        let all = [numbers.0, numbers.1, numbers.2, numbers.3]
        guard all.allSatisfy({ $0.isFinite && abs($0) <= 1e8 }), numbers.2 >= 0, numbers.3 >= 0 else {
            throw broken("its \(name) is \(all.map { "\($0)" }.joined(separator: ", "))")
        }
        return Rect(x: numbers.0, y: numbers.1, width: numbers.2, height: numbers.3)
    }

    /// A plugin that breaks a rule of the border.
    private func broken(_ what: String) -> DrawingError {
        DrawingError(
            "plugin-fault", "plugin \(plugin), \(facts.id): \(what)",
            help: "a fault of the plugin: labelpipe plugins check finds it")
    }

    // MARK: What a plugin may ask for

    private static func of(_ call: UnsafePointer<lp_call>?) -> PluginCall? {
        call?.pointee.context.map { Unmanaged<PluginCall>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Never freed: a plugin may keep it.
    nonisolated(unsafe) private static let host: UnsafePointer<lp_host> = {
        let host = UnsafeMutablePointer<lp_host>.allocate(capacity: 1)
        host.initialize(
            to: lp_host(
                size: UInt32(MemoryLayout<lp_host>.size), abi: ownABI,
                fail: { call, key, expected, got, hint in
                    PluginCall.of(call)?.fail(key.text, expected: expected.text, got: got.text, hint: hint.text)
                    return -1
                },
                note: { call, isWarning, code, message in
                    PluginCall.of(call)?.context.report(
                        Note(isWarning != 0 ? .warning : .note, code.text ?? "plugin", message.text ?? ""))
                },
                memory: { call, bytes in PluginCall.of(call)?.arena.bytes(bytes) }))
        return UnsafePointer(host)
    }()

    private func fail(_ key: String?, expected: String?, got: String?, hint: String?) {
        // The first is the cause.
        guard failure == nil else { return }
        failure = arguments.problem(
            below: key.map { $0.hasPrefix("/") || $0.isEmpty ? $0 : "/" + $0 } ?? "", expected: expected, got: got ?? "it failed",
            help: hint)
    }
}

extension UnsafePointer<CChar>? {
    fileprivate var text: String? { map { String(cString: $0) } }
}
