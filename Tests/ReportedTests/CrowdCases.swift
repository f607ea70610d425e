import Glibc
import TestSupport
import Testing
import Vips

/// Many pictures at once, one after another, and very large ones: by the program as it is delivered.
@Suite(.serialized) struct CrowdCases {
    // MARK: B56

    @Test("B56 parallel-race: many workers, and two programs at once, write the tree that one worker writes")
    func b56() throws {
        let program = Program()
        try job(program)
        try program.write("model.jpg", photo(), .jpeg())
        let made = try program.shell("for n in $(seq 200); do d=in/$((n % 50)); mkdir -p $d; ln model.jpg $d/$n.jpg; done")
        #expect(made.code == 0, "\(made.errors)")
        let compare = "diff -r --exclude=.labelpipe one many"
        let one = try program.shell("\"$LABELPIPE\" run job.json in --recursive --output one --jobs 1")
        #expect(one.code == 0, "\(one.errors)")
        #expect(try files(program, "one").count == 200)
        for round in 1...5 {
            let many = try program.shell("\"$LABELPIPE\" run job.json in --recursive --output many --jobs 8 && \(compare)")
            #expect(many.code == 0, "round \(round): \(many.errors)")
            #expect(try files(program, "many").count == 200)
            _ = try program.shell("rm -rf many")
        }
        for round in 1...3 {
            let both = try program.shell(
                """
                run() { "$LABELPIPE" run job.json in --recursive --output many --jobs 4 --skip-existing; }
                run & a=$!; run & b=$!; wait $a; first=$?; wait $b; second=$?
                [ $first$second = 00 ] && \(compare)
                """)
            #expect(both.code == 0, "round \(round): \(both.errors)")
            #expect(try files(program, "many").count == 200)
            _ = try program.shell("rm -rf many")
        }
    }

    // MARK: B58

    @Test(
        "B58 memory-fd-growth: memory, descriptors and time a picture stay flat", arguments: [(1500, 40, 30), (80, 3000, 2000)])
    func b58(count: Int, width: Int, height: Int) throws {
        let program = Program()
        try job(program, stamping(chain(rectangle(10, 5), solid("white")), "\"at\": [0, 0]"))
        try program.write("model.jpg", photo(width, height), .jpeg())
        let made = try program.shell("mkdir in && for n in $(seq 1000 \(999 + count)); do ln model.jpg in/$n.jpg; done")
        #expect(made.code == 0)
        var done: [(time: Double, count: Int)] = []
        let watch = try program.watch(
            "ulimit -n 128; \"$LABELPIPE\" run job.json in --output out --jobs 4 --report report.ndjson; code=$?; exit $code"
        ) { time in
            let report = (try? readFile(program.path("report.ndjson"))) ?? []
            done.append((time, report.count { $0 == 10 }))
        }
        #expect(watch.code == 0, "\(watch.errors)")
        #expect(watch.descriptors <= 64, "\(watch.descriptors) descriptors")
        // From a third on all is warm.
        let early = try #require(done.first { $0.count >= count / 3 })
        let middle = watch.memory.filter { $0.time >= early.time }.map(\.bytes)
        let window = max(1, min(5, middle.count / 4))
        let (first, last) = (middle.prefix(window).max() ?? 0, middle.dropLast(3).suffix(window).max() ?? 0)
        #expect(last - first < 20 << 20, "\(first >> 20) to \(last >> 20) MB")
        let times = String(decoding: try readFile(program.path("report.ndjson")), as: UTF8.self).split(separator: "\n")
            .compactMap { line -> Double? in
                guard line.contains("\"input\""), let range = line.firstRange(of: "\"ms\":") else { return nil }
                return Double(line[range.upperBound...].drop { $0 == " " }.prefix { $0.isNumber || $0 == "." })
            }
        try #require(times.count == count)
        func median(_ values: ArraySlice<Double>) -> Double { values.sorted()[values.count / 2] }
        let (begin, end) = (median(times[(count / 10)..<(count / 5)]), median(times.suffix(count / 10)))
        // Whatever else runs on the machine takes its share; what grows with the pictures done would be many times more.
        #expect(end <= 5 * begin + 10, "\(begin) to \(end) ms a picture")
    }

    @Test("B58 memory-fd-growth: libvips counts no object that is left over")
    func b58Left() throws {
        let program = Program()
        try job(program)
        for number in 1...5 { try program.write("\(number).png", photo(), .png()) }
        let ending = try program.shell("VIPS_LEAK=1 \"$LABELPIPE\" run job.json *.png --output out")
        #expect(ending.code == 0)
        #expect(!ending.errors.contains("objects alive"), "\(ending.errors)")
    }

    // MARK: B59

    @Test("B59 huge-picture: 300 megapixels stream", arguments: ["png", "jpg"])
    func b59(format: String) throws {
        let program = Program()
        try job(program, stamping(chain(rectangle(400, 200), solid("#808080")), "\"anchor\": \"bottom-right\""))
        try VipsRuntime.start()
        let black = try Image.black(width: 20000, height: 15000, bands: 1).copy(interpretation: .bw)
        var png = PNGSaveOptions()
        png.compression = 1
        try program.write("in.\(format)", black, format == "png" ? .png(png) : .jpeg())
        let watch = try program.watch("\"$LABELPIPE\" run job.json in.\(format) --output out.\(format)")
        #expect(watch.code == 0, "\(watch.errors)")
        #expect(watch.peak < 600 << 20, "\(watch.peak >> 20) MB")
        var options = LoadOptions()
        options.access = .sequential
        let image = try PictureFile(path: Array(program.path("out.\(format)").utf8), options: options).image
        #expect(image.width == 20000 && image.height == 15000)
        let corner = try Sheet(image.extractArea(PixelBox(left: 19500, top: 14700, width: 500, height: 300)))
        #expect(corner[10, 10, 0] == 0 && abs(corner[300, 200, 0] - 128) <= 2)
    }

    @Test("B59 huge-picture: a header that promises too much is refused at once; a long chain is no matter")
    func b59Bombs() throws {
        let program = Program()
        try job(program)
        var png: [UInt8] = [0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A]
        func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
            var remainder = UInt32.max
            for byte in Array(name.utf8) + data {
                remainder ^= UInt32(byte)
                for _ in 0..<8 { remainder = remainder & 1 == 1 ? 0xEDB8_8320 ^ (remainder >> 1) : remainder >> 1 }
            }
            let sum = ~remainder
            var bytes: [UInt8] = [0, 0, 0, UInt8(data.count)]
            bytes += Array(name.utf8)
            bytes += data
            for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: sum >> shift)) }
            return bytes
        }
        let side: [UInt8] = [0, 0x0A, 0xAE, 0x60]
        png += chunk("IHDR", side + side + [8, 2, 0, 0, 0])
        png += chunk("IDAT", [0x78, 1, 1, 0, 0, 0xFF, 0xFF, 0, 0, 0])
        png += chunk("IEND", [])
        try program.write("bomb.png", bytes: png)
        var gif = Array("GIF89a".utf8)
        gif += [0xFF, 0xFF, 0xFF, 0xFF, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        gif += [0x2C, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 2, 2, 0x44, 1, 0, 0x3B]
        try program.write("bomb.gif", bytes: gif)
        for name in ["bomb.png", "bomb.gif"] {
            let watch = try program.watch("\"$LABELPIPE\" run job.json \(name) --output out/")
            #expect(watch.code == 1, "\(name): \(watch.errors)")
            // By the worker, which has to start first, on a machine that does other things too.
            #expect(watch.time < 5 && watch.peak < 150 << 20, "\(name): \(watch.time) s, \(watch.peak >> 20) MB")
            #expect(watch.errors.contains("limit") || watch.errors.contains("pixels"), "\(watch.errors)")
        }
        #expect(!program.exists("out/bomb.png") && !program.exists("out/bomb.gif"))
        let place =
            "{ \"effect\": \"layout.place\", \"at\": [0, 0], \"opacity\": 0.5, \"label\": \(chain(rectangle(9, 9), solid("#808080"))) }"
        let chain = (["{ \"effect\": \"image.source\" }"] + Array(repeating: place, count: 300)).joined(separator: ", ")
        try job(program, "{ \"labelpipe\": 1, \"output\": [ \(chain) ] }")
        try program.write("in.png", photo(), .png())
        let watch = try program.watch("\"$LABELPIPE\" run job.json in.png --output out.png")
        #expect(watch.code == 0 && watch.peak < 600 << 20, "\(watch.peak >> 20) MB \(watch.errors)")
        #expect(try program.sheet("out.png")[4, 4].allSatisfy { abs($0 - 128) <= 2 })
    }
}
