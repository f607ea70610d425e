import Glibc
import TestSupport
import Testing
import Vips

/// Files and folders, as people found them harmed elsewhere: by the program as it is delivered.
@Suite(.serialized) struct FileCases {
    private static let go = "/usr/share/go-1.19/src/image"

    // MARK: B44

    @Test(
        "B44 tiling: files of every kind have whole-pixel periods and partial tiles at the edges",
        arguments: ["png", "jpg", "tif"])
    func b44Files(format: String) throws {
        let program = Program()
        var jpeg = JPEGSaveOptions()
        jpeg.quality = 100
        jpeg.subsampling = .off
        let options: SaveOptions = format == "png" ? .png() : format == "jpg" ? .jpeg(jpeg) : .tiff()
        try program.write("in.\(format)", plain(97, 61, [255, 255, 255]), options)
        func tiled(_ label: String, _ keys: String) throws -> Sheet {
            let tile = "{ \"effect\": \"layout.tile\", \"label\": \(label)\(keys) }"
            try job(program, "{ \"labelpipe\": 1, \"output\": \(chain("{ \"effect\": \"image.source\" }", tile)) }")
            let ending = try program.run("run", "job.json", "in.\(format)", "--output", "out.\(format)", "--overwrite")
            #expect(ending.code == 0, "\(ending.errors)")
            return try program.sheet("out.\(format)")
        }
        let tolerance = format == "jpg" ? 6.0 : 0
        let sheet = try tiled(chain(rectangle(12, 12), solid("black")), ", \"gap\": 8")
        for y in 0..<61 {
            for x in 0..<97 {
                // Across an edge inside a block of 8 by 8 px a JPEG rings.
                let isInside = x % 20 < 12 && y % 20 < 12
                if abs(sheet[x, y, 0] - (isInside ? 0 : 255)) > tolerance { Issue.record("\(x), \(y): \(sheet[x, y, 0])") }
            }
        }
        let seamless = try tiled(chain(rectangle(12, 12), solid("#00000080")), ", \"gap\": 0")
        #expect(seamless.count { abs($0[0] - seamless[0, 0, 0]) > tolerance / 2 } == 0)
        #expect(seamless[0, 0, 0] < 140)
        let turned = try tiled(chain(rectangle(12, 12), solid("black")), ", \"gap\": 8, \"angle\": -30")
        for (x, y) in [(0, 0), (67, 0), (0, 31), (67, 31)] {
            #expect(turned.cropped([x, y, x + 30, y + 30]).count { $0[0] < 128 } > 100)
        }
    }

    // MARK: B50

    @Test("B50 in-place: every spelling of the input as the output is refused, and the input stays")
    func b50() throws {
        let program = Program()
        try job(program)
        try program.write("a.jpg", photo(), .jpeg())
        let old = try readFile(program.path("a.jpg"))
        let prepared = try program.shell(
            "mkdir sub links && ln -s ../a.jpg links/soft.jpg && ln a.jpg links/hard.jpg && ln -s . loop && ln -s sub/../a.jpg chain.jpg"
        )
        #expect(prepared.code == 0, "\(prepared.errors)")
        for output in [
            "a.jpg", "./a.jpg", "sub/../a.jpg", ".//a.jpg", "$PWD/a.jpg", "links/soft.jpg", "links/hard.jpg", "loop/a.jpg",
            "chain.jpg",
            ".", "loop", "sub/..",
        ] {
            for flags in ["", "--overwrite"] {
                let ending = try program.shell("\"$LABELPIPE\" run job.json a.jpg --output \(output) \(flags)")
                #expect(ending.code != 0 && !ending.errors.isEmpty, "\(output) \(flags)")
                #expect(try readFile(program.path("a.jpg")) == old, "\(output) \(flags)")
            }
        }
        // Named by a link, written to its target.
        let linked = try program.shell("\"$LABELPIPE\" run job.json links/soft.jpg --output a.jpg --overwrite")
        #expect(linked.code != 0)
        #expect(try readFile(program.path("a.jpg")) == old)
        #expect(try files(program, ".").filter { $0.contains("labelpipe") } == [])
    }

    @Test("B50 in-place: asked for, the whole new file or the untouched old one, whatever ends the run")
    func b50Asked() throws {
        let program = Program()
        try job(program)
        try program.write("model.jpg", photo(1600, 1200), .jpeg())
        let old = try readFile(program.path("model.jpg"))
        let once = try program.shell("cp model.jpg a.jpg && \"$LABELPIPE\" run job.json a.jpg --in-place")
        #expect(once.code == 0, "\(once.errors)")
        let new = try readFile(program.path("a.jpg"))
        #expect(new != old && !new.isEmpty)
        #expect(try program.sheet("a.jpg")[5, 5, 0] > 245)
        #expect(try files(program, ".").filter { $0.contains(".labelpipe-") } == [])
        // Killed at any moment.
        var counts = [0, 0]
        for delay in stride(from: 0.02, through: 0.3, by: 0.04) {
            let killed = try program.shell(
                """
                mkdir -p many; for n in 1 2 3 4 5 6 7 8; do cp model.jpg many/$n.jpg; done
                "$LABELPIPE" run job.json many --in-place --jobs 2 & sleep \(delay); kill -9 $!; wait; exit 0
                """)
            #expect(killed.code == 0)
            for number in 1...8 {
                let now = try readFile(program.path("many/\(number).jpg"))
                if now == old {
                    counts[0] += 1
                } else if now == new {
                    counts[1] += 1
                } else {
                    Issue.record("torn after \(delay) s")
                }
            }
            _ = try program.shell("rm -rf many")
        }
        print("killed in place: \(counts[0]) old, \(counts[1]) new")
        // A file that may not grow so far is a disk that is full.
        let full = try program.shell(
            "cp model.jpg b.jpg && (trap '' XFSZ; ulimit -f 20; \"$LABELPIPE\" run job.json b.jpg --in-place)")
        #expect(full.code != 0, "\(full.errors)")
        #expect(try readFile(program.path("b.jpg")) == old)
    }

    // MARK: B51

    @Test("B51 output-collision: found before the first pixel, both named, whatever the workers")
    func b51() throws {
        let program = Program()
        _ = try program.shell("mkdir x y")
        for (name, options) in [
            ("a.jpg", SaveOptions.jpeg()), ("a.png", .png()), ("a.tiff", .tiff()), ("A.jpg", .jpeg()), ("x/b.jpg", .jpeg()),
            ("y/b.jpg", .jpeg()),
        ] { try program.write(name, photo(), options) }
        func document(_ path: String) -> String {
            "{ \"labelpipe\": 1, \"outputs\": [ { \"path\": \"\(path)\", \"node\": [ { \"effect\": \"image.source\" } ] } ] }"
        }
        for (path, inputs, names) in [
            ("{stem}.webp", "a.jpg a.png a.tiff", ["a.jpg", "a.png"]), ("{stem}.jpg", "x/b.jpg y/b.jpg", ["x/b.jpg", "y/b.jpg"]),
        ] {
            try job(program, document(path))
            for jobs in [1, 8] {
                let ending = try program.shell("\"$LABELPIPE\" run job.json \(inputs) --output out/ --jobs \(jobs)")
                #expect(ending.code == 2, "\(ending.errors)")
                for name in names { #expect(ending.errors.contains(name), "\(name): \(ending.errors)") }
                let written = program.exists("out") ? try files(program, "out") : []
                #expect(written == [])
            }
        }
        try job(program, document("{stem}.webp"))
        // Names that differ in case are two on this system.
        let cases = try program.shell("\"$LABELPIPE\" run job.json a.jpg A.jpg --output cases/")
        #expect(cases.code == 0, "\(cases.errors)")
        #expect(try files(program, "cases") == ["cases/A.webp", "cases/a.webp"])
        // What is there stays, unless it may go.
        try program.write("cases/a.webp", "mine")
        let kept = try program.shell("\"$LABELPIPE\" run job.json a.jpg --output cases/")
        #expect(kept.code == 1 && kept.errors.contains("a.webp"), "\(kept.errors)")
        #expect(try readFile(program.path("cases/a.webp")) == Array("mine".utf8))
        #expect(try program.shell("\"$LABELPIPE\" run job.json a.jpg --output cases/ --overwrite").code == 0)
        #expect(try readFile(program.path("cases/a.webp")).starts(with: Array("RIFF".utf8)))
    }

    // MARK: B54

    @Test("B54 corrupt-in-batch: each bad file fails alone, by name and reason; the others are done")
    func b54() throws {
        let program = Program()
        try job(program)
        let jpeg = try photo(400, 300)
        _ = try program.shell("mkdir in in/folder.jpg && mkfifo in/fifo.jpg")
        for number in 1...5 { try program.write("in/good\(number).jpg", jpeg, .jpeg()) }
        let whole = try readFile(program.path("in/good1.jpg"))
        try program.write("in/cut.jpg", bytes: Array(whole.prefix(whole.count * 6 / 10)))
        try program.write("in/whole.png", jpeg, .png())
        let png = try readFile(program.path("in/whole.png"))
        _ = try program.shell("rm in/whole.png")
        try program.write("in/cut.png", bytes: Array(png.prefix(png.count * 7 / 10)))
        try program.write("in/zeros.png", bytes: png.prefix(png.count * 2 / 3) + Array(repeating: 0, count: png.count / 3))
        try program.write("in/progressive.jpg", bytes: readFile("\(Self.go)/testdata/video-001.progressive.truncated.jpeg"))
        try program.write("in/crc.png", bytes: readFile("\(Self.go)/png/testdata/invalid-crc32.png"))
        try program.write("in/zlib.png", bytes: readFile("\(Self.go)/png/testdata/invalid-zlib.png"))
        var gif = try readFile("\(Self.go)/testdata/video-001.gif")
        try program.write("in/short.gif", bytes: gif.dropLast())
        // Its header says a width of 0, and its only frame as well.
        gif.replaceSubrange(6..<8, with: [0, 0])
        let frame = try #require(gif.firstRange(of: [0x2C, 0, 0, 0, 0]))
        gif.replaceSubrange(frame.upperBound..<(frame.upperBound + 2), with: [0, 0])
        try program.write("in/narrow.gif", bytes: gif)
        try program.write("in/empty.jpg", bytes: [])
        let bad = [
            "cut.jpg", "cut.png", "zeros.png", "progressive.jpg", "crc.png", "zlib.png", "short.gif", "narrow.gif", "empty.jpg",
            "folder.jpg", "fifo.jpg",
        ]
        let ending = try program.shell("\"$LABELPIPE\" run job.json in --output out --report report.ndjson --jobs 2")
        #expect(ending.code == 1 && ending.time < 60, "\(ending.errors)")
        #expect(try files(program, "out") == (1...5).map { "out/good\($0).jpg" })
        let report = String(decoding: try readFile(program.path("report.ndjson")), as: UTF8.self).split(separator: "\n")
        for name in bad {
            let line = report.first { $0.contains("in/\(name)\"") }
            #expect(line?.contains("\"failed\"") == true && line?.contains("\"message\"") == true, "\(name): \(line ?? "")")
            #expect(ending.errors.contains("in/\(name)"), "\(name)")
        }
        // Tolerated, the top is right, and a warning names the file.
        let tolerant = try program.shell(
            "\"$LABELPIPE\" run job.json in/cut.jpg in/zlib.png --output some --tolerant --report some.ndjson")
        #expect(tolerant.code == 0, "\(tolerant.errors)")
        let (old, new) = (try Sheet(program.image("in/good1.jpg")), try program.sheet("some/cut.jpg"))
        #expect(new[5, 5, 0] > 240)
        // Encoded anew, since a damaged file is not spliced.
        var worst = 0.0
        for y in 20..<120 { for x in 0..<400 { for k in 0..<3 { worst = max(worst, abs(old[x, y, k] - new[x, y, k])) } } }
        #expect(worst <= 16, "\(worst)")
        let lines = String(decoding: try readFile(program.path("some.ndjson")), as: UTF8.self).split(separator: "\n")
        for name in ["cut.jpg", "zlib.png"] {
            let line = lines.first { $0.contains("in/\(name)\"") }
            #expect(line?.contains("\"warnings\":[") == true, "\(line ?? "")")
        }
    }
}
