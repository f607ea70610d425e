import Testing

@Suite("{page} is the number of the page that it is written on") struct PageNumberTests {
    let scratch = Scratch()

    private func at(_ path: String) -> String { scratch.at(path).description }

    private func vips(_ arguments: String...) {
        #expect(Child(["/usr/bin/env", "vips"] + arguments, output: at("said")).code == 0)
    }

    /// Red, green and blue, row by row.
    private func pixels(_ picture: String) throws -> [UInt8] {
        vips("copy", at(picture), at("picture.ppm"))
        let bytes = try #require(Program.bytes(at("picture.ppm")))
        // Behind a header that tells the time.
        let end = try #require(bytes.indices.first { bytes[$0...].starts(with: "\n255\n".utf8) })
        return Array(bytes[(end + 5)...])
    }

    private func document(_ name: String, _ text: String) -> String {
        scratch.file(
            name,
            """
            {"labelpipe":1,"outputs":[{"lossless":true,"node":[{"effect":"image.source"},{"effect":"layout.place","anchor":"center","label":[
              {"effect":"text.mask","font":"DejaVu Sans","size":24,"text":\(text)},{"effect":"fill.solid","color":"red"}]}]}]}
            """
        ).description
    }

    /// Pages of one size and of unlike ones; spliced ones and ones that are encoded; an animation.
    @Test(arguments: ["alike.tif", "unlike.tif", "alike.webp"]) func pages(_ file: String) throws {
        for (index, height) in [40, 40, file == "unlike.tif" ? 56 : 40].enumerated() {
            Samples.picture(scratch.at("page\(index).png"), width: 64, height: height, seed: index + 1)
        }
        if file == "unlike.tif" {
            #expect(
                Child(
                    [
                        "/usr/bin/python3", "-c",
                        """
                        import sys
                        from PIL import Image
                        pages = [Image.open(name) for name in sys.argv[2:]]
                        pages[0].save(sys.argv[1], save_all=True, append_images=pages[1:])
                        """, at(file),
                    ] + (0..<3).map { at("page\($0).png") }, output: at("said")
                ).code == 0)
        } else {
            let how = file.hasSuffix("webp") ? "[lossless,page-height=40]" : "[page-height=40]"
            vips("arrayjoin", (0..<3).map { at("page\($0).png") }.joined(separator: " "), at(file) + how, "--across", "1")
        }
        let run = Program(["run", document("pages.json", #"{"template":"{page}"}"#), at(file), "-o", at("out/")])
        #expect(run.code == 0, "\(run.errors)")
        for page in 0..<3 {
            let one = Program.run(
                "run", document("one.json", "\"\(page + 1)\""), at("page\(page).png"), "-o", at("one\(page).png"))
            #expect(one.code == 0, "\(one.errors)")
            let wanted = try pixels("one\(page).png")
            #expect(try wanted == pixels("out/\(file)[page=\(page)]"), "\(file), page \(page + 1)")
        }
    }
}
