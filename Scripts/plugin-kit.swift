// swift-tools-version: 6.2
import PackageDescription

/// What plugins in Swift are built from: the modules of labelpipe that an effect imports.
let package = Package(
    name: "labelpipe",
    products: [.library(name: "LabelpipePlugin", targets: ["LabelpipePlugin"])],
    targets: [
        .systemLibrary(name: "CVips", pkgConfig: "vips"),
        .systemLibrary(name: "CTIFF", pkgConfig: "libtiff-4"),
        .systemLibrary(name: "CColor", pkgConfig: "lcms2"),
        .target(
            name: "CShim", cxxSettings: [.unsafeFlags(["-O2"])],
            linkerSettings: [.linkedLibrary("polyclipping"), .linkedLibrary("jpeg"), .linkedLibrary("z")]),
        .target(name: "CLabelpipePlugin"),
        .target(name: "Diagnostics"),
        .target(name: "Outline", dependencies: ["CShim"]),
        .target(name: "Vips", dependencies: ["CVips", "CTIFF", "CShim"]),
        .target(name: "LabelpipeKit", dependencies: ["Diagnostics", "Outline", "Vips"]),
        .target(name: "LabelpipeDrawing", dependencies: ["LabelpipeKit", "Outline", "Vips", "CColor"]),
        .target(
            name: "LabelpipePlugin",
            dependencies: ["CLabelpipePlugin", "LabelpipeKit", "LabelpipeDrawing", "Diagnostics", "Outline", "Vips"]),
    ],
    cxxLanguageStandard: .cxx17
)
