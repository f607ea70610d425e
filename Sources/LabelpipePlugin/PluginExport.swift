@_exported public import CLabelpipePlugin
@_exported import Diagnostics
public import LabelpipeKit
@_exported import LabelpipeKit
@_exported import Outline
@_exported import Vips

/// A plugin of effects written in Swift, as other languages see it: one line exports it.
///
/// ```swift
/// private let exported = PluginExport(Plugin(id: "org.example.neon", effects: [Neon.self]), version: "1.0", licence: "MIT")
/// @c @implementation public func labelpipe_plugin() -> UnsafePointer<lp_plugin>? { exported.table }
/// ```
///
/// The effects are the same `Effect` types as bundled ones. What reaches them has crossed the border: layers of text and
/// shapes have their outline, everything else is a picture; what they give is drawn, lazily, when somebody looks.
/// Parameters of the kinds paint, numbers, templates and either, and list inputs with keys of their own, do not cross: a
/// plugin with one is refused, and the user is told why.
//
// @unchecked Sendable: the table is made once and never changed.
public final class PluginExport: @unchecked Sendable {
    public let table: UnsafePointer<lp_plugin>
    /// By the place of its entry in the table.
    private let kinds: [UnsafePointer<lp_effect>: EffectKind]

    public init(_ plugin: Plugin, version: String, licence: String) {
        var kinds: [UnsafePointer<lp_effect>: EffectKind] = [:]
        var entries: [UnsafePointer<lp_effect>?] = []
        var fault: String?
        for kind in plugin.effects {
            do throws(CannotCross) {
                let entry = try ExportedEffect.entry(kind.declaration)
                kinds[entry] = kind
                entries.append(entry)
            } catch {
                fault = fault ?? error.reason
            }
        }
        let table = lp_plugin(
            size: UInt32(MemoryLayout<lp_plugin>.size), abi: Self.abi, effect_count: UInt32(entries.count), reserved: 0,
            id: Forever.text(plugin.id), version: Forever.text(version), licence: Forever.text(licence),
            effects: UnsafePointer(Forever.copy(entries)), fault: fault.map { Forever.text($0) })
        self.table = UnsafePointer(Forever.copy([table]))
        self.kinds = kinds
        ExportedCall.register(kinds)
    }

    /// The ABI that this was built for. (The macro does not import.)
    static let abi = UInt32(LABELPIPE_ABI_MAJOR) << 16 | UInt32(LABELPIPE_ABI_MINOR)
}

/// Memory that is never given back: a plugin's table lives as long as the process.
enum Forever {
    static func copy<Element>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
        let block = UnsafeMutablePointer<Element>.allocate(capacity: max(elements.count, 1))
        block.initialize(from: elements, count: elements.count)
        return block
    }

    static func text(_ text: String) -> UnsafePointer<CChar> { UnsafePointer(copy(Array(text.utf8CString))) }
}
