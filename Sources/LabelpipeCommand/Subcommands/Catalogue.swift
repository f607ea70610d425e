import Diagnostics
import LabelpipeBatch
import LabelpipeEngine

extension Subcommand {
    static let effects: Subcommand = Subcommand(
        name: "effects", summary: "what can be used in a document", arguments: "[FAMILY]", examples: ["", "vips"],
        flags: [.plugin, .format], operands: .words(["vips"])
    ) { parsed, session throws(Stop) in
        let catalogue = Catalogue(try session.registry(parsed))
        guard let family = parsed.positional.first?.description else {
            session.output.write(
                try told { () throws(Diagnostic) in parsed.usesJSON ? try catalogue.listJSON() : try catalogue.list() })
            return .done
        }
        guard parsed.positional.count == 1 else {
            throw Stop(UsageError("expected one family, got \(parsed.positional.count)"), of: .effects)
        }
        guard let members = try told({ () throws(Diagnostic) in try catalogue.members(of: family) }) else {
            throw Stop(.usage, "no effect begins with \"\(family).\"", help: ["labelpipe effects names them all"])
        }
        session.output.write(parsed.usesJSON ? catalogue.listJSON(members) : catalogue.list(members))
        return .done
    }

    static let schema: Subcommand = Subcommand(
        name: "schema", summary: "JSON Schema of documents, for editors", arguments: "",
        examples: ["> labelpipe.schema.json"], flags: [.plugin]
    ) { parsed, session throws(Stop) in
        let catalogue = Catalogue(try session.registry(parsed))
        session.output.write(try told { () throws(Diagnostic) in try catalogue.schema() })
        return .done
    }
}

/// What cannot be asked for its effects is something installed that is missing.
func told<Answer>(_ question: () throws(Diagnostic) -> Answer) throws(Stop) -> Answer {
    do { return try question() } catch {
        throw Stop(.missing, error.message, help: error.help + (error.cause.map { [$0] } ?? []))
    }
}
