/// Who may import whom: the floors of the house, and the few rules that floors alone do not say.
///
/// A module imports what stands below it. What stands beside it is out of reach unless it is listed here.
struct House {
    /// The floor of every module that is no plugin.
    var floors: [String: Int] = [
        "CVips": 0, "CText": 0, "CCodecs": 0, "CTIFF": 0, "CGLib": 0, "CMetadata": 0, "CColor": 0, "CLinux": 0, "CShim": 0,
        "CMicrohttpd": 0,
        "CLabelpipePlugin": 0,
        "Diagnostics": 1, "Vips": 1, "Outline": 1, "Splice": 1,
        "LabelpipeKit": 2, "LabelpipeDrawing": 2,
        "LabelpipeEngine": 3, "LabelpipeSave": 3, "LabelpipePreview": 3, "LabelpipePluginHost": 3, "LabelpipePlugin": 3,
        "LabelpipeWorker": 4, "LabelpipeBatch": 4, "LabelpipeLaws": 4,
        "LabelpipeServe": 5, "LabelpipeCommand": 5, "Labelpipe": 5,
        "labelpipe": 6,
        // Programs of the scripts and helpers of the tests: nothing stands on them.
        "SamplePhotos": 6, "TestSupport": 7, "FaultyWorker": 7, "Fuzzing": 7, "CFuzzerDriver": 7, "Fuzzer": 8,
    ]

    /// Neighbours that may be imported all the same.
    var sideways: [String: Set<String>] = [
        "LabelpipeDrawing": ["LabelpipeKit"],
        // The supervisor and its workers speak one protocol, and it is the worker's.
        "LabelpipeBatch": ["LabelpipeWorker"],
        "LabelpipeCommand": ["LabelpipeServe"],
    ]

    /// System modules that one module wraps for all others.
    var wrappers: [String: String] = ["CVips": "Vips", "CText": "TextPlugin"]

    /// What lies below and is out of bounds nevertheless: the supervisor never opens a picture.
    var outOfBounds: [String: Set<String>] = ["LabelpipeBatch": ["Vips", "Splice", "LabelpipeSave"]]

    /// All that an effect may import, so that a bundled one can do nothing that others cannot. `wrappers` adds to it.
    var forPlugins: Set<String> = ["Diagnostics", "LabelpipeKit", "LabelpipeDrawing", "Outline", "Vips"]

    /// Modules that come with Swift. Foundation is not one of them: loading it costs a short command most of its time.
    var toolchain: Set<String> = ["Swift", "Glibc", "FoundationEssentials", "Synchronization", "Dispatch"]

    /// The module that a file belongs to, by where it lies; nil for files that belong to none.
    func module(ofFile path: String) -> String? {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count > 2, path.hasSuffix(".swift"), parts.last != "Package.swift" else { return nil }
        switch parts[0] {
        case "Sources": return parts[1]
        // Examples are packages of their own, each in its folder, and plugins like all others.
        case "Plugins": return parts[1] == "Examples" ? parts[2] + "Plugin" : parts[1] + "Plugin"
        default: return nil
        }
    }

    /// What is wrong with `module` importing `other`; nil if nothing is.
    func objection(to module: String, importing other: String) -> String? {
        if other == module || toolchain.contains(other) { return nil }
        if other.hasPrefix("Foundation") { return "\(other) is slow to load; FoundationEssentials and Glibc are not" }
        guard let floor = floor(of: module) else { return "\(module) has no floor yet: give it one in Tests/HygieneTests" }
        guard let otherFloor = self.floor(of: other) else { return "\(other) is no module of the house" }
        if let wrapper = wrappers[other] { return wrapper == module ? nil : "only \(wrapper) imports \(other)" }
        if isPlugin(module), !forPlugins.contains(other) {
            return "a plugin imports only \(forPlugins.sorted().joined(separator: ", "))"
        }
        if outOfBounds[module]?.contains(other) == true { return "\(other) is out of bounds for \(module)" }
        if otherFloor < floor || sideways[module]?.contains(other) == true { return nil }
        let relation = otherFloor == floor ? "beside" : "above"
        return "\(other) (floor \(otherFloor)) stands \(relation) \(module) (floor \(floor))"
    }

    /// What is wrong with the imports of a file.
    func objections(toFile path: String, source: String) -> [String] {
        guard let module = module(ofFile: path) else { return [] }
        guard floor(of: module) != nil else { return ["\(path): \(module) has no floor yet: give it one in Tests/HygieneTests"] }
        return imports(in: source).compactMap { line, name in
            // Loadable plugins see the kit through one module, which exports the others.
            if path.hasPrefix("Plugins/Examples/"), name == "LabelpipePlugin" { return nil }
            return objection(to: module, importing: name).map { "\(path):\(line): import \(name): \($0)" }
        }
    }

    /// What is wrong with the dependencies that a manifest declares.
    func objections(toManifest manifest: String) -> [String] {
        // module("Name", ["A", "B"]), plugin("Name", ["A"]), .target(name: "Name", dependencies: ["A"], …
        let declaration =
            /(?<kind>module|plugin|arget)\(\s*(?:name: )?"(?<name>\w+)",\s*(?:dependencies: )?\[(?<list>[^\]]*)\]/
        return manifest.matches(of: declaration).flatMap { match in
            let module = String(match.output.name) + (match.output.kind == "plugin" ? "Plugin" : "")
            return match.output.list.matches(of: /"(\w+)"/).compactMap { dependency in
                objection(to: module, importing: String(dependency.output.1)).map { "Package.swift: \(module): \($0)" }
            }
        }
    }

    private func floor(of module: String) -> Int? { isPlugin(module) ? 3 : floors[module] }

    private func isPlugin(_ module: String) -> Bool { module.hasSuffix("Plugin") && floors[module] == nil }
}
