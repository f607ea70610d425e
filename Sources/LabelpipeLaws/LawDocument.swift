import Diagnostics
public import LabelpipeEngine
public import LabelpipeKit

/// A document that laws are tried on.
public struct LawDocument: Sendable {
    public let name: String
    public let text: String
    /// What its paths are beside.
    public let folder: String

    public init(name: String, text: String, folder: String) { (self.name, self.text, self.folder) = (name, text, folder) }

    /// What an effect shows itself by.
    public init(exampleOf declaration: EffectDeclaration, folder: String = ".") {
        self.init(name: "example", text: "{ \"labelpipe\": 1, \"output\": \(declaration.example) }", folder: folder)
    }

    /// Drawn on the sample picture, with the same fields every time.
    ///
    /// - Parameter settings: values of its parameters, and of fields of rows (`row.NAME`).
    /// **Errors**: `Diagnostics`, and what drawing throws.
    public func layer(
        _ registry: Registry, settings: [String: String] = [:], output: Int = 0,
        report: @escaping @Sendable (Note) -> Void = { _ in }
    ) throws -> Layer {
        let pipeline = try Pipeline(bytes: Array(text.utf8), name: "\(name).json", folder: folder, registry: registry)
        var parameters = settings
        for key in settings.keys where key.hasPrefix("row.") { parameters[key] = nil }
        let plan = try pipeline.plan(parameters.mapValues { .written($0) })
        let sample = try Sample.photo()
        let job = Executor.Job(
            base: Context.Base(width: Double(sample.width), height: Double(sample.height), resolution: sample.resolution),
            field: { Sample.field($0, settings) }, report: report, source: { page in try Sample.photo(page: page ?? 1) })
        return try Executor(plan).run(job)[output].layer
    }
}
