import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

@Suite("--gallery: a page of the run") struct GalleryTests {
    let scratch = Scratch()

    /// What the page's two scripts hold.
    private func content(_ page: String) throws -> (pictures: [JSONValue], run: JSONValue) {
        func script(_ id: String) throws -> Substring {
            let start = try #require(page.range(of: "id=\"\(id)\">"))
            let end = try #require(page.range(of: "</script>", from: start.upperBound))
            return page[start.upperBound..<end.lowerBound]
        }
        let lines = try script("pictures").split(separator: "\n")
        return (
            try lines.map { try JSONValue.parse(Array($0.utf8), file: "picture") },
            try JSONValue.parse(Array(script("run").utf8), file: "run")
        )
    }

    private func run(_ adjust: (inout RunOptions) -> Void = { _ in }) -> Trial {
        Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            $0.gallery = scratch.at("pages/a page.html")
            $0.existing = .overwrite
            adjust(&$0)
        }
    }

    @Test("every picture with what became of it, small copies beside, totals")
    func page() throws {
        for name in ["1.jpg", "2-fail-render.jpg", "3-warn <script><b>.jpg", "4.jpg"] { scratch.file("in/\(name)") }
        let trial = run()
        #expect(trial.exit == .failures)
        let page = try #require(scratch.read("pages/a page.html"))
        // Nothing in a name can end the script that it stands in.
        #expect(!page.contains("<b>.jpg") && page.contains("\\u003cb>.jpg"))
        let (pictures, totals) = try content(page)
        #expect(totals["done"]?.integer == 3 && totals["failed"]?.integer == 1 && totals["exit"]?.integer == 1)
        #expect(totals["warnings"]?.integer == 1)
        let byName = Dictionary(uniqueKeysWithValues: pictures.map { ($0["input"]?.string ?? "", $0) })
        #expect(byName.count == 4)
        let failed = byName[scratch.at("in/2-fail-render.jpg").description]
        #expect(failed?["status"]?.string == "failed" && failed?["message"]?.string == "the picture is damaged")
        #expect(failed?["after"] == nil)
        let warned = byName[scratch.at("in/3-warn <script><b>.jpg").description]
        #expect(warned?["warnings"]?.elements?.count == 1)
        let done = try #require(byName[scratch.at("in/1.jpg").description])
        #expect(done["link"]?.string == "../out/1.jpg")
        #expect(done["boxes"]?.elements?.count == 1 && done["width"]?.integer == 1000)
        for key in ["before", "after"] {
            let name = try #require(done[key]?.string)
            #expect(name.hasPrefix("a%20page_files/"))
            let file = name.split(separator: "/").dropFirst().joined(separator: "/")
            #expect(scratch.read("pages/a page_files/\(file)") == "small \(key)")
        }
        #expect(scratch.list("pages")?.filter { $0.contains("/.") || $0.hasPrefix(".") } == [])
    }

    @Test("the next run's page takes the place of the old one, and its small copies with it")
    func again() throws {
        for index in 0..<5 { scratch.file("in/\(index).jpg") }
        #expect(run().exit == .done)
        let old = scratch.list("pages/a page_files") ?? []
        #expect(old.count == 10)
        unlink(scratch.at("in/4.jpg").description)
        #expect(run().exit == .done)
        let new = scratch.list("pages/a page_files") ?? []
        #expect(new.count == 8 && Set(new).isDisjoint(with: old))
        #expect(try content(#require(scratch.read("pages/a page.html"))).pictures.count == 4)
    }

    @Test("a run that is killed leaves the old page whole")
    func killed() throws {
        for index in 0..<40 { scratch.file("in/slow-save-\(index).jpg") }
        scratch.file("pages/page.html", "old page")
        let child = Child(run: scratch.at("in"), scratch.at("out"), "overwrite", "-", scratch.at("pages/page.html").description)
        let patience = Clock.now + 10
        while (scratch.list("out") ?? []).count < 3, Clock.now < patience { usleep(2000) }
        kill(child.pid, SIGKILL)
        _ = child.wait()
        #expect(scratch.read("pages/page.html") == "old page")
    }

    @Test("an interrupted run has a whole page that names every picture")
    func interrupted() throws {
        for index in 0..<40 { scratch.file("in/slow-save-\(index).jpg") }
        let child = Child(run: scratch.at("in"), scratch.at("out"), "overwrite", "-", scratch.at("page.html").description)
        let patience = Clock.now + 10
        while (scratch.list("out") ?? []).count < 3, Clock.now < patience { usleep(2000) }
        kill(child.pid, SIGINT)
        #expect(child.code == 130)
        let (pictures, totals) = try content(#require(scratch.read("page.html")))
        #expect(pictures.count == 40 && totals["exit"]?.integer == 130)
        #expect(pictures.contains { $0["status"]?.string == "dropped" })
    }

    @Test("skipped pictures are on the page; a page that cannot be written is exit 5")
    func skipped() throws {
        for index in 0..<3 { scratch.file("in/\(index).jpg") }
        #expect(run().exit == .done)
        #expect(run { $0.existing = .skip }.exit == .done)
        let (pictures, _) = try content(#require(scratch.read("pages/a page.html")))
        #expect(pictures.allSatisfy { $0["status"]?.string == "skipped" })
        scratch.file("file")
        let trial = run { $0.gallery = scratch.at("file/page.html") }
        #expect(trial.exit == .unwritable)
    }
}

extension String {
    /// The first place of a text.
    fileprivate func range(of text: String, from start: Index? = nil) -> Range<Index>? {
        var place = start ?? startIndex
        while place < endIndex {
            if self[place...].hasPrefix(text) { return place..<index(place, offsetBy: text.count) }
            place = index(after: place)
        }
        return nil
    }
}
