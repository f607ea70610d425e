import LabelpipeKit

extension Catalogue {
    /// `Documentation/effects.md`, between its marks: each effect with its picture, its keys and its example.
    ///
    /// Whole libraries of operations, `vips.*`, are left to `describe`.
    public func guide() -> String {
        var text = ""
        var family = ""
        for entry in registry.all where !entry.declaration.id.hasPrefix("vips.") {
            let d = entry.declaration
            let own = String(d.id.prefix { $0 != "." })
            if own != family { text += "\n## \(own)\n" }
            family = own
            text += "\n### `\(d.id)`\n\n\(d.summary)\n\n![](pictures/\(d.id).png)\n"
            text += keys(of: d)
            text += "\n```json\n\(d.example)\n```\n"
        }
        return text + "\n"
    }

    private func keys(of declaration: EffectDeclaration) -> String {
        var rows = declaration.inputs.map { input in
            "| *\(input.name)* | \(cell(input.doc)) | \(cell(input.phrase)) | |\n"
        }
        rows += declaration.parameters.map(\.declaration).map { p in
            "| `\(p.name)`\(p.isRequired ? " ●" : "") | \(cell(p.doc)) | \(cell(p.expectation)) | \(p.defaultText.map { "`\($0)`" } ?? "") |\n"
        }
        if rows.isEmpty { return "" }
        return "\n| key | what it is | values | default |\n|---|---|---|---|\n" + rows.joined()
    }

    private func cell(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
