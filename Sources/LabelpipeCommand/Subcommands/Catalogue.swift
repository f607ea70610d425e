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

    static let schema: Subcommand = Subcommand(
        name: "schema", summary: "JSON Schema of documents, for editors", arguments: "",
        examples: ["> labelpipe.schema.json"], flags: []
    ) { _, session throws(Stop) in
        session.output.write(Catalogue(try session.registry()).schema())
        return .done
    }
}
