import CLabelpipePlugin
import LabelpipeKit

/// A node's checked values as the border has them.
extension Arena {
    func value(_ facts: PluginFacts.ParameterFacts, _ arguments: Arguments) -> UnsafePointer<lp_value> {
        let parameter = facts.parameter
        var value = lp_value()
        value.size = UInt32(MemoryLayout<lp_value>.size)
        value.kind = facts.kind
        value.is_written = arguments.isWritten(parameter) ? 1 : 0
        if let given = arguments[parameter] {
            let all: [Value] = if case .list(let values) = given, facts.flags & LP_LIST != 0 { values } else { [given] }
            var numbers: [Double] = []
            var texts: [String] = []
            for one in all { facts.add(one, &numbers, &texts) }
            value.count = UInt32(all.count)
            value.numbers = UnsafePointer(copy(numbers))
            value.texts = UnsafePointer(copy(texts.map { Optional(text($0)) }))
        }
        return UnsafePointer(copy([value]))
    }
}

extension PluginFacts.ParameterFacts {
    fileprivate func add(_ value: Value, _ numbers: inout [Double], _ texts: inout [String]) {
        switch value {
        case .number(let n): numbers.append(n)
        case .boolean(let flag): numbers.append(flag ? 1 : 0)
        case .color(let c): numbers += [c.red, c.green, c.blue, c.alpha]
        case .point(let x, let y): numbers += [x, y]
        case .offset(let v): numbers += [v.dx, v.dy]
        case .size(let s): numbers += [s.width ?? .nan, s.height ?? .nan]
        case .insets(let i): numbers += [i.top, i.left, i.bottom, i.right]
        case .string(let text):
            texts.append(text)
            if kind == LP_CHOICE { numbers.append(Double(choices.firstIndex(of: text) ?? 0)) }
        case .length, .paint, .list, .object: preconditionFailure("no parameter of a plugin has the value \(value)")
        }
    }
}
