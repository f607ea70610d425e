import Diagnostics
public import LabelpipeEngine
import LabelpipeKit

extension Registry {
    /// The parameters, `EFFECT.KEY`, that no document proves anything about: in none of them does leaving the key out change
    /// what is drawn or said.
    ///
    /// **Cost**: some drawings a parameter.
    public func unsetKeys(by cases: [GoldenCase]) throws -> [String] {
        var places: [String: [(one: GoldenCase, pointer: [String])]] = [:]
        for one in cases {
            let document = try JSONValue.parse(Array(one.text.utf8), file: one.name)
            for (key, pointer) in writtenKeys(in: document, []) { places[key, default: []].append((one, pointer)) }
        }
        var known: [String: GoldenCase.Drawn] = [:]
        return try keys.filter { key in
            try !(places[key] ?? []).contains { place in
                let with = known[place.one.name] ?? place.one.drawn(self)
                known[place.one.name] = with
                return try with.pixels != nil && place.one.without(place.pointer).drawn(self) != with
            }
        }
    }

    /// `EFFECT.KEY` of every parameter, `EFFECT.INPUT.KEY` of those of a list's entries.
    public var keys: [String] {
        all.flatMap { entry in
            let d = entry.declaration
            return d.parameters.map { "\(d.id).\($0.declaration.name)" }
                + d.inputs.flatMap { input in input.entryKeys.map { "\(d.id).\(input.name).\($0)" } }
        }
    }

    private func writtenKeys(in value: JSONValue, _ pointer: [String]) -> [(key: String, pointer: [String])] {
        if let elements = value.elements {
            return elements.enumerated().flatMap { writtenKeys(in: $1, pointer + ["\($0)"]) }
        }
        guard let members = value.members else { return [] }
        var found: [(String, [String])] = []
        for member in members {
            let here = pointer + [member.key]
            found += writtenKeys(in: member.value, here)
            guard let id = value["effect"]?.string, let declaration = self[id]?.declaration else { continue }
            if declaration.parameters.contains(where: { $0.declaration.name == member.key }) {
                found.append(("\(id).\(member.key)", here))
            }
            let entries = declaration.inputs.first { $0.name == member.key }?.entryKeys ?? []
            for (index, element) in (member.value.elements ?? []).enumerated() {
                for key in entries where element["layer"] != nil && element[key] != nil {
                    found.append(("\(id).\(member.key).\(key)", here + ["\(index)", key]))
                }
            }
        }
        return found
    }
}

extension Input {
    fileprivate var entryKeys: [String] {
        if case .entries(let parameters) = form { parameters.map(\.declaration.name) } else { [] }
    }
}

extension GoldenCase {
    fileprivate func without(_ pointer: [String]) throws -> GoldenCase {
        let document = try JSONValue.parse(Array(text.utf8), file: name)
        return GoldenCase(
            name: name, text: document.replacing(pointer[...]) { _ in nil }.compact, folder: folder, settings: settings,
            output: output)
    }
}
