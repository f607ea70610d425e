/// Documents that are part of the program, so that a first try needs no file.
enum BundledPipelines {
    /// `Pipelines/watermark.json`, embedded when the program is built (`Resources` links to it).
    static var watermark: [UInt8] { PackageResources.watermark_json }

    /// The parameter that `--text` sets.
    static let textParameter = "text"
}
