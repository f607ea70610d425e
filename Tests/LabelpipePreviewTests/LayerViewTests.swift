import LabelpipeDrawing
import LabelpipeKit
import LabelpipePreview
import Outline
import Testing
import Vips

/// Three bytes a pixel.
private struct Pixels {
    let width: Int
    let bytes: [UInt8]

    init(_ image: Image) throws {
        #expect(image.bands == 3 && image.format == .uchar)
        width = image.width
        bytes = try image.writeToMemory()
    }

    subscript(x: Int, y: Int) -> [UInt8] { Array(bytes[3 * (y * width + x)..<3 * (y * width + x) + 3]) }
}

private func isChequer(_ pixel: [UInt8]) -> Bool { pixel == [206, 206, 206] || pixel == [178, 178, 178] }

/// A rectangle with a frame of its own.
private func layer(_ rect: Rect, frame: Rect, _ color: Color?, baseline: Point? = nil) -> Layer {
    let outline = Outline(.rectangle(rect))
    let body = Body(
        contents: [.fill(.outline(outline), color.map { .color($0) })], outline: outline, boxes: FillBoxes(text: frame))
    let text = baseline.map {
        TextFacts(size: 10, baseline: $0, lastBaseline: $0, capHeight: 7, xHeight: 5, direction: .leftToRight)
    }
    return Layer(
        marks: [.body(body)], kind: color == nil ? .coverage : .colour, frame: frame, text: text, outline: outline)
}

@Suite("Views of layers") struct LayerViewTests {
    init() throws { try VipsRuntime.start(concurrency: 1) }

    @Test("pixels lie where they lie, on chequers, with frame, baseline and origin")
    func guides() throws {
        let drawn = layer(
            Rect(x: 4, y: 5, width: 30, height: 10), frame: Rect(x: 0, y: 0, width: 60, height: 20),
            Color(red: 1, green: 0, blue: 0), baseline: Point(x: 2, y: 16))
        let view = LayerView(drawn, room: (400, 400))
        #expect(view.scale == 1)
        let image = try view.image()
        #expect(image.width == 60 + 24 && image.height == 20 + 24)
        let pixels = try Pixels(image)
        // 12 px of room on each side.
        #expect(pixels[12 + 10, 12 + 10] == [255, 0, 0])
        #expect(isChequer(pixels[12 + 50, 12 + 10]))
        #expect(pixels[1, 1] != pixels[1 + 8, 1])
        let frame: [UInt8] = [230, 0, 128]
        #expect(pixels[12 + 40, 11] == frame && pixels[12 + 40, 12 + 20] == frame)
        #expect(pixels[12 + 60, 12 + 4] == frame)
        // Outside the frame: no letter is hidden by it.
        #expect(isChequer(pixels[12 + 40, 12]) && isChequer(pixels[12 + 40, 12 + 19]))
        #expect(pixels[12 + 50, 12 + 16] == [0, 107, 242])
        #expect(pixels[12, 12 + 5] == [0, 158, 64])
    }

    @Test("coverage is black, whatever will paint it")
    func coverage() throws {
        let box = Rect(x: 0, y: 0, width: 40, height: 40)
        let pixels = try Pixels(LayerView(layer(box, frame: box, nil), room: (400, 400)).image())
        #expect(pixels[12 + 25, 12 + 25] == [0, 0, 0])
    }

    @Test("what lies outside the frame is shown too")
    func reach() throws {
        let drawn = layer(
            Rect(x: -20, y: -10, width: 100, height: 40), frame: Rect(x: 0, y: 0, width: 60, height: 20), .white)
        let view = LayerView(drawn, room: (400, 400))
        #expect(view.shown == Region(x: -20, y: -10, width: 100, height: 40))
    }

    @Test("large layers are made small, small ones large by a whole factor")
    func scales() throws {
        let large = Rect(x: 0, y: 0, width: 4000, height: 1000)
        let small = LayerView(layer(large, frame: large, .white), room: (424, 424))
        #expect(small.scale == 0.1)
        let image = try small.image()
        #expect(image.width == 424 && image.height == 124)
        let tiny = Rect(x: 0, y: 0, width: 30, height: 10)
        let view = LayerView(layer(tiny, frame: tiny, .white), room: (124, 124), magnifies: true)
        #expect(view.scale == 3)
        #expect(try view.image().width == 114)
    }

    @Test("an empty layer has a view")
    func empty() throws {
        let nothing = Layer(marks: [], kind: .colour, frame: Rect(x: 0, y: 0, width: 0, height: 0))
        #expect(try LayerView(nothing, room: (400, 400)).image().width > 24)
    }

    @Test("a blend mode sees the layer beneath it and never the chequers")
    func blend() throws {
        let box = Rect(x: 0, y: 0, width: 40, height: 40)
        var drawn = layer(box, frame: box, Color(red: 0.5, green: 0.5, blue: 0.5))
        drawn.marks = [.group(Group(marks: drawn.marks, blend: .multiply))]
        let pixels = try Pixels(LayerView(drawn, room: (400, 400)).image())
        #expect(pixels[12 + 25, 12 + 25] == [128, 128, 128])
    }
}

@Suite("Sample photo and small copies") struct PhotoTests {
    init() throws { try VipsRuntime.start(concurrency: 1) }

    @Test("the sample photo is the same every time, with light and dark places")
    func sample() throws {
        let one = try SamplePhoto.image().writeToMemory()
        #expect(one == (try SamplePhoto.image().writeToMemory()))
        #expect(one.contains { $0 > 240 } && one.contains { $0 < 30 })
    }
}
