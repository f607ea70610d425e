/// What things are called elsewhere: in CSS, UIKit and its label classes, ImageMagick, other languages' type names.
///
/// A name that is one letter off is found by its spelling; this is for those that only mean the same.
enum Synonyms {
    /// The candidates that a name may mean, the likeliest first; names as `Suggestions` folds them.
    static let meanings: [[UInt32]: [String]] = {
        var table: [[UInt32]: [String]] = [:]
        for (meant, names) in declared {
            for name in names { table[Suggestions.folded(name), default: []].append(meant) }
        }
        return table
    }()

    private static let declared: [(meant: String, names: [String])] = [
        // Parameters of effects.
        ("size", ["fontSize", "textSize", "pointSize", "dimensions", "px"]),
        ("font", ["fontFamily", "fontName", "typeface", "family", "face"]),
        ("fontFile", ["fontPath", "fontUrl", "ttf"]),
        ("weight", ["fontWeight", "bold"]),
        ("text", ["string", "label", "content", "caption", "value", "title", "message"]),
        ("align", ["textAlign", "textAlignment", "justify", "alignment"]),
        ("anchor", ["gravity", "position", "corner", "alignment", "align", "textAlign", "location", "place"]),
        ("insets", ["margin", "margins", "padding", "textInsets", "edgeInsets", "inset", "border", "distance"]),
        ("offset", ["shadowOffset", "translate", "shift", "dx", "dy", "move", "delta", "position"]),
        ("blur", ["shadowBlur", "blurRadius", "shadowRadius", "radius", "sigma", "softness"]),
        ("width", ["strokeWidth", "strokeSize", "lineWidth", "thickness", "strokeThickness", "borderWidth", "size"]),
        (
            "color",
            [
                "colour", "textColor", "fontColor", "fill", "fillColor", "strokeColor", "shadowColor", "borderColor",
                "foreground",
                "foregroundColor", "background", "backgroundColor", "paint", "tint",
            ]
        ),
        ("colors", ["gradientColors", "colours", "color", "palette"]),
        ("stops", ["locations", "gradientLocations", "positions"]),
        ("start", ["gradientStartPoint", "startPoint", "from"]),
        ("end", ["gradientEndPoint", "endPoint", "to"]),
        ("angle", ["rotation", "rotate", "degrees", "rotationAngle", "direction"]),
        ("opacity", ["alpha", "transparency", "dissolve"]),
        ("blend", ["blendMode", "mixBlendMode", "compose", "composite"]),
        ("radius", ["cornerRadius", "borderRadius", "rounded"]),
        ("path", ["src", "file", "url", "filename", "image", "source", "href"]),
        ("by", ["factor", "scale", "amount"]),
        ("gap", ["spacing", "space", "tileSpacing"]),
        ("letterSpacing", ["kern", "tracking", "characterSpacing", "letterspace"]),
        ("lineSpacing", ["leading", "interlineSpacing"]),
        ("wrapWidth", ["maxWidth", "lineWidth", "preferredMaxLayoutWidth"]),
        ("fitWidth", ["adjustsFontSizeToFitWidth", "maxWidth", "shrinkToFit"]),
        ("minimumSize", ["minimumFontSize", "minimumScaleFactor", "minSize", "minFontSize"]),
        ("maximumSize", ["maximumFontSize", "maxSize", "maxFontSize"]),
        ("maxLines", ["numberOfLines", "lines", "lineClamp"]),
        ("overflow", ["lineBreakMode", "textOverflow", "truncation", "ellipsis"]),
        ("layers", ["children", "items", "elements"]),
        ("label", ["layer", "overlay", "watermark", "content", "child"]),
        ("base", ["background", "picture", "photo"]),
        ("default", ["value", "initial", "defaultValue"]),
        ("minimum", ["min"]),
        ("maximum", ["max"]),
        ("description", ["doc", "help", "comment"]),
        ("choices", ["enum", "values", "options"]),
        // Types of parameters.
        ("string", ["text", "str"]),
        ("integer", ["int", "whole"]),
        ("number", ["float", "double", "decimal"]),
        ("boolean", ["bool", "flag", "switch"]),
        ("length", ["px", "size", "distance", "dimension"]),
        ("path", ["filepath"]),
        ("choice", ["enum", "option", "select"]),
        ("angle", ["degree"]),
        ("insets", ["margin", "padding"]),
        // Effects.
        ("text.mask", ["text.draw", "text.label", "label", "caption"]),
        ("image.load", ["logo", "image.file", "image.open", "image.overlay"]),
        ("fill.solid", ["color", "fill", "fill.color", "fill.colour"]),
        ("stroke.outline", ["stroke", "border", "text.stroke"]),
        ("shadow.drop", ["shadow", "dropshadow", "text.shadow"]),
        ("layout.place", ["watermark", "overlay", "composite", "image.composite", "image.overlay"]),
        ("layout.tile", ["tile", "repeat", "pattern"]),
        ("layout.inset", ["padding", "margin"]),
        ("image.source", ["input", "source", "image.input"]),
        // Anchors.
        ("center", ["middle", "centre", "centered"]),
        ("top-left", ["northwest", "upper-left", "topleading", "left-top"]),
        ("top", ["north", "upper", "top-center", "top-middle", "top-centre"]),
        ("top-right", ["northeast", "upper-right", "toptrailing", "right-top"]),
        ("left", ["west", "center-left", "middle-left", "leading"]),
        ("right", ["east", "center-right", "middle-right", "trailing"]),
        ("bottom-left", ["southwest", "lower-left", "bottomleading", "left-bottom"]),
        ("bottom", ["south", "lower", "bottom-center", "bottom-middle", "bottom-centre"]),
        ("bottom-right", ["southeast", "lower-right", "bottomtrailing", "right-bottom"]),
        // Formats and fields.
        ("jpeg", ["jpg"]),
        ("tiff", ["tif"]),
        ("stem", ["basename", "filename"]),
        ("name", ["filename", "file"]),
        ("ext", ["extension", "suffix"]),
        ("index", ["number", "counter", "nr", "n", "i"]),
        ("count", ["total"]),
        ("folder", ["dir", "directory"]),
        ("relative", ["path", "relpath", "subfolder", "tree"]),
        ("date", ["today", "now", "time", "year", "datetime"]),
        ("exif.ISOSpeedRatings", ["exif.ISO", "exif.ISOSpeed"]),
        ("exif.FNumber", ["exif.Aperture", "exif.FStop"]),
        ("exif.ExposureTime", ["exif.ShutterSpeed", "exif.Exposure", "exif.Shutter"]),
        ("exif.DateTimeOriginal", ["exif.Date", "exif.CreateDate", "exif.DateTaken", "exif.DateCreated"]),
        ("exif.Model", ["exif.Camera", "exif.CameraModel"]),
        ("exif.LensModel", ["exif.Lens", "exif.LensName"]),
        ("exif.Artist", ["exif.Author", "exif.Photographer", "exif.Creator", "exif.Owner"]),
        ("exif.ImageDescription", ["exif.Description", "exif.Caption", "exif.Title"]),
        // Flags and commands.
        ("output", ["out", "dest", "destination", "target", "outdir"]),
        ("overwrite", ["force", "replace", "clobber"]),
        ("jobs", ["threads", "parallel", "workers", "processes"]),
        ("recursive", ["subfolders", "subdirs"]),
        ("set", ["param", "parameter", "define", "var"]),
        ("rows", ["csv", "table", "data"]),
        ("run", ["apply", "render", "draw", "process", "convert", "mark", "watermark"]),
        ("check", ["validate", "lint", "test"]),
        ("preview", ["show", "view", "serve"]),
        ("describe", ["info", "explain", "effect"]),
        ("effects", ["list"]),
        ("verify", ["compare", "diff"]),
        ("doctor", ["diagnose", "version"]),
    ]
}
