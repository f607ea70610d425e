// swift-tools-version: 6.2
import PackageDescription

// The floors of the house: a target imports only what stands below it, and
// Tests/HygieneTests reads the imports and fails on an upward one.

/// Settings of every target of ours: warnings are errors.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// F0. Debian names what provides each; Scripts/test and Scripts/demo install them.
let systemLibraries: [Target] = [
    .systemLibrary(name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
    .systemLibrary(name: "CText", pkgConfig: "pangoft2 harfbuzz freetype2 fontconfig", providers: [.apt(["libpango1.0-dev"])]),
    .systemLibrary(name: "CTIFF", pkgConfig: "libtiff-4", providers: [.apt(["libtiff-dev"])]),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CMetadata", pkgConfig: "libexif exempi-2.0", providers: [.apt(["libexif-dev", "libexempi-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CColor", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

/// Bundled effects: what anybody could write, with what everybody may import.
func plugin(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    module("\(name)Plugin", ["LabelpipeKit", "LabelpipeDrawing", "Outline", "Vips"] + dependencies, path: "Plugins/\(name)")
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let plugins: [Target.Dependency] = [
    "ImagePlugin", "TextPlugin", "ShapePlugin", "FillPlugin", "StrokePlugin", "ShadowPlugin", "LayoutPlugin",
    "VipsOperationsPlugin",
]

let package = Package(
    name: "labelpipe",
    products: [
        .executable(name: "labelpipe", targets: ["labelpipe"]),
        .library(name: "Labelpipe", targets: ["Labelpipe"]),
        // What a plugin in Swift is built from.
        .library(name: "LabelpipePlugin", targets: ["LabelpipePlugin"]),
    ],
    targets: systemLibraries + [
        // F0
        .target(
            name: "CShim", dependencies: [],
            cxxSettings: [.unsafeFlags(["-O2"])],
            linkerSettings: [.linkedLibrary("polyclipping"), .linkedLibrary("jpeg"), .linkedLibrary("z")]),
        .target(name: "CLabelpipePlugin", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-pedantic"])]),
        // F1
        module("Diagnostics"),
        module("Outline", ["CShim"]),
        module("Vips", ["CVips", "CShim", "CTIFF"]),
        module("Splice", ["CShim", "CTIFF"]),
        // F2
        module("LabelpipeKit", ["Diagnostics", "Outline", "Vips"]),
        module("LabelpipeDrawing", ["LabelpipeKit", "Outline", "Vips", "CColor"]),
        // F3
        module("LabelpipeEngine", ["LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Vips", "CMetadata"]),
        module(
            "LabelpipeSave",
            ["LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Outline", "Vips", "Splice", "CLinux", "CMetadata", "CTIFF"]),
        module("LabelpipePreview", ["LabelpipeKit", "LabelpipeDrawing", "Outline", "Vips"]),
        module(
            "LabelpipePluginHost",
            ["CLabelpipePlugin", "CLinux", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Outline", "Vips"]),
        module(
            "LabelpipePlugin", ["CLabelpipePlugin", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Outline", "Vips"]),
        plugin("Image"),
        plugin("Text", ["CText"]),
        plugin("Shape"),
        plugin("Fill"),
        plugin("Stroke"),
        plugin("Shadow"),
        plugin("Layout"),
        plugin("VipsOperations", ["Diagnostics"]),
        // F4
        module(
            "LabelpipeWorker",
            [
                "CLinux", "CGLib", "CMetadata", "LabelpipeEngine", "LabelpipeDrawing", "LabelpipeSave", "LabelpipePreview",
                "LabelpipeKit", "Diagnostics", "Outline", "Vips",
            ]),
        .target(
            name: "LabelpipeBatch",
            dependencies: ["CLinux", "LabelpipeEngine", "LabelpipeWorker", "LabelpipeKit", "Diagnostics"],
            resources: [.embedInCode("Resources/gallery.html")], swiftSettings: strict),
        // What holds for every effect: tests run it over the bundled ones, `plugins check` over a plugin's.
        module(
            "LabelpipeLaws",
            ["CLinux", "LabelpipeEngine", "LabelpipeDrawing", "LabelpipeKit", "Diagnostics", "Outline", "Vips"]),
        // F5
        module(
            "Labelpipe",
            ["LabelpipeEngine", "LabelpipeSave", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Vips"] + plugins),
        // The example of the library, as a program that imports nothing else.
        .executableTarget(
            name: "library-example", dependencies: ["Labelpipe"], path: "Documentation/Library", swiftSettings: strict),
        // Photos for Scripts/demo and Scripts/bench.
        .executableTarget(name: "sample-photos", dependencies: ["Vips"], path: "Sources/SamplePhotos", swiftSettings: strict),
        .target(
            name: "LabelpipeServe",
            dependencies: ["CMicrohttpd", "CLinux", "LabelpipeBatch", "LabelpipeWorker", "LabelpipeEngine", "Diagnostics"],
            resources: ["page.html", "page.css", "page.js"].map { .embedInCode("Resources/\($0)") }, swiftSettings: strict),
        .target(
            name: "LabelpipeCommand",
            dependencies: [
                "LabelpipeServe", "LabelpipeBatch", "LabelpipeWorker", "LabelpipeEngine", "LabelpipePluginHost", "LabelpipeLaws",
                "LabelpipeDrawing", "LabelpipeKit", "Diagnostics", "Outline", "Vips", "CGLib", "CLinux", "TextPlugin",
            ],
            // Documents and skeletons that are part of the program; some are links to where they are used.
            resources: ([
                "watermark.json", "labelpipe_plugin.h.txt", "skeleton/plugin.c.txt", "skeleton/plugin.cpp.txt",
                "skeleton/plugin.swift.txt", "skeleton/manifest.swift.txt", "skeleton/note.c.txt", "skeleton/exports.map.txt",
                "skeleton/build-c.txt", "skeleton/build-cpp.txt", "skeleton/build-swift.txt", "skeleton/pipeline.json.txt",
                "skeleton/README.md.txt",
            ] as [String]).map { .embedInCode("Resources/\($0)") }, swiftSettings: strict),
        // F6
        .executableTarget(
            name: "labelpipe", dependencies: ["Labelpipe", "LabelpipeCommand"], swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),

        .target(
            name: "TestSupport",
            dependencies: [
                "Labelpipe", "LabelpipeLaws", "LabelpipeEngine", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Outline",
                "Vips",
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        tests("ReferenceTests", ["TestSupport", "Labelpipe", "LabelpipeEngine"], exclude: ["Cases"]),
        tests(
            "EffectLawTests",
            [
                "TestSupport", "Labelpipe", "LabelpipeEngine", "LabelpipeKit", "LabelpipePluginHost", "Diagnostics", "Outline",
                "Vips",
            ]),
        tests("GoldenTests", ["TestSupport", "Labelpipe", "LabelpipeEngine", "LabelpipeKit", "Diagnostics"]),
        tests(
            "LabelpipeEngineTests", ["LabelpipeEngine", "LabelpipeKit", "Diagnostics", "Outline", "Vips"],
            exclude: ["Cases", "validate.py"]),
        tests("LabelpipePreviewTests", ["LabelpipePreview", "LabelpipeDrawing", "LabelpipeKit", "Outline", "Vips"]),
        tests("DiagnosticsTests", ["Diagnostics"]),
        tests("OutlineTests", ["Outline"]),
        tests("VipsTests", ["Vips"]),
        // Reads what the splicer wrote, by libjpeg alone.
        .target(
            name: "CSpliceProbe", path: "Tests/CSpliceProbe", linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("tiff")]),
        tests("SpliceTests", ["Splice", "CSpliceProbe"]),
        tests("TextPluginTests", ["TextPlugin", "LabelpipeKit", "Outline", "Diagnostics"]),
        .executableTarget(
            name: "FaultyWorker", dependencies: ["LabelpipeBatch", "LabelpipeWorker", "Diagnostics"], path: "Tests/FaultyWorker",
            swiftSettings: strict),
        tests(
            "LabelpipeCommandTests",
            ["LabelpipeCommand", "LabelpipeBatch", "LabelpipeWorker", "Labelpipe", "LabelpipeEngine", "Diagnostics", "Vips"]),
        tests("LabelpipeBatchTests", ["LabelpipeBatch", "LabelpipeWorker", "LabelpipeKit", "Diagnostics", "FaultyWorker"]),
        tests("LabelpipeSaveTests", ["LabelpipeSave", "LabelpipeKit", "Diagnostics", "Splice", "Vips"]),
        tests("LabelpipeDrawingTests", ["LabelpipeDrawing", "LabelpipeKit", "Outline", "Vips"]),
        tests(
            "EffectsTests",
            ["Labelpipe", "LabelpipeEngine", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Outline", "Vips"]),
        // Documentation, recipes, installation: by the program as it is delivered.
        tests("GuideTests", ["TestSupport"]),
        tests(
            "VipsOperationsTests", ["Labelpipe", "LabelpipeEngine", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Vips"]),
        // Mistakes that people met in other programs, and laws on whole documents.
        tests(
            "ReportedTests",
            ["TestSupport", "Labelpipe", "LabelpipeEngine", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Outline", "Vips"]),
        // What fuzzers call: Scripts/sanitize builds a fuzzer of it, the tests replay its corpus.
        .target(
            name: "Fuzzing",
            dependencies: [
                "Labelpipe", "LabelpipeBatch", "LabelpipeWorker", "LabelpipeEngine", "LabelpipeKit", "Diagnostics", "Splice",
                "CLinux",
            ],
            path: "Tests/Fuzzing", swiftSettings: strict),
        tests("FuzzTests", ["Fuzzing"], exclude: ["Corpus"]),
        tests("LibraryTests", ["Labelpipe", "Diagnostics", "Vips", "library-example"]),
        // Plugins, by the program as it is delivered.
        tests("PluginTests", ["LabelpipePlugin", "LabelpipeKit", "Vips"], exclude: ["Golden"]),
        tests("HygieneTests", []),
    ],
    cxxLanguageStandard: .cxx17
)

// What it watches is built for it: nothing else is.
if Context.environment["LABELPIPE_FUZZER"] != nil {
    package.targets += [
        .target(name: "CFuzzerDriver", path: "Tests/CFuzzerDriver"),
        .executableTarget(
            name: "Fuzzer", dependencies: ["CFuzzerDriver", "Fuzzing"], path: "Tests/Fuzzer", swiftSettings: strict),
    ]
    package.products.append(.executable(name: "Fuzzer", targets: ["Fuzzer"]))
}
