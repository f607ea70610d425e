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
]

let package = Package(
    name: "labelpipe",
    products: [
        .executable(name: "labelpipe", targets: ["labelpipe"]),
        .library(name: "Labelpipe", targets: ["Labelpipe"]),
    ],
    targets: systemLibraries + [
        // F0
        .target(
            name: "CShim", dependencies: [],
            cxxSettings: [.unsafeFlags(["-O2"])],
            linkerSettings: [.linkedLibrary("polyclipping"), .linkedLibrary("jpeg"), .linkedLibrary("z")]),
        // F1
        module("Diagnostics"),
        module("Outline", ["CShim"]),
        module("Vips", ["CVips"]),
        module("Splice", ["CShim", "CTIFF"]),
        // F2
        module("LabelpipeKit", ["Diagnostics", "Outline", "Vips"]),
        module("LabelpipeDrawing", ["LabelpipeKit", "Outline", "Vips", "CColor"]),
        // F3
        module("LabelpipeEngine", ["LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Vips"]),
        module(
            "LabelpipeSave",
            ["LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Outline", "Vips", "Splice", "CMetadata", "CTIFF"]),
        plugin("Image"),
        plugin("Text", ["CText"]),
        plugin("Shape"),
        plugin("Fill"),
        plugin("Stroke"),
        plugin("Shadow"),
        plugin("Layout"),
        // F4
        module(
            "LabelpipeWorker",
            [
                "CLinux", "CGLib", "CMetadata", "LabelpipeEngine", "LabelpipeDrawing", "LabelpipeSave", "LabelpipeKit",
                "Diagnostics", "Vips",
            ]),
        module("LabelpipeBatch", ["CLinux", "LabelpipeEngine", "LabelpipeWorker", "LabelpipeKit", "Diagnostics"]),
        // F5
        module("Labelpipe", ["LabelpipeEngine", "LabelpipeSave", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics"] + plugins),
        // Photos for Scripts/demo and Scripts/bench.
        .executableTarget(name: "sample-photos", dependencies: ["Vips"], path: "Sources/SamplePhotos", swiftSettings: strict),
        .target(
            name: "LabelpipeCommand",
            dependencies: [
                "LabelpipeBatch", "LabelpipeWorker", "LabelpipeEngine", "LabelpipeKit", "Diagnostics", "CGLib", "CLinux",
                "TextPlugin",
            ],
            // Documents that are part of the program; links to Pipelines.
            resources: [.embedInCode("Resources/watermark.json")], swiftSettings: strict),
        // F6
        .executableTarget(
            name: "labelpipe", dependencies: ["Labelpipe", "LabelpipeCommand"], swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),

        .target(
            name: "TestSupport",
            dependencies: ["Labelpipe", "LabelpipeEngine", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Outline", "Vips"],
            path: "Tests/TestSupport", swiftSettings: strict),
        tests("ReferenceTests", ["TestSupport", "Labelpipe", "LabelpipeEngine"], exclude: ["Cases"]),
        tests("EffectLawTests", ["TestSupport", "Labelpipe", "LabelpipeEngine", "LabelpipeKit", "Outline", "Vips"]),
        tests("GoldenTests", ["TestSupport", "Labelpipe", "LabelpipeEngine", "LabelpipeKit", "Diagnostics"]),
        tests(
            "LabelpipeEngineTests", ["LabelpipeEngine", "LabelpipeKit", "Diagnostics", "Outline", "Vips"],
            exclude: ["Cases", "validate.py"]),
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
        tests("LabelpipeCommandTests", ["LabelpipeCommand", "LabelpipeBatch", "LabelpipeWorker", "Labelpipe"]),
        tests("LabelpipeBatchTests", ["LabelpipeBatch", "LabelpipeWorker", "LabelpipeKit", "Diagnostics", "FaultyWorker"]),
        tests("LabelpipeSaveTests", ["LabelpipeSave", "LabelpipeKit", "Diagnostics", "Splice", "Vips"]),
        tests("LabelpipeDrawingTests", ["LabelpipeDrawing", "LabelpipeKit", "Outline", "Vips"]),
        tests(
            "EffectsTests",
            ["Labelpipe", "LabelpipeEngine", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Outline", "Vips"]),
        // Documentation, recipes, installation: by the program as it is delivered.
        tests("GuideTests", ["TestSupport"]),
        tests("HygieneTests", []),
    ],
    cxxLanguageStandard: .cxx17
)
