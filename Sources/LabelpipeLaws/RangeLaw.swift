import Diagnostics
import LabelpipeEngine
import LabelpipeKit

extension Law {
    /// What is wrong with a parameter's values.
    func range(of parameter: ParameterDeclaration, _ subjects: [Subject], _ registry: Registry) -> String? {
        let nodes = Nodes(subjects: subjects, parameter: parameter, registry: registry)
        return nodes.kinds() ?? nodes.ends()
    }
}

/// Nodes of one effect, with other and other values for one of its parameters.
private struct Nodes {
    let subjects: [Subject]
    let parameter: ParameterDeclaration
    let registry: Registry

    /// What each node says of a value (nil: none) for the key, in words.
    private func findings(_ value: (Subject) -> JSONValue?) -> [String?] {
        subjects.map { subject in
            subject.setting([parameter.name: value(subject)]).findings(registry)
                .first {
                    // Whether there is a picture to measure by is not the effect's matter.
                    $0.finding.code != "no-measure" && ($0.key == parameter.name || $0.key.hasPrefix(parameter.name + "/"))
                }?.finding.message
        }
    }

    /// Some nodes cannot have the key at all, or not this value beside others: one that can is enough.
    private func refusal(_ value: (Subject) -> JSONValue?) -> String? {
        let all = findings(value)
        return all.contains(nil) ? nil : all[0]
    }

    /// Why no node that may have a value can be made with it.
    private func failure(_ value: (Subject) -> JSONValue?) -> String? {
        var first: String?
        for subject in subjects {
            let changed = subject.setting([parameter.name: value(subject)])
            guard changed.findings(registry).isEmpty else { continue }
            do {
                _ = try changed.layer(registry)
                return nil
            } catch {
                // What is too much for one picture, such as its size, is no fault of the range.
                let failure = (error as? Executor.Failure)?.underlying as? DrawingError
                if let failure, failure.code != "plugin-fault" { return nil }
                first = first ?? Law.words(error)
            }
        }
        return first
    }

    func kinds() -> String? {
        if !parameter.isRequired, let found = refusal({ _ in nil }) { return "left out: \(found)" }
        if let value = parameter.defaultValue, let found = refusal({ _ in value }) { return "its default: \(found)" }
        let object: JSONValue = ["no": "such value"]
        if parameter.kind != .numbers, findings({ _ in object }).contains(nil) { return "\(object.compact) is accepted" }
        let list: JSONValue = []
        if !parameter.kind.isList, findings({ _ in list }).contains(nil) { return "an empty list is accepted" }
        return nil
    }

    func ends() -> String? {
        guard let range = parameter.range ?? (parameter.kind.isNumeric ? parameter.kind.bounds : nil) else { return nil }
        let isWhole = parameter.kind.isWhole
        let ends = [
            (range.lowerBound, isWhole ? range.lowerBound - 1 : range.lowerBound.nextDown),
            (range.upperBound, isWhole ? range.upperBound + 1 : range.upperBound.nextUp),
        ]
        for (end, beyond) in ends where end.isFinite {
            func written(_ n: Double) -> (Subject) -> JSONValue? {
                { self.parameter.kind.written(n, like: $0.node[self.parameter.name]) }
            }
            if let found = refusal(written(end)) { return "\(end) is refused: \(found)" }
            if findings(written(beyond)).contains(nil) { return "\(beyond) is accepted" }
            if parameter.range != nil, let found = failure(written(end)) {
                return "\(end), an end of its range, cannot be drawn: \(found)"
            }
        }
        return nil
    }
}

extension Kind {
    fileprivate var isNumeric: Bool {
        switch self {
        case .number, .integer, .length, .ownLength, .insets, .offset, .size: true
        case .list(let kind): kind.isNumeric
        case .either(let kinds): kinds.contains(where: \.isNumeric)
        default: false
        }
    }

    fileprivate var isWhole: Bool {
        switch self {
        case .integer: true
        case .list(let kind): kind.isWhole
        case .either(let kinds): kinds.first?.isWhole ?? false
        default: false
        }
    }

    fileprivate var isList: Bool { if case .list = self { true } else { false } }

    /// A value whose numbers are all `n`.
    fileprivate func written(_ n: Double, like value: JSONValue?) -> JSONValue {
        switch self {
        case .offset, .size, .point: return JSONValue(.array([JSONValue(n), JSONValue(n)]))
        case .list(let kind):
            return JSONValue(.array((value?.elements ?? [0, 0]).map { _ in kind.written(n, like: nil) }))
        case .either(let kinds): return kinds.first { $0.isNumeric }?.written(n, like: value) ?? JSONValue(n)
        case .integer: return JSONValue(Int(n))
        default: return JSONValue(n)
        }
    }
}
