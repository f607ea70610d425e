import CLabelpipePlugin
import Diagnostics
import Glibc

/// Reads a plugin's table, trusting nothing in it: sizes, pointers and texts are looked at before they are used.
struct TableReader {
    let file: String
    let note: PluginNote

    private func refusal(_ what: String) -> Refusal { Refusal(bad: what, file: file, plugin: note.id) }

    func facts(_ table: UnsafePointer<lp_plugin>?) throws(Refusal) -> PluginFacts {
        guard let table else { throw refusal("labelpipe_plugin() returned NULL") }
        try check(table.pointee.size, MemoryLayout<lp_plugin>.size, "lp_plugin")
        let plugin = table.pointee
        guard plugin.abi == note.abi else { throw Refusal(abi: plugin.abi, file: file, plugin: note.id) }
        let id = try text(plugin.id, "the plugin's id")
        guard id == note.id else { throw refusal("its note says \(note.id), and its table \(id)") }
        var facts = PluginFacts(
            id: id, version: try text(plugin.version, "the plugin's version"),
            licence: try text(plugin.licence, "the plugin's licence"), effects: [])
        if let fault = plugin.fault { throw refusal(try text(fault, "the plugin's fault")) }
        guard plugin.effect_count > 0, plugin.effect_count <= 4096 else { throw refusal("it has \(plugin.effect_count) effects") }
        guard let effects = plugin.effects else { throw refusal("its list of effects is NULL") }
        for index in 0..<Int(plugin.effect_count) {
            guard let effect = effects[index] else { throw refusal("effect \(index) is NULL") }
            let one = try self.effect(effect, index)
            guard !facts.effects.contains(where: { $0.id == one.id }) else { throw refusal("it declares \(one.id) twice") }
            facts.effects.append(one)
        }
        return facts
    }

    private func effect(_ pointer: UnsafePointer<lp_effect>, _ index: Int) throws(Refusal) -> PluginFacts.EffectFacts {
        try check(pointer.pointee.size, MemoryLayout<lp_effect>.size, "lp_effect \(index)")
        let effect = pointer.pointee
        let id = try text(effect.id, "the id of effect \(index)")
        guard id.utf8.contains(UInt8(ascii: ".")), id.utf8.allSatisfy({ $0.isIdentifier }) else {
            throw refusal("effect id \(Quoted.text(id)) is not family.name, of letters and digits")
        }
        guard effect.apply != nil else { throw refusal("\(id): apply is NULL") }
        guard (LP_COVERAGE...LP_EITHER).contains(effect.output) else { throw refusal("\(id): output \(effect.output)") }
        var facts = PluginFacts.EffectFacts(
            id: id, summary: try text(effect.summary, "\(id): summary"), example: try text(effect.example, "\(id): example"),
            output: effect.output, idle: nil, inputs: [], parameters: [])
        if let idle = effect.idle {
            let json = try text(idle, "\(id): idle")
            let list = try? JSONValue.parse(Array(json.utf8), file: "idle").elements
            guard list?.allSatisfy({ $0.members != nil }) == true else {
                throw refusal("\(id): idle is no list of objects: \(json)")
            }
            facts.idle = json
        }
        guard effect.input_count <= 64, effect.parameter_count <= 256 else {
            throw refusal("\(id): too many inputs or parameters")
        }
        for place in 0..<Int(effect.input_count) {
            guard let input = effect.inputs?[place] else { throw refusal("\(id): input \(place) is NULL") }
            facts.inputs.append(try self.input(input, "\(id): input \(place)"))
        }
        if effect.output == LP_EITHER, facts.inputs.first?.form != LP_ONE {
            throw refusal("\(id): its output is as its first input, and it has no such input")
        }
        for place in 0..<Int(effect.parameter_count) {
            guard let parameter = effect.parameters?[place] else { throw refusal("\(id): parameter \(place) is NULL") }
            facts.parameters.append(try self.parameter(parameter, "\(id): parameter \(place)"))
        }
        return facts
    }

    private func input(_ pointer: UnsafePointer<lp_input>, _ name: String) throws(Refusal) -> PluginFacts.InputFacts {
        try check(pointer.pointee.size, MemoryLayout<lp_input>.size, name)
        let input = pointer.pointee
        guard (LP_COVERAGE...LP_EITHER).contains(input.accepts), (LP_ONE...LP_MANY).contains(input.form),
            input.alpha == LP_PREMULTIPLIED || input.alpha == LP_STRAIGHT
        else { throw refusal("\(name): accepts \(input.accepts), form \(input.form), alpha \(input.alpha)") }
        return PluginFacts.InputFacts(
            name: try key(input.name, name), doc: try text(input.doc, "\(name): doc"), accepts: input.accepts, form: input.form,
            alpha: input.alpha)
    }

    private func parameter(_ pointer: UnsafePointer<lp_parameter>, _ name: String) throws(Refusal) -> PluginFacts.ParameterFacts {
        try check(pointer.pointee.size, MemoryLayout<lp_parameter>.size, name)
        let parameter = pointer.pointee
        guard PluginFacts.ParameterFacts.kinds[parameter.kind] != nil else { throw refusal("\(name): kind \(parameter.kind)") }
        guard parameter.flags & ~(LP_REQUIRED | LP_RANGE | LP_LIST) == 0 else {
            throw refusal("\(name): flags \(parameter.flags)")
        }
        var facts = PluginFacts.ParameterFacts(
            name: try key(parameter.name, name), doc: try text(parameter.doc, "\(name): doc"), kind: parameter.kind,
            flags: parameter.flags, initial: nil, choices: [], minimum: 0, maximum: 0)
        if let initial = parameter.initial {
            let json = try text(initial, "\(name): initial")
            do { _ = try JSONValue.parse(Array(json.utf8), file: "default") } catch {
                throw refusal("\(name): the default \(json) is no JSON")
            }
            guard !facts.isRequired else { throw refusal("\(name): it is required and has a default") }
            facts.initial = json
        }
        if facts.flags & LP_RANGE != 0 {
            guard parameter.minimum <= parameter.maximum, parameter.minimum.isFinite, parameter.maximum.isFinite else {
                throw refusal("\(name): a range from \(parameter.minimum) to \(parameter.maximum)")
            }
            (facts.minimum, facts.maximum) = (parameter.minimum, parameter.maximum)
        }
        guard parameter.kind == LP_CHOICE else { return facts }
        guard parameter.choice_count > 0, parameter.choice_count <= 256 else {
            throw refusal("\(name): \(parameter.choice_count) choices")
        }
        for place in 0..<Int(parameter.choice_count) {
            facts.choices.append(try text(parameter.choices?[place], "\(name): choice \(place)"))
        }
        return facts
    }

    private func check(_ size: UInt32, _ wanted: Int, _ name: String) throws(Refusal) {
        guard size >= UInt32(wanted) else {
            throw refusal("\(name) has \(size) bytes, and ABI \(versionText(ownABI)) has \(wanted)")
        }
    }

    private func key(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(Refusal) -> String {
        let key = try text(pointer, "\(name): name")
        guard key.utf8.allSatisfy(\.isIdentifier) else { throw refusal("\(name): the name \(Quoted.text(key)) is no key") }
        return key
    }

    private func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(Refusal) -> String {
        guard let pointer else { throw refusal("\(name) is NULL") }
        let bytes = UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, 1 << 16))
        guard bytes.count < 1 << 16, let text = String(validating: bytes, as: UTF8.self) else {
            throw refusal("\(name) is no UTF-8 text")
        }
        guard !text.isEmpty else { throw refusal("\(name) is empty") }
        return text
    }
}

extension UInt8 {
    fileprivate var isIdentifier: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
