import CLinux
import Diagnostics
import Glibc
import LabelpipeDrawing
public import LabelpipeEngine
public import LabelpipeKit
import Outline
import Vips

/// What holds for every effect, whoever wrote it.
public enum Law: String, CaseIterable, Sendable {
    /// Its example is valid, uses it, is small, and shows something.
    case example
    /// Nothing is visible outside `reach`.
    case reach
    /// With settings that mean "nothing", an effect gives its input, bit for bit.
    case identity
    /// Inputs that are moved by whole px give the same picture, moved; or the same picture, where it has a place of its own.
    case movement
    /// A part that is drawn by itself is the part of the whole.
    case crop
    /// Many threads draw what one draws.
    case threads
    /// Transparent inputs give a transparent picture.
    case transparency
    /// Defaults are accepted, and both ends of a range, which can be drawn; what is one step beyond is refused where it stands.
    case ranges
    /// Drawing again and again keeps nothing. Says something only in a process that does nothing else meanwhile.
    case leaks

    /// What an effect that breaks it does.
    private var offence: String {
        switch self {
        case .example: "the example does not show it"
        case .reach: "draws outside the reach it declares"
        case .identity: "settings that mean nothing change the picture"
        case .movement: "an input moved by (13, -7) gives another picture, not the same moved"
        case .crop: "a part drawn by itself is not that part of the whole"
        case .threads: "many threads draw another picture than one: a pixel callback is not re-entrant"
        case .transparency: "a transparent input gives something visible"
        case .ranges: "does not keep to the ranges it declares"
        case .leaks: "keeps what it should give back"
        }
    }

    /// What the nodes of one effect say to the law.
    public struct Verdict: Sendable {
        /// Nodes, or parameters, that the law says something about.
        public var checked = 0
        public var violations: [Violation] = []

        public init() {}
    }

    public struct Violation: Sendable, CustomStringConvertible {
        /// The node.
        public let subject: String
        public let text: String

        public init(subject: String, text: String) { (self.subject, self.text) = (subject, text) }

        public var description: String { "\(subject): \(text)" }
    }

    /// - Parameters:
    ///   - subjects: nodes of the effect.
    ///   - folder: what the example's paths are beside.
    ///   - patience: how long chance is given to break the law of threads; zero: one drawing.
    public func verdict(
        of effect: EffectDeclaration, on subjects: [Subject], _ registry: Registry, folder: String = ".",
        patience: Duration = .zero
    ) -> Verdict {
        var verdict = Verdict()
        /// Throws `NotApplicable` where the law says nothing; nil: it holds.
        func judge(_ name: String, _ violation: () throws -> String?) {
            do {
                let found = try violation()
                verdict.checked += 1
                if let found { verdict.violations.append(Violation(subject: name, text: "\(offence): \(found)")) }
            } catch is NotApplicable {
            } catch {
                verdict.checked += 1
                verdict.violations.append(Violation(subject: name, text: Law.words(error)))
            }
        }
        switch self {
        case .example: judge(effect.id) { try example(effect, registry, folder) }
        case .ranges:
            for parameter in effect.parameters.map(\.declaration) where !subjects.isEmpty {
                judge("\(effect.id), \(parameter.name)") {
                    range(of: parameter, subjects, registry).map { "\(parameter.name): \($0)" }
                }
            }
        default:
            for subject in subjects { judge("\(subject)") { try violation(by: subject, registry, patience) } }
        }
        return verdict
    }

    private func violation(by subject: Subject, _ registry: Registry, _ patience: Duration) throws -> String? {
        switch self {
        case .reach: try reach(subject, registry)
        case .identity: try identity(subject, registry)
        case .movement: try movement(subject, registry)
        case .crop: try crop(subject, registry)
        case .threads: try threads(subject, registry, patience)
        case .transparency: try transparency(subject, registry)
        case .leaks: try leaks(subject, registry)
        case .example, .ranges: nil
        }
    }

    struct NotApplicable: Error {}

    /// An error as a user of the effect would read it.
    static func words(_ error: any Error) -> String {
        switch error {
        case let findings as Diagnostics: findings.render()
        case let failure as Executor.Failure:
            (failure.underlying as? DrawingError)?.message ?? Law.words(failure.underlying)
        case let finding as Diagnostic: (finding.pointer.map { "\($0): " } ?? "") + finding.message
        default: "\(error)"
        }
    }

    // MARK: Looking

    /// What is seen of a layer on its plane.
    static func seen(_ layer: Layer, _ box: Region) throws -> Pixels { try Pixels(layer.image(in: box)) }

    static func box(_ layer: Layer) -> Region { layer.frame.roundedOut.union(layer.reach) }

    /// The first pixel that differs by more than `tolerance` levels.
    static func difference(_ a: Pixels, _ b: Pixels, tolerance: Int = 0) -> String? {
        if (a.width, a.height) != (b.width, b.height) { return "\(a.width) × \(a.height) px, not \(b.width) × \(b.height)" }
        let (a, b) = (a.rgba, b.rgba)
        for i in 0..<a.width * a.height {
            let alphas = (Int(a.samples[i * 4 + 3]), Int(b.samples[i * 4 + 3]))
            // What nobody sees has no colour.
            if alphas == (0, 0) { continue }
            for band in 0..<4 {
                var d = abs(Int(a.samples[i * 4 + band]) - Int(b.samples[i * 4 + band]))
                // With a tolerance, what is seen counts: a faint pixel's colour is a quotient of two small numbers.
                if tolerance > 0, band < 3 { d = d * max(alphas.0, alphas.1) / 255 }
                if d > tolerance {
                    let (x, y) = (i % a.width, i / a.width)
                    return "(\(x), \(y)) is \(a[x, y]), not \(b[x, y])"
                }
            }
        }
        return nil
    }

    // MARK: Example

    private func example(_ effect: EffectDeclaration, _ registry: Registry, _ folder: String) throws -> String? {
        let document = LawDocument(exampleOf: effect, folder: folder)
        guard try Subject.all(in: [document], registry)[effect.id] != nil else { return "it does not use the effect" }
        let layer = try document.layer(registry)
        let box = Law.box(layer)
        guard box.width <= 256, box.height <= 256 else { return "it is \(box.width) × \(box.height) px; at most 256 × 256" }
        guard !box.isEmpty else { return "it is empty" }
        let pixels = try Law.seen(layer, box).rgba
        return (0..<pixels.width * pixels.height).contains { pixels.samples[$0 * 4 + 3] != 0 } ? nil : "it is invisible"
    }

    // MARK: Leaks

    private static var openDescriptors: Set<Int32> { Set((0..<4096).filter { fcntl($0, F_GETFD) >= 0 }) }

    private func leaks(_ subject: Subject, _ registry: Registry) throws -> String? {
        func draw() throws {
            let layer = try subject.layer(registry)
            let box = Law.box(layer)
            if !box.isEmpty { _ = try layer.image(in: box).writeToMemory() }
        }
        // What malloc keeps for itself would look like a leak: where it has been told to keep nothing, bytes are counted.
        let countsBytes = getenv("GLIBC_TUNABLES").map { String(cString: $0).contains("tcache_count=0") } ?? false
        let first = Law.openDescriptors
        // What is made once, for all that come later, is no leak, and allocators take their time: what every round leaves is.
        for _ in 0..<10 { try draw() }
        let open = Law.openDescriptors
        var (allObjects, allBytes): ([Int], [Int]) = ([], [])
        // The middle one of the rounds: what is made or let go once changes nothing.
        func middle(_ rounds: [Int]) -> Int { rounds.sorted()[rounds.count / 2] }
        repeat {
            let before = (VipsRuntime.liveObjectCount, Int(lp_held_bytes()))
            for _ in 0..<25 { try draw() }
            allObjects.append(VipsRuntime.liveObjectCount - before.0)
            allBytes.append(Int(lp_held_bytes()) - before.1)
        } while allObjects.count < 5
            || (allObjects.count < 21 && (middle(allObjects) >= 12 || countsBytes && middle(allBytes) > 25 * 128))
        let (objects, bytes) = (middle(allObjects), middle(allBytes))
        let now = Law.openDescriptors
        let closed = first.subtracting(now).count
        if closed > 0 { return "\(closed) descriptors are closed that are not its own" }
        let opened = now.subtracting(open).count
        if opened >= 25 { return "\(25 * allObjects.count) drawings leave \(opened) descriptors open" }
        if objects >= 12 { return "25 drawings leave \(objects) libvips objects behind: a reference is not given back" }
        if countsBytes, bytes > 25 * 128 { return "25 drawings leave \(bytes) bytes behind" }
        return nil
    }
}
