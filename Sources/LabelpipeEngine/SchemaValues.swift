import Diagnostics
import LabelpipeKit

// What may be written for a value.

extension Schema {
    /// Numbers of a type, in their range and in what anything can be drawn with.
    private static func limited(_ type: String, _ range: ClosedRange<Double>?, _ kind: Kind) -> JSONValue {
        let bounds = kind.bounds
        return object([
            ("type", JSONValue(.string(type))),
            ("minimum", JSONValue(max(range?.lowerBound ?? -.infinity, bounds.lowerBound))),
            ("maximum", JSONValue(min(range?.upperBound ?? .infinity, bounds.upperBound))),
        ])
    }

    private static let number = "[-+]?([0-9]+(\\.[0-9]+)?|\\.[0-9]+)([eE][-+]?[0-9]+)?"
    private static let name = "\\$_?[a-zA-Z][a-zA-Z0-9_-]*(\\.[a-z]+)?"
    private static let units = LengthUnit.allCases.map(\.rawValue).joined(separator: "|")

    /// A calculation by its words; that they make a sense is left to `check`, since brackets in brackets are beyond patterns.
    private static let function: String = {
        // No word can be read in two ways: a pattern that tries both takes for ever.
        let words = [
            "([0-9]+(\\.[0-9]+)?|\\.[0-9]+)([eE][-+]?[0-9]+)?(\(units)|deg)?(?![a-zA-Z0-9.%$])", name + "(?![a-zA-Z0-9_$-])",
            "(min|max|clamp|calc)?\\(", "\\)", "[-+*/,\\s]",
        ]
        return "^\\s*(min|max|clamp|calc)\\((\(words.joined(separator: "|")))*\\)\\s*$|^\(name)$"
    }()

    static func alternatives(_ kind: Kind, _ range: ClosedRange<Double>?) -> [JSONValue] {
        func one(_ kind: Kind, _ range: ClosedRange<Double>? = nil) -> JSONValue {
            object([
                (
                    "anyOf",
                    JSONValue(
                        .array(
                            alternatives(kind, range) + [["$ref": "#/$defs/parameterReference"], ["$ref": "#/$defs/template"]]))
                )
            ])
        }
        func pair(_ item: JSONValue) -> JSONValue {
            object([("type", "array"), ("minItems", 2), ("maxItems", 2), ("items", item)])
        }
        func pattern(_ text: String) -> JSONValue { object([("type", "string"), ("pattern", JSONValue(.string(text)))]) }
        switch kind {
        case .string: return [["type": "string"]]
        case .template: return [pattern(templatePattern)]
        case .path: return [["type": "string", "minLength": 1]]
        case .boolean: return [["type": "boolean"]]
        case .number: return [limited("number", range, kind), pattern(function)]
        case .angle: return [limited("number", range, kind), pattern("^\\s*\(number)(deg)?\\s*$|\(function)")]
        case .integer: return [limited("integer", range, kind), pattern(function)]
        case .length, .ownLength:
            return [limited("number", range, kind), pattern("^\\s*\(number)(\(units))?\\s*$|\(function)")]
        case .color:
            let names = (Color.named.keys.sorted() + ["transparent"]).joined(separator: "|")
            let hex = "#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})"
            return [
                pattern("^\\s*(\(hex)|(rgb|rgba|hsl|hsla|lighten-to|darken-to|RGB|RGBA|HSL|HSLA)\\(.*\\))\\s*$"),
                pattern("^\\s*(?i:\(names))\\s*$".replacingInsensitive()),
            ]
        case .paint:
            let gradient = object([
                ("type", "object"), ("required", ["colors"]),
                ("properties", object(GradientKeys.all.map { ($0.declaration.name, property($0.declaration)) })),
                // One colour at least.
                ("allOf", [["properties": ["colors": ["minItems": 1]]]]),
                ("patternProperties", ["^x-": true]), ("additionalProperties", false),
            ])
            return alternatives(.color, nil) + [gradient]
        case .insets:
            let sides = ["top", "left", "bottom", "right"].map { ($0, one(.length, range)) }
            return alternatives(.length, range) + [
                object([
                    ("type", "object"), ("properties", object(sides)), ("patternProperties", ["^x-": true]),
                    ("additionalProperties", false),
                ])
            ]
        case .point: return [pair(one(.number))]
        case .offset: return [pair(one(.length, range)), ["const": 0]]
        case .size:
            return [
                pair(
                    object([
                        (
                            "anyOf",
                            JSONValue(.array([["type": "null"]] + alternatives(.length, range) + [["$ref": "#/$defs/template"]]))
                        )
                    ]))
            ]
        case .anchor: return [object([("enum", strings(Anchor.allCases.map(\.rawValue)))])]
        case .choice(let names): return [object([("enum", strings(names))])]
        case .list(let element): return [object([("type", "array"), ("items", one(element, range))])]
        case .numbers: return [object([("type", "object"), ("additionalProperties", one(.number))])]
        case .templates: return [object([("type", "object"), ("additionalProperties", one(.template))])]
        case .either(let kinds): return kinds.flatMap { alternatives($0, range) }
        }
    }
}

extension String {
    /// JSON Schema's regular expressions (ECMA 262) know no flags: letters of the names in either case instead.
    fileprivate func replacingInsensitive() -> String {
        guard let start = range(of: "(?i:") else { return self }
        var text = String(self[..<start.lowerBound]) + "("
        for c in self[start.upperBound...] {
            text +=
                c.isLetter && c.isASCII && c != "s" || c == "s" && !text.hasSuffix("\\") ? "[\(c)\(c.uppercased())]" : String(c)
        }
        return text
    }

    private func range(of needle: String) -> Range<String.Index>? {
        var i = startIndex
        while i < endIndex {
            if self[i...].hasPrefix(needle) { return i..<index(i, offsetBy: needle.count) }
            i = index(after: i)
        }
        return nil
    }
}
