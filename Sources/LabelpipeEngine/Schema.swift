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
                    "patternProperties": ["^x-": true],
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
                    "if": ["type": "object"], "then": ["$ref": "#/$defs/first"],
                    "else": [
                        "if": ["type": "array"], "then": ["$ref": "#/$defs/chain"],
                        "else": ["type": "string", "pattern": "^[a-zA-Z][a-zA-Z0-9_-]*$"],
                    ],
                ])
                defs.key("chain")
                defs.value([
                    "type": "array", "minItems": 1, "description": "each step's first input is the step before it",
                    "prefixItems": [["$ref": "#/$defs/node"]], "items": ["$ref": "#/$defs/step"],
                ])
                defs.key("output")
                Schema.writeObject(
                    to: &defs, description: "what is saved",
                    properties: [("node", ["$ref": "#/$defs/node"])]
                        + OutputKeys.all.map { ($0.declaration.name, Schema.property($0.declaration)) },
                    required: ["node"])
                defs.key("effect")
                defs.value(
                    Schema.object([
                        ("type", "object"), ("required", ["effect"]),
                        (
                            "properties",
                            Schema.object([
                                (
                                    "effect",
                                    Schema.object([
                                        (
                                            "anyOf",
                                            JSONValue(
                                                .array([
                                                    Schema.object([("enum", Schema.strings(entries.map(\.declaration.id)))]),
                                                    ["type": "string", "pattern": "\\.json$"],
                                                ]))
                                        )
                                    ])
                                )
                            ])
                        ),
                    ]))
                let declarations = entries.map(\.declaration)
                defs.key("first")
                defs.value(
                    Schema.place(declarations.map(Schema.first), description: "a node that nothing feeds", ["when": false]))
                defs.key("step")
                defs.value(Schema.place(declarations.map(Schema.step), description: "a step, fed by the one before it", [:]))
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

/// The parts of the schema.
enum Schema {
    static let reference: JSONValue = [
        "type": "string", "pattern": "^\\$_?[a-zA-Z][a-zA-Z0-9_-]*$", "description": "a parameter of the document",
    ]
    static let template: JSONValue = object([
        ("type", "object"),
        ("properties", object([("template", object([("type", "string"), ("pattern", JSONValue(.string(templatePattern)))]))])),
        ("required", ["template"]), ("patternProperties", ["^x-": true]), ("additionalProperties", false),
        ("description", "text with {fields}"),
    ])

    /// Braces that are closed, and what may stand between them: names with their formats, texts in quotes.
    static let templatePattern: String = {
        let literal = #"\s*"[^"]*"\s*"#
        let name = #"[^|{}":\s][^|{}":]*(:[0-9]*[^|{}":%0-9][^|{}":%]*)*"#
        let format = "(:(%[^|{}]*|0*([1-9]|[1-5][0-9]|6[0-4])))?"
        let alternative = #"(\#(literal)|\s*\#(name)\#(format)\s*)"#
        return #"^([^{}]|\{\{|\}\}|\{\#(alternative)(\|\#(alternative))*\})*$"#
    }()

    /// A node by what its effect is.
    static func place(
        _ effects: [(id: String, rule: JSONValue)], description: String, _ properties: JSONValue
    ) -> JSONValue {
        let cases = effects.map { id, rule in
            object([
                (
                    "if",
                    object([
                        ("properties", object([("effect", object([("const", JSONValue(.string(id)))]))])),
                        ("required", ["effect"]),
                    ])
                ),
                ("then", rule),
            ])
        }
        return object([
            ("description", JSONValue(.string(description))), ("properties", properties),
            ("allOf", JSONValue(.array([["$ref": "#/$defs/effect"]] + cases))),
        ])
    }

    /// Where nothing feeds an effect, all its inputs are keys.
    static func first(_ declaration: EffectDeclaration) -> (id: String, rule: JSONValue) {
        (declaration.id, rule(declaration, required: declaration.inputs.filter(\.isRequired), []))
    }

    /// The step before is the first input, so that one is no key, or the first of a list; an effect without inputs is no step.
    static func step(_ declaration: EffectDeclaration) -> (id: String, rule: JSONValue) {
        guard let first = declaration.inputs.first else { return (declaration.id, false) }
        let others = declaration.inputs.dropFirst().filter(\.isRequired)
        let never: JSONValue = false
        return (declaration.id, rule(declaration, required: others, first.isList ? [] : [(first.name, never)]))
    }

    private static func rule(
        _ declaration: EffectDeclaration, required: [Input], _ properties: [(String, JSONValue)]
    ) -> JSONValue {
        object([
            ("$ref", JSONValue(.string("#/$defs/" + declaration.id))), ("required", strings(required.map(\.name))),
            ("properties", object(properties)),
        ])
    }

    static let parameters: JSONValue = {
        let types = Document.Declared.types
        let ranged = types.filter { $0.kind.isLength || [.number, .integer, .angle, .point].contains($0.kind) }.map(\.name)
        let unranged = types.map(\.name).filter { !ranged.contains($0) }
        var rules = types.filter { $0.name != "choice" }.flatMap { name, kind in
            [
                rule(ofType: JSONValue(.string(name)), value(kind)),
                rule(ofType: strings([name]), object([("type", "array"), ("items", value(kind))])),
            ]
        }
        rules.append(
            object([
                (
                    "if",
                    object([("properties", object([("type", object([("enum", strings(unranged))]))])), ("required", ["type"])])
                ),
                ("then", ["properties": ["minimum": false, "maximum": false]]),
            ]))
        rules.append([
            "if": ["properties": ["type": ["const": "choice"]], "required": ["type"]], "then": ["required": ["choices"]],
        ])
        let type = object([("enum", strings(types.map(\.name)))])
        return object([
            ("type", "object"), ("description", "what can be set from outside"),
            ("propertyNames", ["not": ["enum": ["effect", "input", "when"]], "pattern": "^(_?[a-zA-Z][a-zA-Z0-9_-]*|x-.*)$"]),
            ("patternProperties", ["^x-": true]),
            (
                "additionalProperties",
                object([
                    ("type", "object"), ("required", ["type"]),
                    (
                        "properties",
                        object([
                            (
                                "type",
                                object([
                                    (
                                        "anyOf",
                                        JSONValue(
                                            .array([
                                                type,
                                                object([("type", "array"), ("minItems", 1), ("maxItems", 1), ("items", type)]),
                                            ]))
                                    )
                                ])
                            ),
                            ("default", true), ("choices", ["type": ["array", "object"], "minItems": 1, "minProperties": 1]),
                            ("minimum", ["type": "number"]), ("maximum", ["type": "number"]), ("title", ["type": "string"]),
                            ("description", ["type": "string"]),
                        ])
                    ),
                    ("patternProperties", ["^x-": true]), ("additionalProperties", false), ("allOf", JSONValue(.array(rules))),
                ])
            ),
        ])
    }()

    /// A default has to be what its parameter's type says; absent, or another parameter.
    private static func rule(ofType type: JSONValue, _ value: JSONValue) -> JSONValue {
        object([
            (
                "if",
                object([
                    ("properties", object([("type", object([("const", type)]))])), ("required", ["type"]),
                    ("not", ["required": ["choices"]]),
                ])
            ),
            (
                "then",
                object([
                    (
                        "properties",
                        object([
                            ("default", object([("anyOf", JSONValue(.array([value, ["type": "null"]])))]))
                        ])
                    )
                ])
            ),
        ])
    }

    /// What may stand where a value of a kind is wanted.
    static func value(_ kind: Kind) -> JSONValue {
        object([
            (
                "anyOf",
                JSONValue(
                    .array(alternatives(kind, nil) + [["$ref": "#/$defs/parameterReference"], ["$ref": "#/$defs/template"]]))
            )
        ])
    }

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
        // Inputs depend on the place: see `first` and `step`.
        let required = ["effect"] + declaration.parameters.filter(\.declaration.isRequired).map(\.declaration.name)
        writeObject(to: &writer, description: declaration.summary, properties: properties, required: required)
    }

    static func input(_ input: Input) -> JSONValue {
        let description = JSONValue(.string(input.doc))
        switch input.form {
        case .one, .optional: return object([("$ref", "#/$defs/node"), ("description", description)])
        case .many:
            return object([
                ("type", "array"), ("minItems", 1), ("items", ["$ref": "#/$defs/node"]), ("description", description),
            ])
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
                ("type", "array"), ("minItems", 1),
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
}

extension Input {
    /// Whether a node needs something there.
    fileprivate var isRequired: Bool { if case .optional = form { false } else { true } }

    fileprivate var isList: Bool {
        switch form {
        case .one, .optional: false
        case .many, .entries: true
        }
    }
}
