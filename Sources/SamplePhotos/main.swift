import Glibc
import Vips

// Photo-like pictures of every kind that people have in a folder, made here so that nothing has to be downloaded:
// two views over hills, then fractal light, some edges and sensor noise.  sample-photos FOLDER

func complain(_ text: String) { _ = (text + "\n").withCString { write(2, $0, strlen($0)) } }

guard CommandLine.arguments.count == 2 else {
    complain("sample-photos FOLDER")
    exit(2)
}
let folder = CommandLine.arguments[1]

/// Light that varies at every scale, with noise: it compresses as photographs do.
func photo(width: Int, height: Int, seed: Int) throws -> Image {
    var light = try Operation("perlin").set("width", width).set("height", height).set("cell_size", max(width / 3, 64))
        .set("seed", seed).image()
    for (octave, weight) in [(8, 0.5), (24, 0.25), (80, 0.12)] {
        let finer = try Operation("perlin").set("width", width).set("height", height)
            .set("cell_size", max(width / octave, 4)).set("seed", seed &+ octave).image()
        let scaled = try Operation("linear").set("in", finer).set("a", [weight]).set("b", [0.0]).image()
        light = try Operation("add").set("left", light).set("right", scaled).image()
    }
    // A sky that grows paler downwards, and ground.
    let ramp = try Operation("identity").set("size", height).set("ushort", true).image()
    let column = try Operation("rot").set("in", ramp).set("angle", "d90").image()
    let slope = try Operation("linear").set("in", column).set("a", [1.0 / Double(height)]).set("b", [0.0]).image()
    let plane = try Operation("replicate").set("in", slope).set("across", width).set("down", 1).image()
    var bands: [Image] = []
    for (index, (base, fall, swing)) in [(70.0, 110.0, 55.0), (120.0, 60.0, 50.0), (190.0, -70.0, 40.0)].enumerated() {
        let noise = try Operation("gaussnoise").set("width", width).set("height", height).set("sigma", 5.0)
            .set("mean", base).set("seed", seed &* 3 &+ index).image()
        let sloped = try Operation("linear").set("in", plane).set("a", [fall]).set("b", [0.0]).image()
        let lit = try Operation("linear").set("in", light).set("a", [swing]).set("b", [0.0]).image()
        var band = try Operation("add").set("left", noise).set("right", sloped).image()
        band = try Operation("add").set("left", band).set("right", lit).image()
        bands.append(try band.cast(.uchar))
    }
    return try bands[0].joiningBands(Array(bands.dropFirst())).copy(interpretation: .srgb).materialised()
}

/// As the camera holds it: turned so that `orientation` turns it back.
func stored(_ upright: Image, orientation: Int) throws -> Image {
    let turns = [1: 0, 3: 2, 6: 3, 8: 1]
    let turned = try upright.rotated(quarterTurns: turns[orientation] ?? 0).materialised()
    return try turned.editingMetadata {
        $0.setOrientation(orientation)
        $0.set("exif-ifd0-Artist", .string("Ann Example (Ann Example, ASCII, 12 components, 12 bytes)"))
    }
}

/// With what a camera writes about a picture.
func taken(_ image: Image, at time: String, exposure: String, focalLength: String) throws -> Image {
    try image.editingMetadata {
        $0.set("exif-ifd0-Artist", .string("Ann Example"))
        $0.set("exif-ifd0-Make", .string("Example"))
        $0.set("exif-ifd0-Model", .string("Example D1"))
        $0.set("exif-ifd0-DateTime", .string(time))
        $0.set("exif-ifd2-DateTimeOriginal", .string(time))
        $0.set("exif-ifd2-ExposureTime", .string(exposure))
        $0.set("exif-ifd2-FNumber", .string("28/10"))
        $0.set("exif-ifd2-ISOSpeedRatings", .string("200"))
        $0.set("exif-ifd2-FocalLength", .string(focalLength))
    }
}

func save(_ image: Image, _ name: String, _ options: SaveOptions) throws {
    let path = folder + "/" + name
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
        complain("\(path): \(String(cString: strerror(errno)))")
        exit(5)
    }
    defer { close(descriptor) }
    try Saver.save(image, to: descriptor, options)
    print(path)
}

/// Creates a folder and those above it.
func makeFolder(_ path: String) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
        made += "/" + part
        mkdir(made, 0o755)
    }
}

do {
    makeFolder(folder)
    try VipsRuntime.start()
    var half = JPEGSaveOptions()
    half.subsampling = .on
    var progressive = JPEGSaveOptions()
    progressive.isInterlaced = true
    try save(
        taken(
            Hills.evening.image(width: 1800, height: 1200), at: "2026:09:18 19:42:06", exposure: "1/250", focalLength: "35/1"),
        "hills-evening.jpg", .jpeg(half))
    try save(
        taken(
            Hills.morning.image(width: 1800, height: 1200), at: "2026:09:19 07:05:31", exposure: "1/500", focalLength: "50/1"),
        "hills-morning.jpg", .jpeg(half))
    try save(stored(photo(width: 1800, height: 1200, seed: 1), orientation: 1), "landscape.jpg", .jpeg(half))
    try save(stored(photo(width: 900, height: 1350, seed: 2), orientation: 6), "portrait-turned-right.jpg", .jpeg(half))
    try save(stored(photo(width: 900, height: 1350, seed: 3), orientation: 8), "portrait-turned-left.jpg", .jpeg())
    try save(stored(photo(width: 1500, height: 1000, seed: 4), orientation: 3), "upside-down.jpg", .jpeg(progressive))
    // A product cut out: opaque inside, soft at its edge, nothing outside.
    let product = try photo(width: 800, height: 800, seed: 5)
    let disc = try Image.generated(
        width: 800, height: 800, bands: 1, format: .uchar, interpretation: .bw, hint: .any
    ) { pixels in
        for y in pixels.box.top..<pixels.box.top + pixels.box.height {
            let row = pixels.row(y - pixels.box.top, as: UInt8.self)
            for x in 0..<pixels.box.width {
                let (dx, dy) = (Double(x + pixels.box.left) - 399.5, Double(y) - 399.5)
                let inside = 360 - (dx * dx + dy * dy).squareRoot()
                row[x] = UInt8(min(max(128 + inside * 32, 0), 255))
            }
        }
    }
    try save(product.joiningBands([disc]), "cut-out.png", .png())
    try save(photo(width: 1200, height: 800, seed: 6), "web.webp", .webp())
    let fine = try Operation("linear").set("in", photo(width: 1000, height: 700, seed: 7)).set("a", [257.0]).set("b", [0.0])
        .image()
    try save(fine.cast(.ushort).copy(interpretation: .rgb16), "scan-16-bit.tif", .tiff())
} catch {
    complain("\(error)")
    exit(1)
}
