import Diagnostics
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker

extension Subcommand {
    static let completions: Subcommand = Subcommand(
        name: "completions", summary: "what a shell completes command lines with", arguments: "bash│zsh│fish",
        examples: [
            "bash > ~/.local/share/bash-completion/completions/labelpipe",
            "fish > ~/.config/fish/completions/labelpipe.fish",
        ],
        flags: [.plugin], operands: .words(Shell.allCases.map(\.rawValue)),
        notes: [
            "zsh: into a file _labelpipe in a folder of $fpath.",
            "The scripts ask: completions effects │ parameters EFFECT │ settings PIPELINE.",
        ]
    ) { parsed, session throws(Stop) in
        let words = parsed.positional.map(\.description)
        switch (words.first, words.count) {
        case (let name?, 1) where Shell(rawValue: name) != nil:
            session.output.write(Shell(rawValue: name)?.script ?? "")
        case ("effects", 1):
            for effect in Catalogue(try session.registry(parsed)).summaries { session.answer(effect.id, effect.summary) }
        case ("parameters", 2):
            let catalogue = Catalogue(try session.registry(parsed))
            for key in try told({ () throws(Diagnostic) in try catalogue.keys(of: words[1]) }) ?? [] {
                session.answer(key.name, key.doc)
            }
        case ("settings", 2):
            // While somebody types, a document that is wrong has no parameters, and that is all.
            guard let source = try? DocumentSource(reading: parsed.positional[1]),
                let pipeline = try? source.pipeline(try session.registry(parsed))
            else { return .done }
            for parameter in pipeline.parameters where !parameter.name.hasPrefix("_") {
                session.answer(parameter.name + "=", parameter.doc.isEmpty ? parameter.expectation : parameter.doc)
            }
        default:
            let shells = Shell.allCases.map(\.rawValue)
            let meant = words.first.flatMap { Suggestions.nearest(to: $0, in: shells) }
            throw Stop(
                UsageError(
                    "expected bash, zsh or fish\(words.first.map { ", got \"\($0)\"" } ?? "")",
                    help: meant.map { ["did you mean \"\($0)\"?"] } ?? []), of: .completions)
        }
        return .done
    }
}

extension Session {
    /// A word and what it means, as the completion scripts read it.
    fileprivate func answer(_ word: String, _ meaning: String) {
        output.line(word + "\t" + meaning.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
}

/// A shell whose completions are made from the declarations.
enum Shell: String, CaseIterable {
    case bash
    case zsh
    case fish

    var script: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }
}
