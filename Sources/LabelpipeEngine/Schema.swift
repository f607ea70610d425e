import Diagnostics
import LabelpipeKit

extension Catalogue {
    /// JSON Schema 2020-12 of documents that use these effects.
    ///
    /// What a schema cannot say (rings, kinds along edges, units that need a picture) is left to `check`.
    ///
    /// **Errors**: a family of effects cannot be asked.
    public func schema() throws(Diagnostic) -> String {
        var entries = try registry.everything()
        for family in registry.families { entries += try registry.members(of: family.family.name) ?? [] }
        var writer = JSONWriter()
        writer.object {
            $0.member("$schema", "https://json-schema.org/draft/2020-12/schema")
            $0.member("title", "labelpipe pipeline document")
            $0.member("type", "object")
            $0.key("required")
            $0.value(["labelpipe"])
            $0.key("properties")
            $0.object {
                $0.member("labelpipe", ["const": 1, "description": "version of the language"] as JSONValue)
                $0.member("title", ["type": "string"] as JSONValue)
                $0.member("description", ["type": "string"] as JSONValue)
                $0.member("parameters", Schema.parameters)
                $0.key("nodes")
                $0.value([
                    "type": "object", "description": "nodes that are used by their id",
                    "propertyNames": ["pattern": "^([a-zA-Z][a-zA-Z0-9_-]*|x-.*)$"],
                    "additionalProperties": ["$ref": "#/$defs/node"],
                ])
                $0.member("output", ["$ref": "#/$defs/node"] as JSONValue)
                $0.key("outputs")
                $0.value(["type": "array", "minItems": 1, "items": ["$ref": "#/$defs/output"]])
            }
            $0.member("patternProperties", ["^x-": true] as JSONValue)
            $0.member("additionalProperties", false)
            $0.member("oneOf", [["required": ["output"]], ["required": ["outputs"]]] as JSONValue)
            $0.key("$defs")
            $0.object { defs in
                defs.member("parameterReference", Schema.reference)
                defs.member("template", Schema.template)
                defs.key("node")
                defs.value([
                    "description": "a node: an id from \"nodes\", an effect, or a chain of them",
                    "if": ["type": "object"], "then": ["$ref": "#/$defs/effect"],
                    "else": [
                        "if": ["type": "array"], "then": ["$ref": "#/$defs/chain"],
                        "else": ["type": "string", "pattern": "^[a-zA-Z][a-zA-Z0-9_-]*$"],
                    ],
                ])
                defs.key("chain")
                defs.value([
                    "type": "array", "minItems": 1, "description": "each step's first input is the step before it",
                    "prefixItems": [["$ref": "#/$defs/node"]], "items": ["$ref": "#/$defs/effect"],
                ])
                defs.key("output")
                Schema.writeObject(
                    to: &defs, description: "what is saved",
                    properties: [("node", ["$ref": "#/$defs/node"])]
                        + OutputKeys.all.map { ($0.declaration.name, Schema.property($0.declaration)) },
                    required: ["node"])
                defs.key("effect")
                defs.object {
                    $0.member("type", "object")
                    $0.key("required")
                    $0.value(["effect"])
                    $0.key("properties")
                    $0.object {
                        $0.key("effect")
                        $0.value(
                            JSONValue(
                                .object([
                                    .init(
                                        key: "anyOf",
                                        value: [
                                            JSONValue(
                                                .object([
                                                    .init(
                                                        key: "enum",
                                                        value: JSONValue(
                                                            .array(entries.map { JSONValue(.string($0.declaration.id)) })))
                                                ])),
                                            ["type": "string", "pattern": "\\.json$"],
                                        ])
                                ])))
                    }
                    $0.key("allOf")
                    $0.array { list in
                        for entry in entries {
                            list.object {
                                $0.member(
                                    "if",
                                    JSONValue(
                                        .object([
                                            .init(
                                                key: "properties",
                                                value: JSONValue(
                                                    .object([
                                                        .init(
                                                            key: "effect",
                                                            value: JSONValue(
                                                                .object([
                                                                    .init(
                                                                        key: "const",
                                                                        value: JSONValue(.string(entry.declaration.id)))
                                                                ])))
                                                    ])))
                                        ])))
                                $0.member(
                                    "then",
                                    JSONValue(
                                        .object([
                                            .init(
                                                key: "$ref",
                                                value: JSONValue(.string("#/$defs/" + entry.declaration.id)))
                                        ])))
                            }
                        }
                    }
                }
                for entry in entries {
                    defs.key(entry.declaration.id)
                    Schema.writeEffect(entry.declaration, to: &defs)
                }
            }
        }
        writer.endLine()
        return writer.text
    }
}

private enum Schema {
    static let reference: JSONValue = [
        "type": "string", "pattern": "^\\$_?[a-zA-Z][a-zA-Z0-9_-]*$", "description": "a parameter of the document",
    ]
    static let template: JSONValue = [
        "type": "object", "properties": ["template": ["type": "string"]], "required": ["template"],
        "additionalProperties": false, "description": "text with {fields}",
    ]
    static let parameters: JSONValue = [
        "type": "object", "description": "what can be set from outside",
        "propertyNames": ["not": ["enum": ["effect", "input", "when"]]],
        "patternProperties": ["^x-": true],
        "additionalProperties": [
            "type": "object", "required": ["type"],
            "properties": [
                "type": [
                    "anyOf": [
                        ["$ref": "#/properties/parameters/$defs/type"],
                        [
                            "type": "array", "minItems": 1, "maxItems": 1,
                            "items": ["$ref": "#/properties/parameters/$defs/type"],
                        ],
                    ]
                ],
                "default": true, "choices": ["type": ["array", "object"]], "minimum": ["type": "number"],
                "maximum": ["type": "number"], "title": ["type": "string"], "description": ["type": "string"],
            ],
            "patternProperties": ["^x-": true], "additionalProperties": false,
        ],
        "$defs": [
            "type": [
                "enum": [
                    "string", "template", "number", "integer", "boolean", "length", "color", "paint", "insets", "point",
                    "offset", "size", "anchor", "angle", "path", "choice",
                ]
            ]
        ],
    ]

    static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        JSONValue(.object(members.map { .init(key: $0.0, value: $0.1) }))
    }

    static func strings(_ texts: [String]) -> JSONValue { JSONValue(.array(texts.map { JSONValue(.string($0)) })) }

    static func writeObject(
        to writer: inout JSONWriter, description: String, properties: [(String, JSONValue)], required: [String]
    ) {
        writer.value(
            object([
                ("type", "object"), ("description", JSONValue(.string(description))), ("required", strings(required)),
                ("properties", object(properties)), ("patternProperties", ["^x-": true]), ("additionalProperties", false),
            ]))
    }

    static func writeEffect(_ declaration: EffectDeclaration, to writer: inout JSONWriter) {
        var properties: [(String, JSONValue)] = [
            ("effect", object([("const", JSONValue(.string(declaration.id)))])), ("when", reference),
        ]
        for input in declaration.inputs { properties.append((input.name, self.input(input))) }
        for parameter in declaration.parameters {
            properties.append((parameter.declaration.name, property(parameter.declaration)))
        }
        let required = ["effect"] + declaration.parameters.filter(\.declaration.isRequired).map(\.declaration.name)
        writeObject(to: &writer, description: declaration.summary, properties: properties, required: required)
    }

    static func input(_ input: Input) -> JSONValue {
        let description = JSONValue(.string(input.doc))
        switch input.form {
        case .one, .optional: return object([("$ref", "#/$defs/node"), ("description", description)])
        case .many:
            return object([("type", "array"), ("items", ["$ref": "#/$defs/node"]), ("description", description)])
        case .entries(let parameters):
            let entry = object([
                ("type", "object"), ("required", ["layer"]),
                (
                    "properties",
                    object(
                        [("layer", ["$ref": "#/$defs/node"] as JSONValue), ("when", reference)]
                            + parameters.map { ($0.declaration.name, property($0.declaration)) })
                ),
                ("patternProperties", ["^x-": true]), ("additionalProperties", false),
            ])
            return object([
                ("type", "array"),
                (
                    "items",
                    object([
                        ("if", ["type": "object", "required": ["layer"], "not": ["required": ["effect"]]]), ("then", entry),
                        ("else", ["$ref": "#/$defs/node"]),
                    ])
                ),
                ("description", description),
            ])
        }
    }

    /// A parameter with what a document may write for it.
    static func property(_ declaration: ParameterDeclaration) -> JSONValue {
        var members: [(String, JSONValue)] = [("description", JSONValue(.string(declaration.doc)))]
        if let value = declaration.defaultValue { members.append(("default", value)) }
        members.append(
            (
                "anyOf",
                JSONValue(
                    .array(
                        alternatives(declaration.kind, declaration.range) + [
                            ["$ref": "#/$defs/parameterReference"], ["$ref": "#/$defs/template"],
                        ]))
            ))
        return object(members)
    }

    private static func limited(_ type: String, _ range: ClosedRange<Double>?) -> JSONValue {
        var members: [(String, JSONValue)] = [("type", JSONValue(.string(type)))]
        if let range {
            if range.lowerBound.isFinite { members.append(("minimum", JSONValue(range.lowerBound))) }
            if range.upperBound.isFinite { members.append(("maximum", JSONValue(range.upperBound))) }
        }
        return object(members)
    }

    private static let number = "[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"
    private static let function = "^\\s*(min|max|clamp|calc)\\(.*\\)\\s*$|^\\$_?[a-zA-Z][a-zA-Z0-9_-]*(\\.[a-z]+)?$"

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
        case .string, .template: return [["type": "string"]]
        case .path: return [["type": "string", "minLength": 1]]
        case .boolean: return [["type": "boolean"]]
        case .number: return [limited("number", range), pattern(function)]
        case .angle: return [limited("number", range), pattern("^\\s*\(number)(deg)?\\s*$|\(function)")]
        case .integer: return [limited("integer", range), pattern(function)]
        case .length, .ownLength:
            let units = LengthUnit.allCases.map(\.rawValue).joined(separator: "|")
            return [limited("number", range), pattern("^\\s*\(number)(\(units))?\\s*$|\(function)")]
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
        case .numbers: return [["type": "object", "additionalProperties": one(.number)]]
        case .templates: return [["type": "object", "additionalProperties": ["type": "string"]]]
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
