import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

@Suite("verify finds what should not have changed") struct VerifyTests {
    let scratch = Scratch()

    private func verify(_ one: String, _ other: String, _ more: String...) -> Program {
        Program(["verify", scratch.at(one).description, scratch.at(other).description] + more)
    }

    private func vips(_ arguments: String...) { Samples.tool(["vips"] + arguments) }

    private func at(_ name: String) -> String { scratch.at(name).description }

    @Test("a marked picture: the box is found, outside nothing differs, and the code is 0")
    func marked() throws {
        Samples.picture(scratch.at("a.jpg"), width: 600, height: 400)
        let run = Program.run("run", "--text", "© Ann", at("a.jpg"), "-o", at("out"), "--report", at("report"))
        #expect(run.code == 0, "\(run.errors)")
        let found = verify("a.jpg", "out/a.jpg")
        #expect(found.code == 0, "\(found.output)")
        #expect(found.output.contains("drawn on: ["))
        #expect(found.output.contains("outside: 0 % of the pixels"), "\(found.output)")
        let reported = verify("a.jpg", "out/a.jpg", "--report", at("report"), "--format", "json")
        #expect(reported.code == 0, "\(reported.output)")
        let json = try #require(reported.report.first)
        #expect(json["outside"]?["differingPixels"]?.integer == 0)
        #expect(json["boxes"]?.elements?.count == 1)
        #expect(json["identical"]?.bool == false)
    }

    @Test("the same picture is the same; a pixel more is found outside of the box, and not inside")
    func pixels() {
        Samples.picture(scratch.at("a.png"))
        vips("copy", at("a.png"), at("same.png"))
        let same = verify("a.png", "same.png")
        #expect(same.code == 0)
        #expect(same.output.contains("pixels: all the same"), "\(same.output)")
        vips("black", at("dot.png"), "1", "1")
        vips("insert", at("same.png"), at("dot.png"), at("a.png"), "50", "60")
        let one = verify("same.png", "a.png", "--box", "100,100,10,10")
        #expect(one.code == 1)
        #expect(one.output.contains("in 1 of "), "\(one.output)")
        #expect(one.report.isEmpty)
        #expect(verify("same.png", "a.png", "--box", "50,60,1,1").code == 0)
        #expect(verify("same.png", "a.png", "--box", "51,60,9,9").code == 1)
        #expect(verify("same.png", "a.png", "--box", "100,100,10,10", "--psnr", "30").code == 0)
    }

    @Test("another size, depth, profile, and what is no picture")
    func facts() {
        Samples.picture(scratch.at("a.png"))
        Samples.picture(scratch.at("b.png"), width: 201)
        #expect(verify("a.png", "b.png").output.contains("the output has 201x150 px"))
        vips("bandjoin", "\(at("a.png")) \(at("a.png")) \(at("a.png"))", at("rgb.png"))
        vips("icc_transform", at("rgb.png"), at("p.png"), "p3", "--input-profile", "srgb")
        let profile = verify("p.png", "rgb.png")
        #expect(profile.code == 1)
        #expect(profile.output.contains("the colour profile is lost"), "\(profile.output)")
        scratch.file("no.png", "text")
        let none = verify("a.png", "no.png")
        #expect(none.code == 1)
        #expect(none.output.contains("no.png: error: "), "\(none.output)")
        #expect(verify("a.png", "missing.png").code == 1)
        #expect(Program.run("verify", at("a.png")).code == 2)
        #expect(verify("a.png", "b.png", "--box", "1,2,3").code == 2)
    }

    @Test("turned pictures are compared as they are seen")
    func turned() throws {
        Samples.picture(scratch.at("a.jpg"), width: 320, height: 192)
        let bytes = try #require(Program.bytes(at("a.jpg")))
        // The smallest EXIF block: one directory, one entry, orientation 6.
        let exif: [UInt8] =
            Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
        scratch.write(
            scratch.at("turned.jpg"), Array(bytes.prefix(2)) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + bytes.dropFirst(2))
        let plain = Program.run("verify", at("turned.jpg"), at("turned.jpg"), "--format", "json")
        #expect(plain.report.first?["from"]?["width"]?.integer == 192)
        let png = Program.run("run", "--text", "x", at("turned.jpg"), "-o", at("marked.png"), "--report", at("report"))
        #expect(png.code == 0, "\(png.errors)")
        let verified = verify("turned.jpg", "marked.png", "--report", at("report"), "--format", "json")
        #expect(verified.report.first?["outside"]?["differingPixels"]?.integer == 0, "\(verified.output)")
        #expect(verified.report.first?["identical"]?.bool == false)
    }

    @Test("two folders: each picture beside the one of its name, those that are missing and those too many")
    func folders() throws {
        for name in ["b.png", "a.png"] { Samples.picture(scratch.at(name), width: 60, height: 40) }
        scratch.folder(scratch.at("in/deep"))
        for name in ["in/a.png", "in/b.png", "in/deep/c.png"] { vips("copy", at("a.png"), at(name)) }
        scratch.file("in/words.txt", "no picture")
        let run = Program.run(
            "run", "--text", "© Ann", at("in"), "--recursive", "-o", at("out"), "--report", at("report"), "--quiet")
        #expect(run.code == 0, "\(run.errors)")
        let same = verify("in", "out")
        #expect(same.code == 0 && same.output.hasSuffix("\n2 pairs: nothing that should not be\n"), "\(same.output)")
        #expect(same.output.ranges(of: "drawn on: ").count == 2)
        let deep = verify("in", "out", "--recursive", "--report", at("report"))
        #expect(deep.code == 0 && deep.output.contains("3 pairs: ") && deep.output.contains("boxes: ["), "\(deep.output)")
        // Another pixel in one, one that is not there, one too many.
        vips("black", at("dot.png"), "1", "1")
        vips("insert", at("in/a.png"), at("dot.png"), at("out/a.png"), "30", "10")
        rename(at("out/b.png"), at("out/z.png"))
        let wrong = verify("in", "out", "--box", "20,20,9,9")
        #expect(wrong.code == 1)
        #expect(wrong.output.contains("\(at("in/b.png")): error: there is no \(at("out/b.png"))"), "\(wrong.output)")
        #expect(wrong.output.contains("\(at("out/z.png")): error: there is no \(at("in/z.png"))"), "\(wrong.output)")
        #expect(wrong.output.hasSuffix("1 pair: something found in 1, 1 missing, 1 extra\n"), "\(wrong.output)")
        let json = verify("in", "out", "--format", "json")
        #expect(json.report.last?["status"]?.string == "verified" && json.report.last?["missing"]?.integer == 1, "\(json.output)")
        #expect(json.report.contains { $0["code"]?.string == "extra" })
    }

    @Test("an output that is called otherwise is found by the run's report")
    func renamed() {
        Samples.picture(scratch.at("a.png"), width: 60, height: 40)
        scratch.folder(scratch.at("in"))
        vips("copy", at("a.png"), at("in/a.png"))
        let document = scratch.file(
            "doc.json", #"{"labelpipe":1,"outputs":[{"node":{"effect":"image.source"},"path":"{stem}.webp"}]}"#
        ).description
        let run = Program.run("run", document, at("in"), "-o", at("out"), "--report", at("report"), "--quiet")
        #expect(run.code == 0, "\(run.errors)")
        let alone = verify("in", "out")
        #expect(alone.code == 1 && alone.output.contains("it may be \(at("out/a.webp")): --report FILE"), "\(alone.output)")
        let told = verify("in", "out", "--report", at("report"))
        #expect(told.output.contains("1 pair: ") && !told.output.contains("there is no"), "\(told.output)")
    }

    @Test("all outputs that a picture has are found by the run's report, those of a folder alone too")
    func severalOutputs() {
        scratch.folder(scratch.at("in"))
        Samples.picture(scratch.at("in/a.png"), width: 60, height: 40)
        let document = scratch.file(
            "doc.json",
            #"{"labelpipe":1,"outputs":[{"node":{"effect":"image.source"},"path":"web/{stem}.webp","lossless":true},{"node":{"effect":"image.source"},"path":"full/{name}"}]}"#
        ).description
        let run = Program.run("run", document, at("in"), "-o", at("out"), "--report", at("report"), "--quiet")
        #expect(run.code == 0, "\(run.errors)")
        let both = verify("in", "out", "--recursive", "--report", at("report"))
        #expect(both.code == 0 && both.output.contains("2 pairs: "), "\(both.output)")
        let web = verify("in", "out/web", "--report", at("report"))
        #expect(web.code == 0 && web.output.contains("1 pair: "), "\(web.output)")
    }
}
