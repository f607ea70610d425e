/// Fonts as Debian installs them.
public enum Fonts {
    private static let folders = [
        "/usr/share/fonts/truetype/inter-vf", "/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/truetype/liberation",
        "/usr/share/fonts/truetype/noto", "/usr/share/fonts/truetype/droid", "/usr/share/fonts/opentype/inter",
    ]

    /// The path of an installed font file; nil where its package is not there.
    public static func file(named name: String) -> String? {
        for folder in folders where names(in: folder).contains(name) { return folder + "/" + name }
        return nil
    }
}
