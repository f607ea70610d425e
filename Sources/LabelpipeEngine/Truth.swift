import Diagnostics
import LabelpipeKit

// What `when` takes for "no": absent, false, 0, only zeros, fully transparent, an empty text or list.

extension Term {
    /// nil: only the picture can tell.
    var isTruthy: Bool? {
        switch self {
        case .value(let value): return value.isTruthy
        case .list(let all):
            let known = all.map { term -> Bool? in
                // A list is empty, or only zeros; a list of transparent colours is a list.
                if case .scalar = term { return term.isTruthy }
                return true
            }
            return known.contains(true) ? true : known.contains(nil) ? nil : false
        case .object(let all): return !all.isEmpty
        case .gradient(let keys, _):
            var isSeen = keys["over"].map(\.isTruthy) ?? false
            if case .list(let colors)? = keys["colors"] {
                for color in colors where isSeen != true {
                    let one = color.isTruthy
                    if one != false { isSeen = one }
                }
            } else {
                isSeen = true
            }
            return isSeen
        case .text, .late: return nil
        case .scalar, .own, .insets, .offset, .size:
            var known: Bool? = false
            for scalar in scalars where known != true {
                let one = scalar.isTruthy
                if one != false { known = one }
            }
            return known
        }
    }
}

extension Calculation {
    /// Whether it is anything but 0; nil: only the picture can tell.
    fileprivate var isTruthy: Bool? {
        if let constant { return constant != 0 }
        // So many of a unit are nothing only where they are 0 units.
        if case .length(let n, _) = self { return n != 0 }
        return nil
    }
}

extension Value {
    var isTruthy: Bool {
        switch self {
        case .boolean(let flag): flag
        case .string(let text): !text.isEmpty
        case .number(let n): n != 0
        case .length: true
        case .color(let color): !color.isTransparent
        case .paint(let paint): !paint.isTransparent
        case .insets(let i): i.top != 0 || i.left != 0 || i.bottom != 0 || i.right != 0
        case .point(let x, let y): x != 0 || y != 0
        case .offset(let v): v.dx != 0 || v.dy != 0
        case .size(let s): (s.width ?? 0) != 0 || (s.height ?? 0) != 0
        case .list(let all): all.contains { if case .number(let n) = $0 { n != 0 } else { true } }
        case .object(let all): !all.isEmpty
        }
    }
}

extension JSONValue {
    /// As a choice's value, whose kind is not known: what any kind takes for nothing is nothing.
    var isTruthy: Bool {
        switch content {
        case .null: return false
        case .bool(let flag): return flag
        case .number(let n, _): return n != 0
        case .string(let text):
            if text.isEmpty { return false }
            if let color = Color(css: text) { return !color.isTransparent }
            var reader = ExpressionReader(text, scale: 1, isAngle: false) { _, _ in throw ExpressionReader.Absent() }
            guard let operand = try? reader.read() else { return true }
            return operand.calculation.constant != 0
        case .array(let all): return all.contains { $0.double != 0 && ($0.string == nil || $0.isTruthy) }
        case .object: return true
        }
    }
}
