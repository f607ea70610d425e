import Diagnostics
import LabelpipeDrawing
import LabelpipeEngine
import LabelpipeKit
import LabelpipePluginHost
import Outline
import Vips

/// One effect of a plugin, with its example: what trials are made on.
struct TrialSubject {
    let declaration: EffectDeclaration
    let registry: Registry
    /// The example's steps, and which of them is the effect.
    let steps: [JSONValue]
    let place: Int?

    struct Failure: Error {
        let text: String
    }

    init(file: String, effect: String, plugins: [Plugin]) throws {
        try VipsRuntime.start(concurrency: 1)
        let loaded: LoadedPlugin
        do { loaded = try LoadedPlugin.load(file) } catch { throw Failure(text: error.message) }
        let foreign = ForeignPlugin(file: file, facts: loaded.facts).plugin(Silent())
        do {
            registry = try Registry(plugins + [trialPlugin, foreign])
        } catch let finding as Diagnostic {
            throw Failure(text: finding.message)
        }
        guard let entry = registry[effect] else { throw Failure(text: "there is no effect \(effect)") }
        declaration = entry.declaration
        let example: JSONValue
        do { example = try JSONValue.parse(Array(declaration.example.utf8), file: "example") } catch {
            throw Failure(text: "the example is no JSON: \(error.all.first?.message ?? "")")
        }
        steps = example.elements ?? [example]
        place = steps.lastIndex { $0["effect"]?.string == effect }
    }

    private struct Silent: PluginWatcher {
        func enters(_ plugin: ForeignPlugin, _ effect: String, at node: JSONPointer) {}
        func leaves() {}
    }

    // MARK: Changing the example

    /// With a step more before the effect; nil where the effect begins the chain.
    func preceded(by step: JSONValue) -> [JSONValue]? {
        guard let place, place > 0 else { return nil }
        return steps[..<place] + [step] + steps[place...]
    }

    /// With another value for a parameter.
    func setting(_ name: String, _ value: JSONValue) -> [JSONValue]? {
        guard let place, let members = steps[place].members else { return nil }
        var changed = steps
        changed[place] = JSONValue(.object(members.filter { $0.key != name } + [JSONValue.Member(key: name, value: value)]))
        return changed
    }

    // MARK: Drawing it

    func plan(_ steps: [JSONValue]) throws(Diagnostics) -> Plan {
        let output = JSONValue(.array(steps + [["effect": "trial.paint"]]))
        let text = JSONValue(.object([.init(key: "labelpipe", value: 1), .init(key: "output", value: output)])).compact
        return try Pipeline(bytes: Array(text.utf8), name: "example", folder: ".", registry: registry).plan()
    }

    func layer(_ steps: [JSONValue]) throws -> Layer {
        let plan = try plan(steps)
        let picture = Picture(try Self.picture())
        let job = Executor.Job(base: Context.Base(width: Double(picture.width), height: Double(picture.height))) { _ in picture }
        do {
            guard let result = try Executor(plan).run(job).first else { throw Failure(text: "the example has no output") }
            return result.layer
        } catch let failure as Executor.Failure {
            let error = failure.underlying as? DrawingError
            throw Failure(text: error?.message ?? "\(failure.underlying)")
        } catch let finding as Diagnostic {
            throw Failure(text: "\(finding.pointer.map { "\($0): " } ?? "")\(finding.message)")
        }
    }

    /// A picture for examples that draw on one.
    private static func picture() throws -> Image {
        try Image.generated(width: 96, height: 64, bands: 3, format: .uchar, interpretation: .srgb) { pixels in
            for y in 0..<pixels.box.height {
                let row = pixels.row(y, as: UInt8.self)
                for x in 0..<pixels.box.width {
                    row[3 * x] = UInt8(truncatingIfNeeded: (pixels.box.left + x) * 2)
                    row[3 * x + 1] = UInt8(truncatingIfNeeded: (pixels.box.top + y) * 3)
                    row[3 * x + 2] = 90
                }
            }
        }
    }
}

/// What trials put into examples.
private let trialPlugin = Plugin(id: "labelpipe.trials", effects: [TrialShift.self, TrialErase.self, TrialPaint.self])

private struct TrialShift: Effect {
    static let declaration = EffectDeclaration(
        id: "trial.shift", summary: "Moves a layer.", inputs: [Input("input", .either, doc: "what is moved")],
        output: .sameAsInput, parameters: [by], example: "")
    private static let by = Parameter<Vector>.offset("by", doc: "how far")
    private let by: Vector
    init(_ arguments: Arguments) { by = arguments[Self.by] }
    func apply(to inputs: Inputs, in context: Context) -> Layer { inputs.layer.moved(by: by) }
}

private struct TrialErase: Effect {
    static let declaration = EffectDeclaration(
        id: "trial.erase", summary: "Leaves nothing to be seen.", inputs: [Input("input", .either, doc: "what vanishes")],
        output: .sameAsInput, example: "")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        var erased = inputs.layer
        erased.marks = []
        erased.outline = erased.outline.map { _ in .empty }
        return erased
    }
}

/// Outputs take colour: masks are painted.
private struct TrialPaint: Effect {
    static let declaration = EffectDeclaration(
        id: "trial.paint", summary: "Paints masks.", inputs: [Input("input", .either, doc: "what may be a mask")],
        output: .colour, example: "")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        inputs.layer.kind == .coverage ? inputs.layer.painted { _ in .color(.black) } : inputs.layer
    }
}
