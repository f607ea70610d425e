import Diagnostics
import LabelpipeEngine
import LabelpipeKit
import LabelpipeWorker

/// What the supervisor has to know of a document: everything but how it looks.
package struct BatchDocument: Sendable {
    /// One of `outputs`.
    package struct Output: Sendable {
        /// For messages: `/output`, `/outputs/1`.
        package var pointer: JSONPointer
        /// Its path; nil: the input's own tree and name.
        package var path: (any PathPattern)?
        /// Its key `format`.
        package var format: String?

        package init(pointer: JSONPointer, path: (any PathPattern)? = nil, format: String? = nil) {
            self.pointer = pointer
            self.path = path
            self.format = format
        }
    }

    /// Whether it has an `image.source`.
    package var takesInput: Bool
    package var outputs: [Output]
    package var title: String?
    /// The fields that its templates ask for.
    package var fields: [String] = []
    /// The files that it names, logos and fonts.
    package var files: [String] = []
    /// Its parameters' defaults as a user would write them; of paths none, which mean other files there.
    package var defaults: [String: String] = [:]
    package var parameters: Set<String> = []
    /// Whether texts may be drawn, with fonts that the machine chooses.
    package var drawsText = false
    /// Whether something may draw with fonts and does not say with which.
    package var hasForeignNodes = false
    /// The documents that it uses, as they were read.
    package var documents: [(file: String, bytes: [UInt8])] = []
    /// Whether parameters have no value yet, which rows give them.
    var isOpen = false
    /// The document as a row sets its parameters; nil: rows set none.
    ///
    /// **Errors.** A cell that its parameter does not take.
    package var perRow: (@Sendable ([(name: String, text: String)]) throws(Diagnostics) -> BatchDocument)?

    package init(takesInput: Bool, outputs: [Output]) {
        self.takesInput = takesInput
        self.outputs = outputs
    }

    /// Of a plan, for pictures without a row of their own.
    package init(_ plan: Plan) {
        takesInput = plan.takesInput
        outputs = (0..<plan.outputCount).map { index in
            let path = plan.path(of: index)
            let pointer: JSONPointer = plan.outputCount == 1 ? "/output" : JSONPointer.root.appending("outputs").appending(index)
            return Output(pointer: pointer, path: path, format: path.format)
        }
        title = plan.title
        fields = plan.fields
        files = plan.files
        (parameters, defaults) = plan.parameterDefaults
        drawsText = !plan.textNodes.isEmpty
        hasForeignNodes = plan.hasForeignNodes
        isOpen = plan.isOpen
    }
}

/// The path of an output before a picture's fields are filled in.
package protocol PathPattern: Sendable {
    /// The fields it asks for that are no parameters.
    var fields: [String] { get }
    /// Whether it is the default, the input's own tree and name.
    var isOwnName: Bool { get }

    /// **Errors.** `Template.MissingField`.
    func text(missing: Template.Missing, _ lookup: @escaping (String) throws -> FieldValue?) throws -> String
}

extension LabelpipeEngine.OutputPath: PathPattern {
    package var isOwnName: Bool {
        fields == ["relative", "name"] && (try? text(missing: .empty) { .text($0) }) == "relative/name"
    }
}

extension Template: PathPattern {
    package var isOwnName: Bool { false }

    package func text(missing: Missing, _ lookup: @escaping (String) throws -> FieldValue?) throws -> String {
        try filled(missing: missing, lookup)
    }
}
