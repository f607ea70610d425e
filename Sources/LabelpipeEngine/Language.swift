/// The facts of the document language that stand in no declaration.
enum Language {
    static let version = 1
    static let topLevelKeys = ["labelpipe", "title", "description", "parameters", "nodes", "output", "outputs"]
    /// The run's picture; of a document used as an effect its `input`.
    static let source = "image.source"
    /// What lengths are measured by in a document without a source.
    static let canvas = "image.canvas"
    /// What the ids of libvips' own operations begin with.
    static let operations = "vips."
    /// What an effect that gives text calls the text.
    static let text = "text"
    /// What an effect's id ends in where it is another document.
    static let documentSuffix = ".json"

    // MARK: Limits

    static let maximumNodes = 100_000
    /// Documents inside each other.
    static let maximumDocuments = 64
    /// Numbers and lengths in one expression, those of its parameters included.
    static let maximumTerms = 256
    /// Values that one value is made of, by way of parameters.
    static let maximumParts = 10_000
    /// Parameters that stand for each other, and brackets inside each other.
    static let maximumDepth = 64
    /// Marks of one layer.
    static let maximumMarks = 100_000
}
