/// One kind of effect as a registry lists it: a Swift type, or something that is known only when the program runs.
public struct EffectKind: Sendable {
    /// Applies one node to the layers that reach it.
    public typealias Application = @Sendable (Inputs, Context) throws -> Layer

    public let declaration: EffectDeclaration
    /// The file that its code is in; nil: the program itself.
    public let file: String?
    /// Makes a node of checked arguments. **Errors**: only relations between parameters.
    public let make: @Sendable (Arguments) throws -> Application

    public init(
        _ declaration: EffectDeclaration, file: String? = nil,
        make: @escaping @Sendable (Arguments) throws -> Application
    ) {
        (self.declaration, self.file, self.make) = (declaration, file, make)
    }

    public init(_ effect: any Effect.Type) {
        self.init(effect.declaration) { arguments in
            let made = try effect.init(arguments)
            return { inputs, context in try made.apply(to: inputs, in: context) }
        }
    }
}

/// Effects that are declared only when somebody names one: too many to list, or dear to ask for.
public struct EffectFamily: Sendable {
    /// What the ids begin with, without the dot: `vips`.
    public let name: String
    /// One line on all of them.
    public let summary: String
    /// **Errors**: what the effects come from cannot be asked.
    public let ids: @Sendable () throws -> [String]
    /// nil: there is no such effect. **Errors**: as `ids`.
    public let effect: @Sendable (_ id: String) throws -> EffectKind?

    public init(
        name: String, summary: String, ids: @escaping @Sendable () throws -> [String],
        effect: @escaping @Sendable (_ id: String) throws -> EffectKind?
    ) {
        (self.name, self.summary, self.ids, self.effect) = (name, summary, ids, effect)
    }
}

/// A module of effects.
public struct Plugin: Sendable {
    /// Reverse-DNS, names the owner in messages.
    public let id: String
    public let effects: [EffectKind]
    public let family: EffectFamily?

    public init(id: String, effects: [any Effect.Type]) { self.init(id: id, kinds: effects.map { EffectKind($0) }) }

    public init(id: String, kinds: [EffectKind], family: EffectFamily? = nil) {
        (self.id, self.effects, self.family) = (id, kinds, family)
    }
}
