// swift-tools-version: 6.2
import PackageDescription

// The kit is what Scripts/plugins installs: sources and a manifest, nothing of the checkout.
let kit = Context.environment["LABELPIPE_KIT"] ?? "/usr/share/labelpipe/swift"

let package = Package(
    name: "neon-glow",
    products: [.library(name: "NeonGlow", type: .dynamic, targets: ["NeonGlow"])],
    dependencies: [.package(name: "labelpipe", path: kit)],
    targets: [
        // The plugin's note, read before any code of it runs.
        .target(name: "Note", dependencies: [.product(name: "LabelpipePlugin", package: "labelpipe")]),
        .target(
            name: "NeonGlow", dependencies: ["Note", .product(name: "LabelpipePlugin", package: "labelpipe")],
            // The Swift runtime inside, and one symbol outside.
            linkerSettings: [
                .unsafeFlags([
                    "-static-stdlib", "-use-ld=lld", "-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map",
                ])
            ]),
    ])
