import LabelpipeBatch
import LabelpipeEngine

extension Subcommand {
    static let effects: Subcommand = Subcommand(
        name: "effects", summary: "what can be used in a document", arguments: "", examples: [""], flags: [.format]
    ) { parsed, session throws(Stop) in
        let catalogue = Catalogue(try session.registry())
        session.output.write(parsed.usesJSON ? catalogue.listJSON() : catalogue.list())
        return .done
    }

    static let describe: Subcommand = Subcommand(
        name: "describe", summary: "one effect: parameters, units, ranges, an example", arguments: "EFFECT",
        examples: ["shadow.drop"], flags: [.format]
    ) { parsed, session throws(Stop) in
        guard parsed.positional.count == 1 else {
            throw Stop(UsageError("expected one effect, got \(parsed.positional.count)"), of: .describe)
        }
        let catalogue = Catalogue(try session.registry())
        let id = parsed.positional[0].description
        guard let page = parsed.usesJSON ? catalogue.describeJSON(id) : catalogue.describe(id) else {
            let meant = catalogue.suggestion(for: id)
            throw Stop(
                .usage, "unknown effect \"\(id)\"",
                help: meant.map { ["did you mean \($0)?"] } ?? ["labelpipe effects names them all"])
        }
        session.output.write(page)
        return .done
    }

    static let schema: Subcommand = Subcommand(
        name: "schema", summary: "JSON Schema of documents, for editors", arguments: "",
        examples: ["> labelpipe.schema.json"], flags: []
    ) { _, session throws(Stop) in
        session.output.write(Catalogue(try session.registry()).schema())
        return .done
    }
}
