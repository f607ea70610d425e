// Marks a photo, and draws a button into memory:  library-example PHOTO OUTPUT
import Glibc
import Labelpipe

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: library-example PHOTO OUTPUT")
    exit(2)
}

let label = Node("text.mask", ["text": "© Ann Example", "font": "DejaVu Sans Bold", "size": "6vmin"])
    .then("fill.solid", ["color": "white"])
    .then("stroke.outline", ["width": "0.05em", "color": "#00000080"])
    .then("shadow.drop")

let marked = try Graph(
    Node("image.source").then("layout.place", ["anchor": "bottom-right", "insets": "3vmin", "label": .node(label)]),
    output: ["quality": 85])
try marked.render(arguments[1], to: arguments[2])

let button = try Graph(
    Node(
        "layout.stack",
        [
            "align": "center",
            "layers": .entries([
                .init(Node("shape.rectangle", ["size": [120, 32], "radius": "pill"]).then("fill.solid", ["color": "#3B7DD8"])),
                .init(Node("text.mask", ["text": "Save", "size": 16]).then("fill.solid", ["color": "white"]), ["opacity": 0.9]),
            ]),
        ]))
let bitmap = try button.bitmap()
print("\(bitmap.width) × \(bitmap.height), \(bitmap.bands) bands")
