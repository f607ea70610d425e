import Glibc
import TestSupport
import Testing

/// The Debian package, unpacked beside the system: what is in it, and that it works from there.
@Suite("Scripts/package") struct PackageTests {
    /// What is packed is looked at, not how small it is.
    private static let quickly = "DPKG_DEB_COMPRESSOR_TYPE=gzip DPKG_DEB_COMPRESSOR_LEVEL=1"

    @Test("program, manual page, completions and recipes, with what they need")
    func package() throws {
        let bench = Workbench()
        let made = bench.run("\(Self.quickly) LABELPIPE='\(Workbench.program)' '\(Workbench.root)/Scripts/package' .")
        try #require(made.code == 0, "\(made.printed)")
        let unpacked = bench.run(
            "mv labelpipe_*.deb l.deb; dpkg-deb -x l.deb root; dpkg-deb -e l.deb control; cd root; md5sum --quiet -c ../control/md5sums"
        )
        #expect(unpacked == (0, ""))
        let files = bench.files(in: "root")
        for file in [
            "usr/bin/labelpipe", "usr/share/man/man1/labelpipe.1.gz", "usr/share/bash-completion/completions/labelpipe",
            "usr/share/zsh/vendor-completions/_labelpipe", "usr/share/fish/vendor_completions.d/labelpipe.fish",
            "usr/share/labelpipe/labelpipe.schema.json", "usr/share/labelpipe/pipelines/watermark.json",
            "usr/share/labelpipe/pipelines/components/token.json", "usr/share/labelpipe/pipelines/assets/logo.svg",
            "usr/share/doc/labelpipe/copyright", "usr/share/doc/labelpipe/first-steps.md.gz",
        ] {
            #expect(files.contains(file), "\(file) is not in the package")
        }
        let header = names(in: "\(Workbench.root)/Sources/CLabelpipePlugin/include").contains("labelpipe_plugin.h")
        #expect(files.contains("usr/include/labelpipe_plugin.h") == header)
        let sums = bench.run("wc -l <control/md5sums").printed
        #expect(sums == "\(files.count)\n", "each file has its sum")
        // Every library that the program is linked with comes from a package it depends on.
        let control = String(decoding: try readFile("\(bench.path)/control/control"), as: UTF8.self)
        for library in ["libvips42", "libpango-1.0-0", "libc6", "libjpeg62-turbo", "fontconfig"] {
            #expect(control.contains(library), "\(control)")
        }
        #expect(control.contains("Version: "))
        let missing = bench.run("ldd root/usr/bin/labelpipe | grep -i 'not found' || true").printed
        #expect(missing == "")
    }

    @Test("an unpacked one finds its recipes, and two of the same sources are the same")
    func works() throws {
        let bench = Workbench()
        let made = bench.run(
            """
            export \(Self.quickly) LABELPIPE='\(Workbench.program)'
            '\(Workbench.root)/Scripts/package' one 2>/dev/null; '\(Workbench.root)/Scripts/package' two 2>/dev/null
            cmp one/*.deb two/*.deb && dpkg-deb -x one/*.deb root
            root/usr/bin/labelpipe describe image.load --render loaded.png
            root/usr/bin/labelpipe run root/usr/share/labelpipe/pipelines/tags.json root/usr/share/labelpipe/pipelines/assets/morning.jpg --output tags.jpg --quiet
            gzip -dc root/usr/share/man/man1/labelpipe.1.gz | cmp - <(labelpipe man)
            """)
        #expect(made == (0, ""), "\(made.printed)")
        #expect(bench.files(in: ".").contains("loaded.png") && bench.files(in: ".").contains("tags.jpg"))
    }
}
