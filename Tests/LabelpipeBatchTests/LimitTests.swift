import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

@Suite("What is too much, too long or not good enough, by the real program") struct LimitTests: FlagSuite {
    let scratch = Scratch()

    /// What a program that does nothing is said to need: it begins with the size of the process that starts it. **Units**: bytes.
    private var start: Int { Program.run("--version").peak }

    @Test("--limit-pixels and --limit-frames name the limit, --allow opens a class")
    func limits() {
        pictures("a.jpg", "b.ppm")
        let small = run("\(input)/a.jpg", "--limit-pixels", "1000", "-o", output)
        #expect(small.code == 1)
        #expect(small.errors.contains("--limit-pixels"), "\(small.errors)")
        let blocked = run("\(input)/b.ppm", "-o", "\(output)/b.png")
        #expect(blocked.code == 1)
        #expect(blocked.errors.contains("--allow ppm"), "\(blocked.errors)")
        #expect(run("\(input)/b.ppm", "--allow", "jxl,ppm", "-o", "\(output)/b.png").code == 0)
        #expect(run("\(input)/b.ppm", "--allow", "pmp", "-o", output).errors.contains("did you mean \"ppm\"?"))
        scratch.file("frames.sh", "vips arrayjoin \"$1 $1 $1\" \"$2[page-height=150]\" --across 1")
        Samples.tool(["sh", scratch.at("frames.sh").description, "\(input)/a.jpg", "\(input)/f.gif"])
        let frames = run("\(input)/f.gif", "--limit-frames", "2", "-o", output)
        #expect(frames.code == 1)
        #expect(frames.errors.contains("--limit-frames"), "\(frames.errors)")
    }

    @Test(
        "--limit-pixels holds for what a node makes inside a label, and for what it would have drawn",
        arguments: [
            (#"[50,50]"#, #""vips.embed","x":0,"y":0,"width":1000000,"height":1000000"#, "/output/1/label/2"),
            (#"[50,50]"#, #""vips.zoom","xfac":100000,"yfac":100000"#, "/output/1/label/2"),
            (#"[60000,60000]"#, #""vips.hist_equal""#, "/output/1/label/2"),
        ])
    func bombs(size: String, effect: String, pointer: String) {
        pictures("a.jpg")
        let document = scratch.file(
            "bomb.json",
            #"{"labelpipe":1,"output":[{"effect":"image.source"},{"effect":"layout.place","label":[{"effect":"shape.rectangle","size":\#(size)},{"effect":"fill.solid","color":"red"},{"effect":\#(effect)}]}]}"#
        ).description
        for how in ["--quiet", "--dry-run"] {
            let bomb = Program.run("run", document, input, "-o", output, "--format", "json", how)
            #expect(bomb.code == 1)
            #expect(bomb.errors.contains("\"too-large\"") && bomb.errors.contains(pointer), "\(bomb.errors)")
            #expect(bomb.errors.contains("2000000000") && bomb.errors.contains("--limit-pixels"), "\(bomb.errors)")
            #expect(bomb.peak < max(300 << 20, start + (64 << 20)), "\(bomb.peak)")
        }
        #expect(scratch.list("out") ?? [] == [])
    }

    @Test("an allocation that --memory forbids is told as that, whatever Swift lists of the stack")
    func memory() {
        pictures("a.jpg")
        let document = scratch.file(
            "wide.json",
            #"{"labelpipe":1,"output":[{"effect":"image.source"},{"effect":"layout.place","label":[{"effect":"shape.rectangle","size":[50,50]},{"effect":"fill.solid","color":"red"},{"effect":"vips.embed","x":0,"y":0,"width":1000000,"height":1000000}]}]}"#
        ).description
        let wide = Program.run("run", document, input, "-o", output, "--limit-pixels", "2000000000000", "--memory", "200M")
        #expect(wide.code == 1)
        #expect(wide.errors.contains("more memory is needed than the run allows"), "\(wide.errors)")
        #expect(wide.peak < max(600 << 20, start + (64 << 20)), "\(wide.peak)")
    }

    @Test("--max-failures and --fail-fast end the run; its code is 6, or 1")
    func failures() {
        scratch.folder(scratch.at("in"))
        for index in 0..<6 { scratch.file("in/\(index).jpg", "no picture") }
        let most = run(input, "--max-failures", "2", "--jobs", "1", "-o", output)
        #expect(most.code == 6)
        #expect(most.errors.contains("3 failed, 3 not done"), "\(most.errors)")
        let first = run(input, "--fail-fast", "--jobs", "1", "-o", output)
        #expect(first.code == 1)
        #expect(first.errors.contains("1 failed, 5 not done"), "\(first.errors)")
        let none = run(input, "--max-failures", "0", "--jobs", "1", "-o", output)
        #expect(none.code == 6)
        #expect(none.errors.contains("1 failed, 5 not done"), "\(none.errors)")
    }

    @Test("--tolerant takes truncated files, with a warning; --strict makes it a failure")
    func tolerant() throws {
        pictures("a.jpg")
        let bytes = try #require(Program.bytes("\(input)/a.jpg"))
        scratch.write(scratch.at("in/a.jpg"), Array(bytes.prefix(bytes.count * 2 / 3)))
        let strict = run(input, "-o", output)
        #expect(strict.code == 1)
        #expect(scratch.list("out") == nil, "nothing came of it, not even a folder")
        let tolerant = run(input, "--tolerant", "-o", output)
        #expect(tolerant.code == 0, "\(tolerant.errors)")
        #expect(tolerant.errors.contains("warning"), "\(tolerant.errors)")
        #expect(run(input, "--tolerant", "--strict", "--overwrite", "-o", output).code == 1)
    }

    @Test("--timeout ends what takes longer")
    func timeout() {
        pictures("a.jpg")
        let late = run(input, "--timeout", "0.001", "-o", output)
        #expect(late.code == 1)
        #expect(late.errors.contains("--timeout"), "\(late.errors)")
        #expect(scratch.list("out") == nil, "nothing came of it, not even a folder")
    }

    @Test("--strict fails a picture whose label draws nothing, unless the document asks for that")
    func nothing() {
        pictures("a.jpg")
        func marked(_ keys: String, place: String = "") -> Program {
            let label = "[{\"effect\":\"text.mask\",\(keys)},{\"effect\":\"fill.solid\",\"color\":\"red\"}]"
            let document = scratch.file(
                "strict.json",
                "{\"labelpipe\":1,\"output\":[{\"effect\":\"image.source\"},{\"effect\":\"layout.place\"\(place),\"label\":\(label)}]}"
            ).description
            return Program.run("run", document, input, "--strict", "--overwrite", "-o", output)
        }
        for (keys, place, told) in [
            (#""text":"""#, "", "the text is empty"),
            (#""text":"x","size":"0.1vmin""#, "", "a text is not drawn"),
            (#""text":{"template":"{relative}"}"#, "", "the text is empty"),
            (#""text":"x""#, #","at":[9000,0]"#, "the label lies beside the picture"),
            (#""text":"x""#, #","insets":9000"#, "the insets leave no room"),
        ] {
            let strict = marked(keys, place: place)
            #expect(strict.code == 1 && strict.errors.contains(told), "\(strict.errors)")
        }
        for (keys, place) in [
            (#""text":{"template":"{exif.Artist|\"\"}"}"#, ""), (#""text":"x""#, #","minimumBase":[9000,null]"#),
            (#""text":"x","size":900"#, #","tooLarge":"skip""#), (#""text":"x""#, ""),
        ] {
            let asked = marked(keys, place: place)
            #expect(asked.code == 0, "\(asked.errors)")
        }
    }
}
