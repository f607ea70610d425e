/// What `labelpipe new` writes: files that build and run as they stand, embedded when the program is built.
struct Skeleton {
    enum Language: String, CaseIterable {
        case c
        case cpp = "c++"
        case swift
    }

    struct File {
        let name: String
        let text: String
        var isProgram = false
    }

    let files: [File]

    /// A pipeline document.
    static func pipeline(_ name: String) -> Skeleton {
        Skeleton(files: [File(name: "\(name).json", text: filled(PackageResources.pipeline_json_txt, ["NAME": name]))])
    }

    /// A plugin's folder.
    ///
    /// - Parameter kit: the folder of the modules that a plugin in Swift is built from.
    static func plugin(_ name: String, _ language: Language, kit: String?) -> Skeleton {
        let values = [
            "NAME": name, "KIT": kit ?? "",
            "TYPE": name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(),
        ]
        let source: String
        let needs: String
        var files: [File]
        func oneFile(_ ending: String, _ code: [UInt8], _ build: [UInt8]) -> [File] {
            [
                File(name: "\(name).\(ending)", text: filled(code, values)),
                File(name: "build", text: filled(build, values), isProgram: true),
                File(name: "labelpipe_plugin.h", text: text(PackageResources.labelpipe_plugin_h_txt)),
            ]
        }
        switch language {
        case .c:
            (source, needs) = ("\(name).c", "a C compiler, pkg-config and libvips-dev")
            files = oneFile("c", PackageResources.plugin_c_txt, PackageResources.build_c_txt)
        case .cpp:
            (source, needs) = ("\(name).cpp", "a C++ compiler, pkg-config and libvips-dev")
            files = oneFile("cpp", PackageResources.plugin_cpp_txt, PackageResources.build_cpp_txt)
        case .swift:
            (source, needs) = ("Sources/\(name)/Plugin.swift", "Swift 6.3, pkg-config and labelpipe's development files")
            files = [
                File(name: source, text: filled(PackageResources.plugin_swift_txt, values)),
                File(name: "Package.swift", text: filled(PackageResources.manifest_swift_txt, values)),
                File(name: "build", text: filled(PackageResources.build_swift_txt, values), isProgram: true),
                File(name: "exports.map", text: filled(PackageResources.exports_map_txt, values)),
                File(name: "Sources/Note/note.c", text: filled(PackageResources.note_c_txt, values)),
                File(name: "Sources/Note/include/note.h", text: "/* Swift packages want one. */\n"),
            ]
        }
        files.append(
            File(
                name: "README.md",
                text: filled(PackageResources.README_md_txt, values.merging(["SOURCE": source, "NEEDS": needs]) { $1 })))
        return Skeleton(files: files)
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// `@NAME@` and the like replaced.
    private static func filled(_ bytes: [UInt8], _ values: [String: String]) -> String {
        var result = text(bytes)
        for (name, value) in values { result = result.replacing("@\(name)@", with: value) }
        return result
    }
}
