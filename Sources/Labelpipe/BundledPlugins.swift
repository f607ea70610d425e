import FillPlugin
import ImagePlugin
@_exported public import LabelpipeEngine
@_exported public import LabelpipeKit
import LayoutPlugin
import ShadowPlugin
import ShapePlugin
import StrokePlugin
import TextPlugin
import VipsOperationsPlugin

/// The plugins that every labelpipe has, in the order in which their effects are listed.
public let bundledPlugins: [Plugin] = [
    imagePlugin, textPlugin, shapePlugin, fillPlugin, strokePlugin, shadowPlugin, layoutPlugin,
    vipsOperationsPlugin,
]

extension Registry {
    /// The bundled effects, and those of other plugins.
    ///
    /// **Errors**: an id that two plugins claim, naming both.
    public static func bundled(and plugins: [Plugin] = []) throws -> Registry { try Registry(bundledPlugins + plugins) }
}
